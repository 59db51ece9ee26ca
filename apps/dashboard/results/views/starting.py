"""Starting runs from the browser: battles of personas against an agent, replays of golden sessions."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.budgets.domain.forecast import CostForecast
from apps.core.errors import RatibaError
from apps.core.subject import Subject
from apps.dashboard.page_access import show, staff_page
from apps.dashboard.results.domain.start_request import MAX_REPEATS, StartRequest, read_start
from apps.dashboard.results.queries.starting import StartChoices, start_choices
from apps.evaluations.requests.domain.run_time import RunTime
from apps.evaluations.requests.queries.cost_forecast import run_forecast
from apps.evaluations.requests.queries.judging_choices import judging_choices
from apps.evaluations.requests.queries.run_pace import run_time
from apps.evaluations.requests.services.battles import RunChoices, battle_run, replay_run, resimulation_run
from apps.evaluations.requests.services.creating import request_evaluation
from apps.jobs.wakeups import wake_workers_on_commit
from apps.runs.domain.states import Kind
from apps.runs.playing.queries.progress import left_out_of
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

RIGHTS = ("runs.add_testrun", "runs.view_testrun", "catalog.view_agent")
JUDGE = "evaluations.add_evaluation"
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class StartForecast:
    """The forecast of a start.

    It has the product, its customers ({persona: conversations}), and its probable cost and time. `limit` is the
    tenant's: above it, somebody must confirm the cost. `confirmed` is the cost that somebody confirmed, as the form
    says it: dollars, or UNKNOWN.
    """

    product: str
    customers: Mapping[str, int]
    cost: CostForecast
    time: RunTime
    limit: float | None
    confirmed: str = ""

    @property
    def asks(self) -> bool:
        """Tell whether somebody has to confirm this cost first.

        A confirmation holds for what was shown, not for more.
        """
        if self.cost.usd is None:
            return self.cost.above(self.limit) and self.confirmed != UNKNOWN
        return self.cost.above(self.limit) and not self.cost.usd <= _dollars(self.confirmed)  # "nan" confirms nothing

    @property
    def to_confirm(self) -> str:
        """The value of `confirmed` when somebody confirms the cost shown here."""
        return UNKNOWN if self.cost.usd is None else str(self.cost.usd)

    @property
    def why_asked(self) -> str:
        return self.cost.limit_sentence(self.limit)


@staff_page(*RIGHTS)
def start_run(request: HttpRequest) -> HttpResponse:
    """The page that starts a run: its cases, customers, repeats and judges. POST starts it and opens the run; a run
    that will probably cost more than the tenant's limit is shown again, to be confirmed."""
    choices = start_choices()
    context: dict[str, Any] = {"problem": "", "asked": request.POST or request.GET, "most": MAX_REPEATS}
    if request.method == "POST":
        try:
            start_request = _start_request(request, choices)
            forecast = _forecast(request, start_request, choices)
            if request.POST.get("then") != "forecast" and not forecast.asks:
                return _started(request, start_request)
            context["forecast"] = forecast
        except RatibaError as error:
            context["problem"] = error.message
    agent = context["asked"].get("agent", "") or next(iter(choices.agents), "")
    chosen = {*context["asked"].getlist("scenario"), *context["asked"].getlist("golden")}
    context |= {
        "found": replace(choices, scenarios=sorted(choices.scenarios, key=lambda row: row.slug not in chosen)),
        "configs": judging_choices(agent, scenarios=chosen) if request.user.has_perm(JUDGE) else (),
        "chosen": chosen,
        "kind": choices.shown_kind(context["asked"].get("kind", "")),
        "chosen_personas": set(request.POST.getlist("persona")),
    }
    return show(request, "results/start_run", "Start a run", **context)


@staff_page(*RIGHTS, methods=("POST",))
def forecast(request: HttpRequest) -> HttpResponse:
    """Show the run in the form and its probable cost, as a part of its page; start nothing. POST only."""
    context: dict[str, Any] = {"problem": ""}
    try:
        choices = start_choices()
        context["forecast"] = _forecast(request, _start_request(request, choices), choices)
    except RatibaError as error:
        context["problem"] = error.message
    return show(request, "results/forecast", "Forecast", **context)


def _start_request(request: HttpRequest, choices: StartChoices) -> StartRequest:
    start_request = read_start(request.POST, may_judge=request.user.has_perm(JUDGE))
    return start_request.matched([row.slug for row in choices.scenarios])


def _forecast(request: HttpRequest, start_request: StartRequest, choices: StartChoices) -> StartForecast:
    every = len(choices.scenarios) + len(choices.blocked)
    count, product = start_request.product(playable=len(choices.scenarios), every=every)
    cost = run_forecast(
        kind=start_request.kind, agent=start_request.agent, config=start_request.config, conversations=count
    )
    return StartForecast(
        product=product,
        customers=start_request.customers(
            [(row.slug, row.persona.name) for row in choices.scenarios if row.persona], every
        ),
        cost=cost,
        time=run_time(kind=start_request.kind, agent=start_request.agent, conversations=count),
        limit=workflow_config(current_slug()).confirm_run_usd,
        confirmed=request.POST.get("confirmed", ""),
    )


def _dollars(text: str) -> float:
    """The confirmed cost as a number of dollars; -1 where the text is no number."""
    try:
        return float(text)
    except ValueError:
        return -1.0


def _started(request: HttpRequest, start_request: StartRequest) -> HttpResponse:
    now, by = timezone.now(), str(request.user.get_username())
    with transaction.atomic():
        run_id = _start(start_request, now, by)
        if start_request.config:
            request_evaluation(config=start_request.config, run_id=run_id, now=now, triggered_by=by)
    for one in left_out_of(run_id):
        messages.warning(request, f"Scenario {one['scenario']} does not play: {one['why']}.")
    wake_workers_on_commit(current_slug())
    return redirect("run", run_id)


def _start(request: StartRequest, now: datetime, by: str) -> uuid.UUID:
    chosen: RunChoices = {
        "agent": request.agent,
        "repeats": request.repeats,
        "prompt": request.prompt,
        "subject": Subject(commit=request.commit),
        "now": now,
        "triggered_by": by,
    }
    if request.kind is Kind.REPLAY:
        return replay_run(golden_sessions=request.goldens, name=request.name, **chosen)
    if request.resimulated:
        return resimulation_run(
            golden_sessions=request.goldens,
            personas=request.personas,
            max_turns=request.max_turns,
            name=request.name,
            **chosen,
        )
    return battle_run(
        scenarios=request.scenarios or "all",
        personas=request.personas or None,
        max_turns=request.max_turns,
        name=request.name,
        **chosen,
    )

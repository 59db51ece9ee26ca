"""Ask for a trial: what would be played and what it takes, and the row that owes it."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction

from apps.budgets.services.limits import declare_limit
from apps.catalog.configs.queries.versions import resolve_config
from apps.catalog.models import Agent, PromptLine, PromptVersion, Scenario
from apps.catalog.scenarios.queries.default_personas import give_default_personas
from apps.core.documents import as_json
from apps.core.errors import BadInput, Conflict
from apps.core.events import EventType, log_event
from apps.evaluations.requests.domain.run_time import minutes_to_play
from apps.evaluations.requests.queries.run_pace import agent_stagger, past_pace
from apps.evaluations.requests.services.battles import battle_run
from apps.evaluations.requests.services.forecasting import forecast_of_start
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.drafts.domain.trial_choices import MAX_REPEATS, TrialChoices
from apps.improvement.drafts.domain.trial_forecast import TrialForecast
from apps.improvement.drafts.domain.trial_states import SideName
from apps.improvement.drafts.models import PromptDraft, Trial, TrialSide
from apps.improvement.drafts.queries.documents import find_draft
from apps.improvement.drafts.queries.families import HoldOutSet, hold_out_set
from apps.improvement.drafts.services.placing_families import lock_families, place_new_families
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.holdout.queries.parts import families_of_scenarios, parts_of_families
from apps.jobs.domain.work_states import FOR_A_WORKER
from apps.runs.domain.states import Kind
from apps.statistics.looks import LOOKS
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

TRIABLE = (DraftStatus.PROPOSED, DraftStatus.NOT_SHOWN, DraftStatus.BLOCKED, DraftStatus.BETTER)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPlan:
    """The plan of a trial, after all names were found and all refusals were made."""

    draft: PromptDraft
    agent: str
    config: str
    sides: dict[SideName, PromptVersion]
    scenarios: Sequence[str]
    families: int
    hold_out: HoldOutSet
    forecast: TrialForecast


def plan_trial(draft_id: uuid.UUID | str, choices: TrialChoices, *, now: datetime) -> TrialPlan:
    """Plan a trial: what it would play, and its cost and time. Families that have no part yet get one; nothing else is
    stored.

    Raises NotFound; Conflict: `wrong_state` (refused, released, in a trial), `already_live`, `no_hold_out`,
    `hold_out_worn`; BadInput: `unknown_agent`, `no_staging_connection` where nothing but the live address could play
    it, and what `battle_run` and `resolve_config` refuse. Some forty queries, no model call.
    """
    draft = find_draft(draft_id)
    _refuse_state(draft)
    if not 1 <= choices.repeats <= MAX_REPEATS:
        raise BadInput(f"repeats must be between 1 and {MAX_REPEATS}.", pointer="/repeats")
    place_new_families(now=now)
    hold_out = hold_out_set()
    if choices.part is Part.HOLD_OUT:
        refuse_spent(hold_out)
    families, scenarios = playable_scenarios(choices)
    agent = agent_of(draft.line, choices.agent)
    snapshot = resolve_config(choices.evaluator_config)
    sides = _sides(draft)
    forecast = forecast_trial(
        draft.version.version,
        choices,
        agent=agent,
        sides=len(sides),
        families=families,
        scenarios=scenarios,
        hold_out=hold_out,
        now=now,
    )
    return TrialPlan(
        draft=draft,
        agent=agent,
        config=snapshot.ref,
        sides=sides,
        scenarios=scenarios,
        families=families,
        hold_out=hold_out,
        forecast=forecast,
    )


@transaction.atomic
def request_trial(draft_id: uuid.UUID | str, choices: TrialChoices, *, by: str, now: datetime) -> uuid.UUID:
    """Request a trial of this draft, which workers start; return the id of its row.
    Raises what `plan_trial` raises, and Conflict (`in_trial`) while one is running."""
    lock_families()
    plan = plan_trial(draft_id, choices, now=now)
    config = workflow_config(current_slug())
    try:
        with transaction.atomic():
            row = Trial.objects.create(
                draft=plan.draft,
                part=choices.part,
                set_number=plan.hold_out.number if choices.part is Part.HOLD_OUT else 0,
                agent=plan.agent,
                scenarios=list(plan.scenarios),
                personas=list(choices.personas),
                repeats=choices.repeats,
                seed=choices.seed,
                evaluator_config=plan.config,
                block_points=config.regression_block_points,
                budget_usd=choices.budget_usd,
                budget_name=choices.budget_name,
                further_configs=list(choices.further_configs),
                futility=choices.futility and choices.part is not Part.HOLD_OUT,
                forecast=as_json(plan.forecast.document()),
                requested_by=by[:150],
                waiting_for=FOR_A_WORKER,
            )
    except IntegrityError as error:
        raise Conflict("A trial of this draft goes on already.", code="in_trial") from error
    TrialSide.objects.bulk_create(TrialSide(trial=row, side=side, prompt=prompt) for side, prompt in plan.sides.items())
    if choices.budget_usd is not None:
        declare_limit(pull_request=budget_name_of(row), usd=choices.budget_usd)
    PromptDraft.objects.advance(plan.draft.pk, expected=TRIABLE, to=DraftStatus.IN_TRIAL)
    log_event(EventType.TRIAL_REQUESTED, trial=str(row.pk), draft=str(plan.draft.pk), by=by)
    return uuid.UUID(str(row.pk))


def budget_name_of(trial: Trial) -> str:
    """The name under which everything a trial spends is counted, where it has a budget of its own or that of an
    optimization."""
    return trial.budget_name or (f"trial {trial.pk}" if trial.budget_usd is not None else "")


def refuse_spent(hold_out: HoldOutSet) -> None:
    """Refuse a hold-out set that is spent or empty. Raises Conflict."""
    if not hold_out.families:
        raise Conflict(
            "There is no hold-out: release scenarios of new families, or draw families that no trial has played.",
            code="no_hold_out",
        )
    if hold_out.left < 1:
        raise Conflict(
            f"All {LOOKS} looks at hold-out set {hold_out.number} are spent or belong to trials that go on: wait for "
            "them, or draw new families.",
            code="hold_out_worn",
        )


def _refuse_state(draft: PromptDraft) -> None:
    if draft.status == DraftStatus.IN_TRIAL:
        raise Conflict("A trial of this draft goes on already.", code="in_trial")
    if draft.status not in TRIABLE:
        raise Conflict(f"A draft that is {draft.status} is not tried.", code="wrong_state", status_now=draft.status)
    if draft.line.live.digest == draft.version.digest:
        raise Conflict("This draft is live already.", code="already_live")


def playable_scenarios(choices: TrialChoices) -> tuple[int, list[str]]:
    """Return how many families of the part can be played, and their scenarios. Raises BadInput without one."""
    rows = playable_rows(choices)
    if not rows:
        message = f"No scenario of the part {choices.part.value} can be played: release scenarios of more families."
        raise BadInput(message, code="nothing_to_play", pointer="/part")
    return len({row.family_name for row in rows}), [row.slug for row in rows]


def playable_rows(choices: TrialChoices) -> list[Scenario]:
    """The scenarios of the part, or of its families that are named, that can be played. Three queries and more where
    personas are given out."""
    only = set(choices.families) if choices.part is not Part.HOLD_OUT else set()
    parts = parts_of_families()
    named = {
        slug
        for family, slugs in families_of_scenarios().items()
        if parts.get(family) == choices.part and (not only or family in only)
        for slug in slugs
    }
    rows = list(Scenario.objects.filter(slug__in=named).select_related("persona").order_by("slug"))
    if not choices.personas:
        give_default_personas(rows)
        rows = [row for row in rows if row.persona is not None and row.persona.may_play]
    return rows


def agent_of(line: PromptLine, named: str) -> str:
    """The agent that plays the prompt: the named one, else the line's agent, else the one whose settings name this
    line."""
    if named:
        return named
    if line.agent is not None:
        return str(line.agent.name)
    rows = Agent.objects.filter(options__prompt=line.name) | Agent.objects.filter(name=line.name)
    names = sorted(rows.values_list("name", flat=True).distinct())
    if len(names) != 1:
        there = f"{', '.join(names)} play it" if names else "none plays it"
        message = f"Name the agent that the prompt {line.name!r} is played by: {there}."
        raise BadInput(message, code="unknown_agent", pointer="/agent")
    return str(names[0])


def _sides(draft: PromptDraft) -> dict[SideName, PromptVersion]:
    """Live and draft; the lineage's first prompt too, where it is neither."""
    sides = {SideName.LIVE: draft.line.live, SideName.DRAFT: draft.version}
    if draft.original.digest not in {side.digest for side in sides.values()}:
        sides[SideName.ORIGINAL] = draft.original
    return sides


def forecast_trial(
    prompt: str,
    choices: TrialChoices,
    *,
    agent: str,
    sides: int,
    families: int,
    scenarios: Sequence[str],
    hold_out: HoldOutSet,
    now: datetime,
) -> TrialForecast:
    """Forecast this many sides of a trial. One side is planned as it will be played, and taken back: a refusal comes
    here."""
    start = partial(start_side, prompt, choices, agent=agent, scenarios=scenarios, now=now)
    forecast = forecast_of_start(start=start, config=choices.evaluator_config)
    config, pace = workflow_config(current_slug()), past_pace(agent)
    conversations = forecast.cost.conversations * sides
    stagger = agent_stagger(agent) or config.battle_stagger_s
    usd = None if forecast.cost.usd is None else round(forecast.cost.usd * sides, 4)
    return TrialForecast(
        part=choices.part,
        families=families,
        scenarios=len(scenarios),
        sides=sides,
        conversations=conversations,
        calls=round(conversations * pace.calls),
        minutes=minutes_to_play(conversations, pace=pace, stagger_s=stagger, at_once=config.max_concurrent_battles),
        usd=usd,
        money="; ".join(part.sentence for part in forecast.cost.parts),
        sample=pace.sample,
        look=hold_out.spent + hold_out.in_use + 1 if choices.part is Part.HOLD_OUT else None,
        stagger_s=stagger,
        confirm=forecast.limit is not None and (usd is None or usd > forecast.limit),
    )


def start_side(
    prompt: str, choices: TrialChoices, *, agent: str, scenarios: Sequence[str], now: datetime, **more: Any
) -> uuid.UUID:
    """One side's battles: the same scenarios, personas and seeds for every prompt, and each over the same connection.
    Raises BadInput as `battle_run`; `no_staging_connection` where only the address of customers is known."""
    return battle_run(
        agent=agent,
        scenarios=list(scenarios),
        personas=list(choices.personas) or None,
        repeats=choices.repeats,
        seed=choices.seed,
        prompt=prompt,
        now=now,
        of=Kind.TRIAL,
        **more,
    )

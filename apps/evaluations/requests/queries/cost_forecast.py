"""Forecast the cost of a run before it is started: of playing it, and of judging it with a config.

From the ledger's newest conversations of the same agent and config; where there are none, of other agents and configs,
and that is told. Pages, commands and the API show this one answer.
"""

import uuid
from dataclasses import replace
from typing import Any

from django.db.models import QuerySet

from apps.budgets.domain.forecast import CostForecast, PartForecast, PastCosts, forecast_part
from apps.budgets.queries.past_costs import past_costs_of_judging, past_costs_of_playing
from apps.catalog.configs.domain.snapshots import RoleModel
from apps.catalog.configs.queries.judges import model_in_force, with_models_in_force
from apps.catalog.configs.queries.versions import content_of, resolve_config
from apps.catalog.connections.queries.providers import model_spec
from apps.catalog.models import EvaluatorConfigVersion
from apps.connectors.llms.pricing import call_cost
from apps.core.errors import RatibaError
from apps.core.usage import Usage
from apps.evaluations.models import Evaluation
from apps.runs.domain.states import Kind
from apps.runs.models import TestRun
from apps.runs.playing.domain.simulator_sentence import OFFLINE_CUSTOMER

FIRST_USAGE = Usage(input_tokens=6_000, output_tokens=1_500)  # of a judgement, before any was made
NEWEST = 20  # earlier runs or evaluations whose conversations are looked at


def run_forecast(*, kind: str, agent: str, config: str, conversations: int) -> CostForecast:
    """Forecast the cost of so many battles or replays against an agent, judged with a config.

    With the config "" nothing is judged. At most twelve queries, no model call. A model that cannot be asked is an
    unknown cost with the reason, not an error.
    """
    parts = []
    if kind == Kind.BATTLE:
        parts.append(_playing(agent, conversations))
    elif checks := _checking(agent, conversations):
        parts.append(checks)
    if config:
        parts.append(judging_forecast(config, conversations))
    return CostForecast(conversations=conversations, parts=parts)


def _playing(agent: str, conversations: int) -> PartForecast:
    simulator = model_in_force("simulator")
    past, elsewhere = _played(agent, Kind.BATTLE)
    part = _part("simulated customers", simulator, past, conversations, "other agents" if elsewhere else "")
    return replace(part, why=OFFLINE_CUSTOMER) if part.free else part


def _checking(agent: str, conversations: int) -> PartForecast | None:
    """Replays ask a model only where a check does; None where none did."""
    past, elsewhere = _played(agent, Kind.REPLAY)
    if not past.conversations:
        return None
    return _part("checks", model_in_force("judge"), past, conversations, "other agents" if elsewhere else "")


def dry_run_forecast(version: EvaluatorConfigVersion, *, judgements: int) -> PartForecast:
    """Forecast the cost of so many judgements by a version, a draft as it is. At most seven queries, no model call."""
    judge = content_of(version).models().get("judge") or model_in_force("judge")
    return _judged_by(judge, version.config.name, judgements)


def judging_forecast(config: str, conversations: int) -> PartForecast:
    """Forecast the cost of judging this many conversations with a config. At most seven queries, no model call."""
    try:
        judge = with_models_in_force(resolve_config(config)).llm_config["judge"]
    except RatibaError as error:
        return PartForecast(part="judging", model="", usd=None, why=error.message)
    return _judged_by(judge, config.partition("@")[0], conversations)


def judging_estimate(config: str, conversations: int) -> PartForecast:
    """Estimate the cost as `judging_forecast`, and without earlier judgements by FIRST_USAGE.

    FIRST_USAGE is taken at the price of the config's judge. None is a price that nobody knows. At most nine queries, no
    model call.
    """
    forecast = judging_forecast(config, conversations)
    if forecast.usd is not None or forecast.sample:
        return forecast
    try:
        judge = with_models_in_force(resolve_config(config)).llm_config["judge"]
        cost = call_cost(model_spec(judge.provider, judge.model, judge.options), FIRST_USAGE)
    except RatibaError:
        return forecast
    if cost is None:
        return replace(forecast, why=f"no price is known for {forecast.model}")
    return replace(forecast, usd=float(cost) * conversations, why="nothing like it was done yet: a first guess")


def _judged_by(judge: RoleModel, name: str, conversations: int) -> PartForecast:
    """Forecast by the past cost of judging with the config of this name, else with any."""
    rows = Evaluation.objects.order_by("-id")
    own = past_costs_of_judging(_newest(rows.filter(config_ref__startswith=f"{name}@")))
    if own.conversations:
        return _part("judging", judge, own, conversations, "")
    return _part("judging", judge, past_costs_of_judging(_newest(rows)), conversations, "other evaluator configs")


def _played(agent: str, kind: Kind) -> tuple[PastCosts, bool]:
    """The past costs of playing, and whether they come from other agents only."""
    rows = TestRun.objects.filter(kind=kind).order_by("-id")
    own = past_costs_of_playing(_newest(rows.filter(agent__name=agent)))
    return (own, False) if own.conversations else (past_costs_of_playing(_newest(rows)), True)


def _newest(rows: QuerySet[Any]) -> list[uuid.UUID]:
    return list(rows.values_list("pk", flat=True)[:NEWEST])


def _part(part: str, role: RoleModel, past: PastCosts, conversations: int, elsewhere: str) -> PartForecast:
    free = role.provider == "offline"
    label = f"{role.provider}/{role.model}"
    try:
        spec = model_spec(role.provider, role.model, role.options)
    except RatibaError as error:
        return PartForecast(part=part, model=label, usd=None, why=error.message)
    label = f"{spec.label}/{spec.model}"
    if not free and not past.mean_usd and call_cost(spec, Usage(input_tokens=10**6, output_tokens=10**6)) == 0:
        return PartForecast(part=part, model=label, usd=0.0, low=0.0, high=0.0, why="its price is declared as 0")
    usage = Usage(input_tokens=round(past.input_tokens), output_tokens=round(past.output_tokens))
    return forecast_part(
        part, label, past, conversations=conversations, free=free, repriced=call_cost(spec, usage), elsewhere=elsewhere
    )

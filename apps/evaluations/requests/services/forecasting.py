"""Forecast the cost of a run or an evaluation before it is started."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from apps.budgets.domain.forecast import CostForecast
from apps.catalog.configs.queries.versions import resolve_config
from apps.evaluations.requests.domain.run_time import RunTime
from apps.evaluations.requests.queries.cost_forecast import run_forecast
from apps.evaluations.requests.queries.run_pace import run_time
from apps.runs.domain.states import Kind
from apps.runs.models import Conversation
from apps.runs.playing.queries.progress import find_run, left_out_of
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config


@dataclass(frozen=True, slots=True, kw_only=True)
class RunForecast:
    """The cost of a run and its time, the scenarios that would not play, and the tenant's limit from which somebody
    confirms."""

    cost: CostForecast
    time: RunTime
    left_out: list[dict[str, str]]
    limit: float | None

    @property
    def asks(self) -> bool:
        """Tell whether somebody should confirm it. A cost that is not known may be above any limit."""
        return self.cost.above(self.limit)

    def as_json(self) -> dict[str, Any]:
        """The forecast as JSON, for commands and the API."""
        return {
            **self.cost.as_json(),
            "minutes": self.time.known_minutes,
            "left_out": self.left_out,
            "confirm_above_usd": self.limit,
            "confirm": self.asks,
        }


def forecast_of_run(*, run_id: uuid.UUID, config: str) -> RunForecast:
    """Forecast a planned run that has not begun, judged with a config.

    It was planned in this transaction. With the config "" nothing is judged. At most nineteen queries, no model call.
    """
    run = find_run(run_id)
    agent, count = run.frozen_plan.agent_name, Conversation.objects.filter(run_id=run_id).count()
    cost = run_forecast(kind=run.frozen_plan.kind, agent=agent, config=config, conversations=count)
    time = run_time(kind=Kind(run.frozen_plan.kind), agent=agent, conversations=count)
    limit = workflow_config(current_slug()).confirm_run_usd
    return RunForecast(cost=cost, time=time, left_out=left_out_of(run_id), limit=limit)


def forecast_of_start(*, start: Callable[[], uuid.UUID], config: str) -> RunForecast:
    """Forecast the run that `start` would plan, by planning it and taking it back.

    A run that `start` refuses is refused here, and its left-out cases are left out. Nothing is stored. Raises NotFound
    for a config that is not there. Costs what `start` costs, and forecast_of_run.
    """
    if config:
        resolve_config(config)
    with transaction.atomic():
        forecast = forecast_of_run(run_id=start(), config=config)
        transaction.set_rollback(True)
    return forecast

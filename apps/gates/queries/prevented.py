"""What came from real customers and gates kept from coming back."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.catalog.domain.states import ScenarioStatus
from apps.catalog.models import Scenario
from apps.gates.models import PreventedFailure

SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PreventedLine:
    """One time that a gate stopped it."""

    scenario: str
    gate: uuid.UUID
    agent: str
    commit: str
    pull_request: str
    why: str
    at: datetime


def prevented_count(*, since: datetime | None = None) -> int:
    """How often gates stopped a released scenario of production from failing again: once a gate and scenario. One
    query."""
    rows = PreventedFailure.objects.all()
    return rows.filter(created_at__gte=since).count() if since else rows.count()


def prevented_counts(scenarios: Iterable[uuid.UUID]) -> Mapping[uuid.UUID, int]:
    """The same of each scenario, 0 where it never was. One query."""
    rows = PreventedFailure.objects.filter(scenario__in=list(scenarios))
    return Counter(rows.values_list("scenario_id", flat=True))


def prevented_lines(*, scenario: uuid.UUID | None = None) -> list[PreventedLine]:
    """The newest times, of one scenario or of all. One query."""
    rows = PreventedFailure.objects.select_related("gate").order_by("-id")
    wanted = ("slug", "why", "created_at", "gate__agent", "gate__commit", "gate__pull_request")
    chosen = rows if scenario is None else rows.filter(scenario=scenario)
    return [
        PreventedLine(
            scenario=row.slug, gate=row.gate_id, agent=row.gate.agent, commit=row.gate.commit,
            pull_request=row.gate.pull_request, why=row.why, at=row.created_at,
        )
        for row in chosen.only(*wanted)[:SHOWN]
    ]  # fmt: skip


def without_archived(scenarios: Sequence[str]) -> list[str]:
    """Those that no person took out of use. No query where there are none."""
    if not scenarios:
        return []
    archived = Scenario.objects.filter(slug__in=scenarios, status=ScenarioStatus.ARCHIVED)
    gone = set(archived.values_list("slug", flat=True))
    return [name for name in scenarios if name not in gone]

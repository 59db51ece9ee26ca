"""What came from real customers and gates kept from coming back."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from apps.catalog.domain.states import ScenarioStatus
from apps.catalog.models import Scenario
from apps.gates.models import PreventedFailure

SHOWN = 20


def prevented_count(*, since: datetime | None = None) -> int:
    """How often gates stopped a released scenario of production from failing again: once a gate and scenario. One
    query."""
    rows = PreventedFailure.objects.all()
    return rows.filter(created_at__gte=since).count() if since else rows.count()


def prevented_counts(scenarios: Iterable[uuid.UUID]) -> Mapping[uuid.UUID, int]:
    """The same of each scenario, 0 where it never was. One query."""
    rows = PreventedFailure.objects.filter(scenario__in=list(scenarios))
    return Counter(rows.values_list("scenario_id", flat=True))


def without_archived(scenarios: Sequence[str]) -> list[str]:
    """Those that no person took out of use. No query where there are none."""
    if not scenarios:
        return []
    archived = Scenario.objects.filter(slug__in=scenarios, status=ScenarioStatus.ARCHIVED)
    gone = set(archived.values_list("slug", flat=True))
    return [name for name in scenarios if name not in gone]

"""Real customers' failures that gates kept from coming back."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, OuterRef, QuerySet, Subquery, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce, NullIf

from apps.catalog.domain.states import ScenarioStatus
from apps.catalog.models import PromptVersion, Scenario
from apps.gates.models import PreventedFailure

SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PreventedCount:
    """Count of regressions caught.

    `failures` are pairs of a released scenario and a change that would have brought its failure back. `gates` are the
    gates that said so; the same change may have been asked several times.
    """

    failures: int
    gates: int


# A change is a pull request; where none is named, the text of the prompt that was played, else the commit. The same one
# asked again, with another margin or over more conversations, is the same change.
_PROMPT = PromptVersion.objects.filter(version=OuterRef("prompt_version")).values("digest")
_CHANGE = Coalesce(NullIf(F("gate__pull_request"), Value("")), Subquery(_PROMPT), F("gate__commit"))


def _rows() -> QuerySet[Any, Any]:
    """The rows with the `change` of each."""
    version = KeyTextTransform("prompt_version", "gate__candidate__run__subject")
    rows: QuerySet[Any, Any] = PreventedFailure.objects.alias(prompt_version=version).annotate(change=_CHANGE)
    return rows


def prevented_count(*, since: datetime | None = None) -> PreventedCount:
    """Count the failures of real customers that gates kept from coming back. One query."""
    rows = list((_rows().filter(created_at__gte=since) if since else _rows()).values_list("slug", "change", "gate_id"))
    return PreventedCount(
        failures=len({(slug, change) for slug, change, _ in rows}), gates=len({gate for *_, gate in rows})
    )


def prevented_counts(scenarios: Iterable[uuid.UUID]) -> Mapping[uuid.UUID, int]:
    """Count by scenario the changes in which its failure was stopped; 0 where it never was. One query."""
    rows = _rows().filter(scenario__in=list(scenarios)).values_list("scenario_id", "change").distinct()
    return Counter(scenario for scenario, _ in rows)


def without_archived(scenarios: Sequence[str]) -> list[str]:
    """Return the scenarios that no person archived. No query where there are none."""
    if not scenarios:
        return []
    archived = Scenario.objects.filter(slug__in=scenarios, status=ScenarioStatus.ARCHIVED)
    gone = set(archived.values_list("slug", flat=True))
    return [name for name in scenarios if name not in gone]

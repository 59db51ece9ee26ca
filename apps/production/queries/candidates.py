"""The inbox: conversations that wait for a person before they become tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from apps.catalog.domain.states import ScenarioStatus
from apps.production.models import Promotion

LISTED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateInbox:
    """`waiting` are candidates, the clearest of each family first with how many are like it; `decided` are the newest
    that somebody released or archived."""

    waiting: Sequence[tuple[Promotion, int]]
    decided: Sequence[Promotion]
    blocked: int
    undecided: int


def candidate_inbox() -> CandidateInbox:
    """LISTED at most of each. Two queries."""
    rows = Promotion.objects.select_related("scenario").order_by("-id")
    candidates = list(rows.filter(scenario__status=ScenarioStatus.CANDIDATE)[:LISTED])
    families: dict[str, list[Promotion]] = {}
    for row in candidates:
        families.setdefault(row.scenario.family_name, []).append(row)
    waiting = [(row, len(alike) - 1) for alike in families.values() for row in alike]
    decided = rows.exclude(scenario__status=ScenarioStatus.CANDIDATE)[:20]
    return CandidateInbox(
        waiting=waiting,
        decided=list(decided),
        blocked=sum(row.blocked for row in candidates),
        undecided=sum(not row.scenario.must_not and not row.scenario.assertions for row in candidates),
    )


def promotion_of_scenario(scenario_id: UUID) -> Promotion | None:
    """Of which conversation a scenario was made; None for one that a person or a file wrote. One query."""
    row: Promotion | None = Promotion.objects.filter(scenario_id=scenario_id).first()
    return row


def waiting_candidates() -> int:
    """How many wait for a person. One query."""
    return Promotion.objects.filter(scenario__status=ScenarioStatus.CANDIDATE).count()

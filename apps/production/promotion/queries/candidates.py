"""The inbox: conversations that wait for a person before they become tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.catalog.domain.states import ScenarioStatus
from apps.production.conversations.models import Promotion

LISTED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateGroup:
    """Candidates whose customers asked for the same in nearly the same words. `first` stands for them: it may be
    released soonest; `others` are the rest, the newest first."""

    first: Promotion
    others: Sequence[Promotion]

    @property
    def count(self) -> int:
        return 1 + len(self.others)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateInbox:
    """The candidates that wait, and those that were decided.

    `groups` are of candidates, by family; what went surprisingly well is in groups of its own. `waiting` is how many
    candidates they hold, `older` how many more wait and are not listed. `decided` are the newest that somebody released
    or archived.
    """

    groups: Sequence[CandidateGroup]
    decided: Sequence[Promotion]
    blocked: int
    undecided: int
    older: int = 0

    @property
    def waiting(self) -> int:
        return sum(group.count for group in self.groups)


def candidate_inbox() -> CandidateInbox:
    """LISTED candidates at most, the newest; three queries where there are so many, else two."""
    rows = Promotion.objects.select_related("scenario").order_by("-id")
    candidates = list(rows.filter(scenario__status=ScenarioStatus.CANDIDATE)[:LISTED])
    families: dict[tuple[str, bool], list[Promotion]] = {}
    for row in candidates:
        families.setdefault((row.scenario.family_name, row.keeps_good), []).append(row)
    decided = rows.exclude(scenario__status=ScenarioStatus.CANDIDATE)[:20]
    return CandidateInbox(
        groups=[_group(alike) for alike in families.values()],
        decided=list(decided),
        blocked=sum(row.blocked for row in candidates),
        undecided=sum(not row.scenario.must_not and not row.scenario.assertions for row in candidates),
        older=waiting_candidates() - len(candidates) if len(candidates) == LISTED else 0,
    )


def waiting_alike(row: Promotion) -> list[Promotion]:
    """The other candidates of its group, the newest first; LISTED at most. One query."""
    family = row.scenario.family_name
    same = Promotion.objects.filter(Q(scenario__family=family) | Q(scenario__slug=family, scenario__family=""))
    waiting = same.filter(scenario__status=ScenarioStatus.CANDIDATE).exclude(pk=row.pk).select_related("scenario")
    return [one for one in waiting.order_by("-id")[:LISTED] if one.keeps_good == row.keeps_good]


def _group(alike: Sequence[Promotion]) -> CandidateGroup:
    first = min(alike, key=lambda row: (row.blocked, not row.scenario.must_not and not row.scenario.assertions))
    return CandidateGroup(first=first, others=[row for row in alike if row is not first])


def promotion_of_scenario(scenario_id: UUID) -> Promotion | None:
    """Return the promotion that made this scenario of a conversation. One query.

    None for a scenario that a person or a file wrote.
    """
    row: Promotion | None = Promotion.objects.filter(scenario_id=scenario_id).first()
    return row


def candidates_waiting() -> QuerySet[Promotion]:
    """Return the candidates that wait for a person. No query yet."""
    return Promotion.objects.filter(scenario__status=ScenarioStatus.CANDIDATE)


def waiting_candidates() -> int:
    """Count the candidates that wait for a person. One query."""
    return candidates_waiting().count()

"""The assertions of an agent's earlier gates, and the agent's scores then."""

from collections import Counter
from datetime import datetime, timedelta

from django.db.models import Q

from apps.gates.domain.asserting_less import KEPT_DAYS, HeldAssertions
from apps.gates.domain.drifting import KeptScores
from apps.gates.domain.gate_states import GateKind, GateStatus
from apps.gates.domain.judging_changes import ChangeKind
from apps.gates.models import GateAcceptance, PullRequestGate

MOST = 300  # gates, the newest


def held_assertions(*, agent: str, now: datetime) -> HeldAssertions:
    """Return what blocking gates of the last 90 days asserted, since a person last accepted less. Two queries.

    It also says how many gates were decided before their assertions were kept.
    """
    fewer = [
        Q(changes__contains=[{"kind": ChangeKind.ASSERTS_LESS.value}]),
        Q(changes__contains=[{"kind": ChangeKind.SCENARIO_REMOVED.value}]),
        Q(changes__contains=[{"kind": ChangeKind.SCENARIO.value, "less": True}]),
    ]
    since = _remembered_since(fewer[0] | fewer[1] | fewer[2], agent=agent, now=now)
    rows = PullRequestGate.objects.filter(
        agent=agent,
        kind=GateKind.BLOCKING,
        status=GateStatus.DECIDED,
        decided_at__gt=since,
        document__asserted__isnull=False,
    )
    most, every = Counter[str](), dict[str, frozenset[str]]()
    stored = rows.order_by("-decided_at").values_list("document__asserted", "document__assertions")
    for asserted, assertions in stored[:MOST]:
        most |= Counter({str(case): int(n) for case, n in asserted.items()})
        for case, digests in (assertions or {}).items():
            every[case] = every.get(case, frozenset()).union(digests)
    return HeldAssertions(most=most, every=every)


def oldest_scores(*, agent: str, judge: str, now: datetime) -> KeptScores | None:
    """Return the baseline scores of the oldest gate by this judge in the last 90 days. Two queries.

    Gates from before a person last accepted lower scores do not count. None where there is no gate.
    """
    since = _remembered_since(Q(changes__contains=[{"kind": ChangeKind.DRIFTED.value}]), agent=agent, now=now)
    rows = PullRequestGate.objects.filter(
        agent=agent, status=GateStatus.DECIDED, decided_at__gt=since, document__baseline_scores__judge=judge
    )
    row = rows.order_by("decided_at").values("base_commit", "decided_at", "document__baseline_scores").first()
    if row is None:
        return None
    cases = {str(case): float(score) for case, score in row["document__baseline_scores"]["cases"].items()}
    return KeptScores(judge=judge, commit=row["base_commit"], days=(now - (row["decided_at"] or now)).days, cases=cases)


def _remembered_since(accepted: Q, *, agent: str, now: datetime) -> datetime:
    """The last time that a person accepted such a change, at most 90 days ago. One query."""
    last = GateAcceptance.objects.filter(accepted, agent=agent).order_by("-created_at")
    return max([now - timedelta(days=KEPT_DAYS), *last.values_list("created_at", flat=True)[:1]])

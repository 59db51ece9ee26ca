"""The content of the pages of changed golden conversations."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from apps.dashboard.domain.sentences import Headline
from apps.gates.domain.snapshot_divergence import turn_pairs
from apps.gates.domain.snapshot_states import SnapshotStatus
from apps.gates.models import SnapshotReview
from apps.gates.queries.snapshot_reviews import find_snapshot_review, waiting_snapshots
from apps.reports.comparisons.domain.alignment import FoldedRows, folded

LISTED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotListPage:
    """The list of snapshots: those that wait first, then the newest; LISTED at most."""

    headline: Headline
    rows: Sequence[SnapshotReview]


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotPage:
    """One conversation beside the accepted one. `next` is another that waits, or None."""

    headline: Headline
    row: SnapshotReview
    rows: Sequence[FoldedRows]
    next: uuid.UUID | None


def snapshot_list_page() -> SnapshotListPage:
    """Return the content of the list of snapshots. Three queries, however many there are."""
    waiting = waiting_snapshots()
    if waiting:
        text = f"{waiting} changed {'conversation waits' if waiting == 1 else 'conversations wait'} for a person."
    else:
        text = "No changed conversation waits for a person."
    first = list(SnapshotReview.objects.filter(status=SnapshotStatus.PENDING).order_by("id")[:LISTED])
    rest = SnapshotReview.objects.exclude(status=SnapshotStatus.PENDING).order_by("-id")[: LISTED - len(first)]
    return SnapshotListPage(headline=Headline(text=text), rows=[*first, *rest])


def snapshot_page(review_id: uuid.UUID) -> SnapshotPage:
    """Return the content of a snapshot's page. Two queries. Raises NotFound."""
    row = find_snapshot_review(review_id)
    following = SnapshotReview.objects.filter(status=SnapshotStatus.PENDING).exclude(pk=row.pk).order_by("id")
    return SnapshotPage(
        headline=Headline(text=f"{row.scenario}: {row.divergence.get('sentence', '')}"),
        row=row,
        rows=folded(turn_pairs(row.accepted or [], row.played)),
        next=following.values_list("pk", flat=True).first(),
    )

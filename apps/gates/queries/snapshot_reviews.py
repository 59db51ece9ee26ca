"""Snapshot reviews as every door shows them."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from apps.core.documents import Document, Id, Moment, StoredAs, members, one_of
from apps.core.errors import NotFound
from apps.core.shapes import described
from apps.core.timestamps import format_timestamp
from apps.gates.domain.snapshot_states import SnapshotStatus
from apps.gates.models import SnapshotReview


class SnapshotDivergence(Document):
    turn: int | None
    kind: str
    sentence: str


class SnapshotLine(Document, component="SnapshotLine"):
    id: Id
    status: Annotated[str, one_of(SnapshotStatus)]
    scenario: str
    file: str
    language: str
    agent: str
    commit: str
    pull_request: str
    base_digest: Annotated[str, described("Of the accepted file; empty for a new conversation.")]
    digest: str
    divergence: Annotated[Mapping[str, Any], StoredAs(SnapshotDivergence)]
    reviewed_by: Annotated[str, described("The person who answered; no key can.")]
    reviewed_at: Moment | None
    note: str
    created_at: Moment
    url: str


class Snapshot(SnapshotLine, component="Snapshot"):
    accepted: Sequence[Mapping[str, Any]] | None
    played: Sequence[Mapping[str, Any]]


def find_snapshot_review(review_id: uuid.UUID | str) -> SnapshotReview:
    """The row. Raises NotFound. One query."""
    try:
        return SnapshotReview.objects.get(pk=uuid.UUID(str(review_id)))
    except (ValueError, SnapshotReview.DoesNotExist):
        raise NotFound(f"There is no snapshot review {review_id}.") from None


def waiting_snapshots() -> int:
    """Count the snapshots that wait for a person. One query."""
    return SnapshotReview.objects.filter(status=SnapshotStatus.PENDING).count()


def snapshot_line(row: SnapshotReview, *, base: str) -> SnapshotLine:
    """A review in a list. `base` is where pages begin. No query."""
    return SnapshotLine(
        id=str(row.pk),
        status=row.status,
        scenario=row.scenario,
        file=row.file,
        language=row.language,
        agent=row.agent,
        commit=row.commit,
        pull_request=row.pull_request,
        base_digest=row.base_digest,
        digest=row.digest,
        divergence=row.divergence,
        reviewed_by=row.reviewed_by,
        reviewed_at=format_timestamp(row.reviewed_at) if row.reviewed_at else None,
        note=row.note,
        created_at=format_timestamp(row.created_at),
        url=f"{base}snapshots/{row.pk}/",
    )


def snapshot_document(row: SnapshotReview, *, base: str) -> Snapshot:
    """A review with both conversations. No query."""
    return Snapshot(**members(snapshot_line(row, base=base)), accepted=row.accepted, played=row.played)

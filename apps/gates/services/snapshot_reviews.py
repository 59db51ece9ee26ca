"""Changed golden conversations: posted by machines, answered by people."""

import uuid
from datetime import datetime

from django.db import transaction

from apps.core.conversation import ConversationDocument
from apps.core.document_masking import mask_document
from apps.core.document_parsing import document_as_json
from apps.core.errors import BadInput, Conflict
from apps.gates.domain.posted_snapshot import PostedSnapshot
from apps.gates.domain.snapshot_divergence import divergence_of, turn_pairs
from apps.gates.domain.snapshot_states import ANSWERED, SnapshotAnswer, SnapshotStatus
from apps.gates.models import SnapshotReview
from apps.gates.queries.snapshot_reviews import find_snapshot_review

NOTE_CHARS = 2000


def post_snapshot(posted: PostedSnapshot) -> uuid.UUID:
    """Store a changed conversation for review, masked; return the id of its row.
    The same file with the same two digests is the same row; older pending rows of the file are superseded. Raises
    BadInput, and Conflict where the digest was posted with other turns: a reviewer must see what the file holds."""
    if (posted.accepted is None) != (posted.base_digest == ""):
        message = "accepted and base_digest belong together: both, or neither for a new conversation."
        raise BadInput(message, code="base_without_conversation", pointer="/base_digest")
    accepted = _turns(posted.accepted) if posted.accepted else None
    played = _turns(posted.played)
    pairs = turn_pairs(accepted or [], played)
    with transaction.atomic():
        row, made = SnapshotReview.objects.get_or_create(
            scenario=posted.scenario,
            file=posted.file,
            base_digest=posted.base_digest,
            digest=posted.digest,
            defaults={
                "language": posted.played.language or "",
                "agent": posted.agent,
                "commit": posted.commit,
                "pull_request": posted.pull_request,
                "accepted": accepted,
                "played": played,
                "divergence": divergence_of(pairs, new=accepted is None),
            },
        )
        if not made and row.played != played:
            message = "This digest was posted with other turns: make it of the file that is shown, or post that file."
            raise Conflict(message, code="other_conversation")
        waiting = SnapshotReview.objects.filter(
            scenario=posted.scenario, file=posted.file, status=SnapshotStatus.PENDING, created_at__lt=row.created_at
        )
        waiting.update(status=SnapshotStatus.SUPERSEDED)
        if not made and row.status == SnapshotStatus.SUPERSEDED:
            SnapshotReview.objects.filter(pk=row.pk, status=SnapshotStatus.SUPERSEDED).update(
                status=SnapshotStatus.PENDING
            )
    return uuid.UUID(str(row.pk))


def answer_snapshot(
    review_id: uuid.UUID | str, answer: SnapshotAnswer, *, by: str, now: datetime, note: str = ""
) -> SnapshotReview:
    """A person's answer, once. Raises NotFound, Conflict where it no longer waits, BadInput for a note that is too long
    or without a person. Two queries."""
    if not by:
        raise BadInput("A snapshot is accepted or refused by a person.", code="person_required")
    if len(note) > NOTE_CHARS:
        raise BadInput(f"A note has {NOTE_CHARS} characters at most.", code="too_long", pointer="/note")
    row = find_snapshot_review(review_id)
    changed = SnapshotReview.objects.filter(pk=row.pk, status=SnapshotStatus.PENDING).update(
        status=ANSWERED[answer], reviewed_by=by[:150], reviewed_at=now, note=note
    )
    if not changed:
        raise Conflict(f"It does not wait any more: {find_snapshot_review(review_id).status}.", code="not_pending")
    return find_snapshot_review(review_id)


def _turns(document: ConversationDocument) -> list[dict[str, object]]:
    turns: list[dict[str, object]] = document_as_json(mask_document(document))["turns"]
    return turns

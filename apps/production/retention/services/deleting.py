"""Delete real customers' words when their time is over: turns, comments, quotes, and by what a person is found
again."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial, reduce
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from apps.calibration.services.word_deletion import delete_remark_words
from apps.checks.services.word_deletion import delete_result_words
from apps.core.events import EventType, log_event
from apps.evaluations.judging.services.word_deletion import delete_judgement_words
from apps.jobs.each_row import do_each, tell_failed
from apps.production.conversations.models import Feedback, ProductionConversation, Promotion
from apps.production.intake.services.settling import settle_due
from apps.production.retention.services.scrubbing import scrub_promotion
from apps.production.whatsapp.models import FeedbackQuestion, PendingComment
from apps.runs.models import Turn
from apps.runs.signals import words_deleted

AT_ONCE = 200  # conversations of one transaction

# What stays says how many there were, when, in which language and channel, of which prompt, and how they were rated.
_CONVERSATIONS = """
UPDATE runs_conversation SET external_id = 'deleted ' || id, domain = '', source = '', extra = '{}', session = '{}'
WHERE id = ANY(%s)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """The conversations that were deleted, or would be; `promoted` of the conversations are tests, whose masked
    scenario stays. `oldest` is until when the first of them was to be kept; `more`: others are due; `failed` could not
    be deleted."""

    conversations: int = 0
    turns: int = 0
    feedback: int = 0
    promoted: int = 0
    oldest: datetime | None = None
    more: bool = False
    failed: frozenset[UUID] = frozenset()

    def as_json(self) -> dict[str, Any]:
        return {
            "conversations": self.conversations,
            "turns": self.turns,
            "feedback": self.feedback,
            "promoted": self.promoted,
            "oldest": self.oldest.isoformat() if self.oldest else None,
        }


def delete_expired(*, now: datetime, limit: int = AT_ONCE, besides: Collection[UUID] = ()) -> Deletion:
    """Delete the words of conversations whose `keep_until` has passed, the oldest first, `besides` these.

    Those nobody settled are settled first. Their rows stay, without anything of a person: counts, scores, ratings, and
    the digest of their id, so that nothing deleted is taken in again. One that cannot be deleted is told in the log,
    and ends none of the others. One transaction, some 15 statements and two for each that was promoted. Safe to repeat
    and to race.
    """
    unsettled = settle_due(now=now).more
    due = _expired(now).exclude(conversation_id__in=besides).values_list("conversation_id", flat=True)
    ids = list(due[: limit + 1])
    done = do_each(ids[:limit], partial(_delete_locked, now))
    tell_failed(EventType.CONVERSATION_NOT_DELETED, done.errors)
    deletion = reduce(_joined, done.results, Deletion())
    if deletion.conversations:
        log_event(
            EventType.CONVERSATIONS_DELETED,
            conversations=deletion.conversations,
            turns=deletion.turns,
            feedback=deletion.feedback,
        )
    return replace(deletion, more=unsettled or len(ids) > limit, failed=frozenset(done.errors))


def delete_all_expired(*, now: datetime, seconds: Callable[[], float] = lambda: 1.0) -> Deletion:
    """All that is due, batch by batch, at least one and more while there are `seconds` left. Safe to repeat or race."""
    whole = Deletion(more=True)
    while whole.more:
        one = delete_expired(now=now, besides=whole.failed)
        whole = replace(_joined(whole, one), more=one.more)
        if seconds() <= 0:
            break
    return whole


def expired(*, now: datetime) -> Deletion:
    """Count what `delete_all_expired` would delete; nothing is changed. Four queries, and memory for a row each."""
    return _counted(list(ProductionConversation.objects.filter(keep_until__lte=now, deleted_at__isnull=True)))


def _delete_locked(now: datetime, ids: Collection[UUID]) -> Deletion:
    with transaction.atomic():
        rows = list(_expired(now).filter(conversation_id__in=ids).select_for_update(skip_locked=True))
        deletion = _counted(rows)
        if rows:
            _delete([row.conversation_id for row in rows], now)
    return deletion


def _expired(now: datetime) -> Any:
    rows = ProductionConversation.objects.filter(keep_until__lte=now, deleted_at__isnull=True)
    return rows.filter(settled_at__isnull=False).order_by("keep_until", "pk")


def _counted(rows: Sequence[ProductionConversation]) -> Deletion:
    ids = [row.conversation_id for row in rows]
    return Deletion(
        conversations=len(ids),
        turns=Turn.objects.filter(conversation_id__in=ids).count(),
        feedback=Feedback.objects.filter(conversation_id__in=ids).count(),
        promoted=Promotion.objects.filter(conversation_id__in=ids).count(),
        oldest=min((row.keep_until for row in rows), default=None),
    )


def _delete(ids: list[UUID], now: datetime) -> None:
    for promotion in Promotion.objects.filter(conversation_id__in=ids).select_related("scenario"):
        scrub_promotion(promotion)
    delete_judgement_words(conversation_ids=ids)
    delete_result_words(conversation_ids=ids)
    delete_remark_words(conversation_ids=ids)
    words_deleted.send(sender=None, conversation_ids=ids)
    Turn.objects.filter(conversation_id__in=ids).delete()
    Feedback.objects.filter(conversation_id__in=ids).update(comment="", external_id="")
    PendingComment.objects.filter(conversation_id__in=ids).delete()
    FeedbackQuestion.objects.filter(conversation_id__in=ids).update(recipient="", person_digests=[], message_digest="")
    with connection.cursor() as cursor:
        cursor.execute(_CONVERSATIONS, [ids])
    ProductionConversation.objects.filter(conversation_id__in=ids).update(
        external_id="",
        document_digest="",
        turn_digests=[],
        name_digests=[],
        person_digests={},
        customer_ref_hmac="",
        people="",
        deleted_at=now,
    )


def _joined(deletion: Deletion, other: Deletion) -> Deletion:
    moments = [each.oldest for each in (deletion, other) if each.oldest is not None]
    return Deletion(
        conversations=deletion.conversations + other.conversations,
        turns=deletion.turns + other.turns,
        feedback=deletion.feedback + other.feedback,
        promoted=deletion.promoted + other.promoted,
        oldest=min(moments, default=None),
        failed=deletion.failed | other.failed,
    )

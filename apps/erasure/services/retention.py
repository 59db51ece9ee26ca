"""The words of imported and played conversations go when the tenant's time for their kind is over."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.db import transaction

from apps.audit.eraser import install_eraser
from apps.core.events import EventType, log_event
from apps.erasure.domain.keeping import emptied_of, kept_since
from apps.erasure.domain.receipt import Receipt
from apps.erasure.models import RetentionRound, WordDeletion
from apps.erasure.queries.expired_words import due_conversations
from apps.erasure.services import references
from apps.erasure.services.erasing import vacuum
from apps.jobs.each_row import do_each, tell_failed
from apps.production.models import Promotion
from apps.production.retention.services.scrubbing import scrub_promotion
from apps.runs.domain.states import Kind
from apps.runs.models import Conversation
from apps.runs.signals import words_deleted
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

AT_ONCE = 200  # conversations of one transaction
# What quotes conversations by itself. What a person made of them stays: golden sessions, scenarios, drafts, criteria.
QUOTING = ("improvement_analysis", "improvement_fixproposal", "gates_")
EVERY = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindDeletion:
    """Count of conversations that lost their words, and of rows of theirs, elsewhere too.

    `failed` could not lose them, `more`: others are due.
    """

    conversations: int = 0
    rows: int = 0
    more: bool = False
    failed: frozenset[UUID] = frozenset()


def delete_due_words(*, now: datetime, limit: int = AT_ONCE, besides: Collection[UUID] = ()) -> KindDeletion:
    """Delete the words of conversations that are due, the oldest first and `besides` these.

    Turns, quotes, reasons, notes and raw replies are emptied, and what findings and reports quote of them. Scores,
    states, times and counts stay, and what became a scenario or a golden session. One that cannot be emptied is told in
    the log, and ends none of the others.

    One transaction, then its tables are vacuumed; reads every table that may quote them once. Safe to repeat and to
    race: who comes second waits for the first one's rows and finds nothing.
    """
    due = due_conversations(now=now, limit=limit + 1, besides=besides)
    if not due:
        return KindDeletion()
    install_eraser()
    done = do_each([id for id, _ in due[:limit]], partial(_delete_words, dict(due), now))
    tell_failed(EventType.CONVERSATION_NOT_DELETED, done.errors)
    conversations, rows = sum(n for n, _ in done.results), 0
    for _, receipt in done.results:
        vacuum(receipt)
        rows += sum(receipt.rows.values()) + sum(receipt.quotes.values()) + receipt.cache_entries
    if conversations:
        log_event(EventType.WORDS_DELETED, conversations=conversations, rows=rows)
    return KindDeletion(conversations=conversations, rows=rows, more=len(due) > limit, failed=frozenset(done.errors))


def _delete_words(kinds: Mapping[UUID, Kind], now: datetime, ids: Collection[UUID]) -> tuple[int, Receipt]:
    """Delete the words of these conversations; return how many lost them, and the receipt."""
    receipt = Receipt()
    with transaction.atomic():
        locked = Conversation.objects.select_for_update(of=("self",)).filter(pk__in=ids, word_deletion=None)
        mine = list(locked.order_by("pk").values_list("pk", flat=True))
        if not mine:  # another worker had them
            return 0, receipt
        for promotion in Promotion.objects.filter(conversation_id__in=mine).select_related("scenario"):
            scrub_promotion(promotion)
        quoted = references.quoted_conversations(mine, gone=(Kind.IMPORTED,))
        references.empty_documents(quoted, receipt, write=True, only=QUOTING)
        references.forget_answers(mine, (), receipt, write=True)
        for kind in sorted({kinds[one] for one in mine}):
            some = [one for one in mine if kinds[one] is kind]
            references.empty_rows(some, receipt, write=True, by_reference=emptied_of(kind))
        words_deleted.send(sender=None, conversation_ids=mine)
        WordDeletion.objects.bulk_create(WordDeletion(conversation_id=one, deleted_at=now) for one in mine)
    return len(mine), receipt


def delete_all_due_words(*, now: datetime, seconds: Callable[[], float] = lambda: 1.0) -> KindDeletion:
    """All that is due, batch by batch, at least one and more while there are `seconds` left. Safe to repeat or race."""
    whole = KindDeletion(more=True)
    while whole.more:
        words = delete_due_words(now=now, besides=whole.failed)
        whole = KindDeletion(
            conversations=whole.conversations + words.conversations,
            rows=whole.rows + words.rows,
            more=words.more,
            failed=whole.failed | words.failed,
        )
        if seconds() <= 0:
            break
    return whole


def retain(*, now: datetime, seconds: Callable[[], float] = lambda: 1.0) -> bool:
    """Do the hourly deletion where the tenant keeps something for a time; return whether more is due. Where something
    could not lose its words, it stays due: it is tried again each minute, and the page of health says since when."""
    if not kept_since(workflow_config(current_slug()), now=now):
        RetentionRound.objects.all().delete()
        return False
    row, _ = RetentionRound.objects.get_or_create(pk=1, defaults={"due_at": now})
    if row.due_at > now:
        return False
    done = delete_all_due_words(now=now, seconds=seconds)
    if not done.more and not done.failed:
        RetentionRound.objects.filter(pk=1).update(due_at=now + EVERY)
    return done.more

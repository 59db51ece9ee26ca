"""The words of imported and played conversations go when the tenant's time for their kind is over."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from apps.audit.eraser import install_eraser
from apps.core.events import EventType, log_event
from apps.erasure.domain.keeping import emptied_of, kept_since
from apps.erasure.domain.receipt import Receipt
from apps.erasure.models import RetentionRound, WordDeletion
from apps.erasure.queries.expired_words import due_conversations
from apps.erasure.services import references
from apps.erasure.services.erasing import vacuum
from apps.production.models import Promotion
from apps.production.services.scrubbing import scrub_promotion
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
    """How many conversations lost their words, and how many rows of theirs, elsewhere too."""

    conversations: int = 0
    rows: int = 0
    more: bool = False


def delete_due_words(*, now: datetime, limit: int = AT_ONCE) -> KindDeletion:
    """Empty turns, quotes, reasons, notes and raw replies of those that are due, the oldest first, and what findings
    and reports quote of them. Scores, states, times and counts stay, and what became a scenario or a
    golden session.

    One transaction, then its tables are vacuumed; reads every table that may quote them once. Safe to repeat and to
    race: who comes second waits for the first one's rows and finds nothing.
    """
    due = due_conversations(now=now, limit=limit + 1)
    if not due:
        return KindDeletion()
    install_eraser()
    receipt, kinds = Receipt(), dict(due[:limit])
    with transaction.atomic():
        locked = Conversation.objects.select_for_update(of=("self",)).filter(pk__in=kinds, word_deletion=None)
        mine = list(locked.order_by("pk").values_list("pk", flat=True))
        for promotion in Promotion.objects.filter(conversation_id__in=mine).select_related("scenario"):
            scrub_promotion(promotion)
        references.empty_documents(mine, receipt, write=True, only=QUOTING)
        references.empty_findings(mine, receipt, write=True)
        references.forget_answers(mine, (), receipt, write=True)
        for kind in sorted(set(kinds.values())):
            some = [one for one in mine if kinds[one] is kind]
            references.empty_rows(some, receipt, write=True, by_reference=emptied_of(kind))
        words_deleted.send(sender=None, conversation_ids=mine)
        WordDeletion.objects.bulk_create(WordDeletion(conversation_id=one, deleted_at=now) for one in mine)
    vacuum(receipt)
    rows = sum(receipt.rows.values()) + sum(receipt.quotes.values()) + receipt.cache_entries
    log_event(EventType.WORDS_DELETED, conversations=len(mine), rows=rows)
    return KindDeletion(conversations=len(mine), rows=rows, more=len(due) > limit)


def delete_all_due_words(*, now: datetime) -> KindDeletion:
    """All that is due, batch by batch. Safe to repeat and to race."""
    conversations = rows = 0
    while True:
        one = delete_due_words(now=now)
        conversations, rows = conversations + one.conversations, rows + one.rows
        if not one.more:
            return KindDeletion(conversations=conversations, rows=rows)


def retain(*, now: datetime) -> bool:
    """What a worker does every hour where the tenant keeps something for a time; whether more is due."""
    if not kept_since(workflow_config(current_slug()), now=now):
        RetentionRound.objects.all().delete()
        return False
    row, _ = RetentionRound.objects.get_or_create(pk=1, defaults={"due_at": now})
    if row.due_at > now:
        return False
    more = delete_due_words(now=now).more
    if not more:
        RetentionRound.objects.filter(pk=1).update(due_at=now + EVERY)
    return more

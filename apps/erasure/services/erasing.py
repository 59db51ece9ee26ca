"""Erasing a person: found by digest and by name, emptied in one transaction, counted."""

from datetime import datetime

from django.db import connection, transaction
from django.db.models import Q

from apps.audit.eraser import install_eraser
from apps.catalog.models import Scenario
from apps.core.events import EventType, log_event
from apps.erasure.domain.receipt import Receipt
from apps.erasure.domain.subject import DataSubject
from apps.erasure.domain.terms import terms_of
from apps.erasure.queries.subjects import SubjectConversations, conversations_of
from apps.erasure.services import references
from apps.erasure.services.files import erase_in_files, node_key
from apps.erasure.services.word_search import erase_words
from apps.production.intake.services.conversations import hold_conversation, settle
from apps.production.langfuse.services.requesting_deletion import request_deletions
from apps.production.models import ProductionConversation, Promotion, TraceSpan, WhatsAppContact
from apps.tenants.context import current_schema


def find_subject(*, subject: DataSubject, everywhere: bool) -> Receipt:
    """Find what `erase` would do, with the hits; nothing is changed. Reads every table with people's words once."""
    receipt = Receipt(nodes=[node_key()])
    with transaction.atomic():
        _erase(subject, receipt, now=None)
    erase_in_files(subject, receipt, everywhere=everywhere, write=False)
    return receipt


def erase_subject(*, subject: DataSubject, now: datetime, everywhere: bool) -> Receipt:
    """Erase a person in the tenant's tables, in files of the state folder and in the log. Scores and counts stay.

    The tables in one transaction, files after it; then the tables are vacuumed. `everywhere`: whoever asks answers for
    the machine, so names are searched in files that belong to no tenant too. Safe to repeat: what is gone is not
    found again. Reads every table with people's words once (some seconds for 20,000 conversations).
    """
    install_eraser()
    receipt = Receipt(nodes=[node_key()])
    with transaction.atomic():
        _erase(subject, receipt, now=now)
    erase_in_files(subject, receipt, everywhere=everywhere, write=True)
    vacuum(receipt)
    log_event(
        EventType.SUBJECT_ERASED,
        conversations=receipt.conversations,
        words=sum(receipt.words.values()),
        rows=sum(receipt.rows.values()),
    )
    return receipt


def vacuum(receipt: Receipt) -> None:
    """Vacuum the tables of the receipt, so that no dead row keeps erased words.
    Must run outside a transaction; does nothing inside one (tests)."""
    tables = {place.partition(".")[0] for place in receipt.words} | set(receipt.rows) | set(receipt.quotes)
    if connection.in_atomic_block:
        return
    with connection.cursor() as cursor:
        for table in sorted(tables):
            cursor.execute(f'VACUUM "{current_schema()}"."{table}"')


def _erase(subject: DataSubject, receipt: Receipt, *, now: datetime | None) -> None:
    """Erase for good with `now`; only look without it."""
    conversations = conversations_of(subject)
    receipt.conversations = len(conversations.ids)
    write = now is not None
    if now is not None:
        _close(conversations, now)
        receipt.langfuse += map(
            str, request_deletions(conversations=conversations.ids, now=now) if conversations.ids else ()
        )
    quotes = references.quotes_of(conversations.ids) if conversations.ids else ()
    quoted = references.quoted_conversations(conversations.ids)  # before their own ids lose the person's words
    erase_words(terms_of(subject), receipt, write=write)
    if not conversations.ids:
        return
    references.empty_goldens(conversations.id_digests, receipt, write=write)
    references.empty_documents(quoted, receipt, write=write)
    references.empty_quotes(quotes, receipt, write=write)
    references.forget_answers(conversations.ids, quotes, receipt, write=write)
    references.empty_rows(conversations.ids, receipt, write=write)
    if now is not None:
        scenarios = Promotion.objects.filter(conversation_id__in=conversations.ids).values("scenario_id")
        Scenario.objects.filter(pk__in=scenarios).exclude(status="archived").update(status="archived")
        ProductionConversation.objects.filter(conversation_id__in=conversations.ids).update(deleted_at=now)
        spans = TraceSpan.objects.filter(conversation_digest__in=conversations.id_digests)
        TraceSpan.objects.filter(trace_id__in=spans.values("trace_id"), conversation_digest="").delete()
        spans.delete()
        known = Q(phone_digest__in=conversations.person_digests) | Q(user_digest__in=conversations.person_digests)
        WhatsAppContact.objects.filter(known).delete()


def _close(conversations: SubjectConversations, now: datetime) -> None:
    """Conversations that are still open take no more turns, and names of theirs are gone."""
    for id_digest in sorted(conversations.id_digests):
        hold_conversation(id_digest)
    rows = ProductionConversation.objects.select_related("conversation").filter(conversation_id__in=conversations.ids)
    for row in rows.filter(settled_at__isnull=True):
        settle(row, now=now)

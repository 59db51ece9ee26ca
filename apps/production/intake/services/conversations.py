"""Taking in what real customers said: masked before it is written, once per id."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from django.db import connection, transaction

from apps.catalog.fields import Secret
from apps.core.conversation import ConversationDocument
from apps.core.document_parsing import document_as_json, utterance_as_json
from apps.core.errors import BadInput, Conflict
from apps.core.events import EventType, log_event
from apps.core.redaction import hash_arguments
from apps.production.conversations.models import ProductionConversation
from apps.production.domain.base_masking import masked_conversation
from apps.production.domain.routing import bucket, routed_id
from apps.production.intake.domain.posted_document import LANGFUSE, PostedConversation, read_posted
from apps.production.intake.services.production_runs import agent_of, place_in_run
from apps.production.privacy.domain.people import CustomerPeople, hiding, people_of
from apps.production.privacy.services.pseudonyms import Pseudonyms, pseudonyms
from apps.production.whatsapp.services.questions import ask_customer
from apps.runs.domain.states import ConversationStatus, EndReason, Kind
from apps.runs.models import Conversation, Turn
from apps.runs.services.turns import BATCH, turn_row
from apps.tenants.context import current_slug
from apps.tenants.domain.workflow_config import WorkflowConfig
from apps.tenants.queries import workflow_config

MAX_VERSIONS = 50  # of one conversation
_DELETED = "This conversation was deleted when its time was over: it is not taken in again."


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationIntake:
    """The result of a posted conversation. `conversation_id` is ours; `external_id` the caller's, masked."""

    conversation_id: uuid.UUID
    external_id: str
    run_id: uuid.UUID
    settled: bool
    turns: int
    keep_until: datetime

    def as_json(self) -> dict[str, Any]:
        """The answer: nothing of what was said, and no id in clear that could be somebody's number."""
        return {
            "id": self.external_id,
            "conversation_id": str(self.conversation_id),
            "test_run_id": str(self.run_id),
            "status": "settled" if self.settled else "open",
            "turns": self.turns,
            "keep_until": self.keep_until.isoformat(),
        }


def take_conversation(*, raw: Any, now: datetime, rewritten_by: str = "") -> ConversationIntake:
    """Store a production conversation, masked, in one transaction of about twelve statements.

    Each document holds the whole conversation so far. While the conversation is open, further turns are added, and
    names that a document lists are masked in earlier turns too; a document that drops or rewrites earlier turns is
    refused (`turns_differ`), except from the source `rewritten_by`, which may rewrite them. A settled conversation
    takes no other document (`conversation_settled`), a deleted one none (`conversation_deleted`).

    Safe to repeat and to race: the same document gives the same answer. Raises BadInput for an unreadable document and
    for a reserved source (`reserved_source`), and then stores nothing.
    """
    posted = read_posted(raw)
    if posted.document.source == LANGFUSE != rewritten_by:
        message = f"{LANGFUSE!r} is what is read from a Langfuse: say where this comes from, or leave it out."
        raise BadInput(message, code="reserved_source", pointer="/source")
    with transaction.atomic():
        row = _stored(posted, pseudonyms(), now, rewritten_by)
        turns = row.conversation.turns.last_attempt().count()
    log_event(EventType.REQUEST_TAKEN, run=str(row.conversation.run_id), conversation=str(row.conversation_id))
    return ConversationIntake(
        conversation_id=row.conversation_id,
        external_id=row.external_id,
        run_id=row.conversation.run_id,
        settled=row.settled_at is not None,
        turns=turns,
        keep_until=row.keep_until,
    )


def _stored(posted: PostedConversation, keys: Pseudonyms, now: datetime, rewritten_by: str) -> ProductionConversation:
    """Store a conversation's row, or add this document to it.

    In the caller's transaction, which holds the conversation.
    """
    digests = keys.digests("conversation", posted.document.id)
    for digest in sorted(digests):
        hold_conversation(digest)
    row = ProductionConversation.objects.select_related("conversation").filter(id_digest__in=digests).first()
    if row is None:
        return _create(posted, keys, digests[0], now)
    keys = keys.as_of(row.id_digest, "conversation", posted.document.id)
    if row.deleted_at is not None:
        raise Conflict(_DELETED, code="conversation_deleted")
    if keys.digest("document", _content(posted)) == row.document_digest:
        _settle_again(row, posted, now)
    elif row.settled_at is not None:
        raise Conflict(
            f"Conversation {row.external_id!r} is settled, and this is another document: it takes no more turns. "
            "Post what follows under a new id.",
            code="conversation_settled",
        )
    else:
        _extend(row, posted, keys, now, rewritten_by)
    return row


def hold_conversation(id_digest: str) -> None:
    """Lock a conversation's id until the transaction ends. Nobody else takes in a document of it, or settles it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' production ' || %s, 0))", [id_digest]
        )


def _content(posted: PostedConversation) -> Mapping[str, Any]:
    """The content by which two documents are the same: everything but `ended`, which may come later."""
    own = posted.fields
    routing = own.routing_as_json()
    return {
        "document": document_as_json(posted.document),
        "people": own.customer.as_text(),
        "fields": [own.agent, own.prompt_version, own.channel, own.customer_ref],
        **({"routing": routing} if routing else {}),
    }


def _turn_digests(document: ConversationDocument, keys: Pseudonyms) -> list[str]:
    return [keys.digest("turn", utterance_as_json(turn)) for turn in document.turns]


def _create(posted: PostedConversation, keys: Pseudonyms, id_digest: str, now: datetime) -> ProductionConversation:
    settings = workflow_config(current_slug())
    keep_until = now + timedelta(days=settings.keep_days)
    masked = _mask(posted, posted.fields.customer, keys)
    external_id = _shown_id(posted.document.id, masked.id, id_digest)
    said_at = posted.document.turns[0].ts
    agent_id = agent_of(name=posted.fields.agent, prompt_version=posted.fields.prompt_version)
    run_id, position = place_in_run(agent_id=agent_id, said_at=said_at, now=now)
    conversation = Conversation(
        run_id=run_id,
        position=position,
        external_id=f"{external_id[:180]} {id_digest[:8]}" if len(external_id) > 200 else external_id,
        kind=Kind.PRODUCTION,
        status=ConversationStatus.RUNNING,
        started_at=said_at or now,
        keep_until=keep_until,
    )
    _describe(conversation, masked)
    conversation.save(force_insert=True)
    row = ProductionConversation(
        conversation=conversation, external_id=external_id, id_digest=id_digest, keep_until=keep_until
    )
    _store(row, posted, posted.fields.customer, masked, keys, settings, now)
    row.save(force_insert=True)
    return row


def _extend(
    row: ProductionConversation, posted: PostedConversation, keys: Pseudonyms, now: datetime, rewritten_by: str
) -> None:
    digests = _turn_digests(posted.document, keys)
    earlier = list(row.turn_digests)
    rewritten = bool(rewritten_by) and row.conversation.source == rewritten_by
    if not rewritten and digests[: len(earlier)] != earlier:
        first = next((n for n, (a, b) in enumerate(zip(earlier, digests, strict=False)) if a != b), len(digests))
        raise Conflict(
            f"Turn {first} of conversation {row.external_id!r} is not what was posted before: each document holds the "
            "whole conversation so far, and earlier turns stay as they were.",
            code="turns_differ",
        )
    people = people_of(row.people.reveal()).joined(posted.fields.customer)
    masked = _mask(posted, people, keys)
    row.conversation.turns.last_attempt().delete()
    _describe(row.conversation, masked)
    row.conversation.save(update_fields=["language", "domain", "source", "extra"])
    _store(row, posted, people, masked, keys, workflow_config(current_slug()), now)
    row.save()


def _settle_again(row: ProductionConversation, posted: PostedConversation, now: datetime) -> None:
    """Handle the same document once more: it can only say that the conversation has ended."""
    if posted.fields.ended and row.settled_at is None:
        row.ended = True
        settle(row, now=now)


def _mask(posted: PostedConversation, people: CustomerPeople, keys: Pseudonyms) -> ConversationDocument:
    hide = hiding(people, customer_ref=posted.fields.customer_ref)
    digest = partial(hash_arguments, key=keys.arguments_key)
    return replace(masked_conversation(posted.document, hide, digest), id=hide(posted.document.id))


def _shown_id(plain: str, masked: str, id_digest: str) -> str:
    """The caller's id as it may be shown; where something of it is masked, with a digest so that two stay two."""
    return plain if masked == plain else f"{masked[:240]} {id_digest[:8]}"


def _describe(conversation: Conversation, masked: ConversationDocument) -> None:
    conversation.language = (masked.language or "")[:20]
    conversation.domain = (masked.domain or "")[:100]
    conversation.source = (masked.source or "")[:200]
    # Labels of a conversation can never be changed, and these must go when it is deleted.
    conversation.extra = dict(masked.extra) | ({"labels": dict(masked.labels)} if masked.labels else {})


def _store(
    row: ProductionConversation,
    posted: PostedConversation,
    people: CustomerPeople,
    masked: ConversationDocument,
    keys: Pseudonyms,
    settings: WorkflowConfig,
    now: datetime,
) -> None:
    """Turns now, and everything of `row` that its caller saves."""
    turns = [turn_row(row.conversation_id, place, turn, masked=False) for place, turn in enumerate(masked.turns)]
    Turn.objects.bulk_create(turns, batch_size=BATCH)
    row.document_digest = keys.digest("document", _content(posted))
    row.turn_digests = _turn_digests(posted.document, keys)
    row.name_digests = keys.of_names(people.names)
    row.person_digests = keys.of_people(people)
    row.customer_ref_hmac = keys.of_reference(posted.fields.customer_ref) or row.customer_ref_hmac
    row.people = Secret(people.as_text())
    row.prompt_version = posted.fields.prompt_version or row.prompt_version
    row.trace_id = posted.fields.trace_id or row.trace_id
    row.channel = hiding(people)(posted.fields.channel)[:100] or row.channel
    _store_routing(row, posted)
    row.ended = posted.fields.ended
    row.settle_at = now + timedelta(minutes=settings.settle_minutes)
    if row.ended:
        _close(row, now)


def _store_routing(row: ProductionConversation, posted: PostedConversation) -> None:
    """Store who answered, and the time and cost: a version that a later document names is added to the earlier ones."""
    own = posted.fields
    row.prompt_versions = list(dict.fromkeys([*row.prompt_versions, *own.versions]))[:MAX_VERSIONS]
    row.alias = own.alias or row.alias
    if own.caller:
        row.caller = uuid.UUID(own.caller)
        row.bucket = bucket(own.caller, routed_id(posted.document.id))
    row.cost_usd = row.cost_usd if own.cost_usd is None else Decimal(str(own.cost_usd))
    row.transferred = row.transferred if own.transferred is None else own.transferred


def _close(row: ProductionConversation, now: datetime) -> None:
    last = row.conversation.turns.last_attempt().order_by("-position").values_list("ts", flat=True).first()
    Conversation.objects.advance(
        row.conversation_id,
        expected=ConversationStatus.RUNNING,
        to=ConversationStatus.ENDED,
        end_reason=EndReason.IMPORTED,
        ended_at=last or now,
    )
    ask_customer(row, people_of(row.people.reveal()), now=now)
    row.settled_at, row.people, row.turn_digests = now, Secret(""), []


def settle(row: ProductionConversation, *, now: datetime) -> None:
    """Settle a conversation: it takes no more turns, and the names that masked it are deleted.

    In the caller's transaction, which holds the row.
    """
    _close(row, now)
    row.save(update_fields=["settled_at", "people", "turn_digests", "ended"])

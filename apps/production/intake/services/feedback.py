"""Feedback of customers, and of the team, on production conversations."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.core.errors import Conflict, NotFound
from apps.core.inserting import insert_new
from apps.production.conversations.domain.ratings import Rating
from apps.production.conversations.models import Feedback, ProductionConversation
from apps.production.intake.domain.posted_document import read_feedback
from apps.production.privacy.domain.people import CustomerPeople, hiding
from apps.production.privacy.services.pseudonyms import Pseudonyms, conversation_named, pseudonyms


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackReceipt:
    """The result of a rating: `new` is False where the same id was there before, and nothing changed but by
    `change_feedback`."""

    conversation_id: uuid.UUID
    rating: str
    new: bool

    def as_json(self) -> dict[str, Any]:
        return {"conversation_id": str(self.conversation_id), "rating": self.rating, "new": self.new}


def change_feedback(*, body: Any, now: datetime) -> FeedbackReceipt:
    """Take feedback from a source that changes its feedback under the same id.

    Another rating or comment replaces the one that is there, and counts as given now. Raises as `take_feedback`. Six
    statements.
    """
    receipt, request = take_feedback(body=body, now=now), read_feedback(body)
    if receipt.new or (receipt.rating == request.rating and not request.comment):
        return receipt
    keys = pseudonyms()
    row = _conversation(request.conversation_id, keys)
    comment = "" if row.deleted_at else _hiding(row, keys, request.comment)(request.comment)
    fields = {"rating": request.rating, "comment": comment}
    same = Feedback.objects.filter(id_digest__in=keys.digests("feedback", request.id), conversation=row.conversation_id)
    same.exclude(**fields).update(**fields, created_at=now)
    return FeedbackReceipt(conversation_id=row.conversation_id, rating=request.rating.value, new=False)


def take_feedback(*, body: Any, now: datetime) -> FeedbackReceipt:
    """Store a rating that came from outside. The same id again changes nothing, whatever else it says. Safe to repeat
    and to race. Raises BadInput for what cannot be read, NotFound (`unknown_conversation`) for a conversation that
    nobody posted, Conflict (`other_conversation`) for an id that rated another one. Four statements, one more for an
    id that is known."""
    request = read_feedback(body)
    keys = pseudonyms()
    row = _conversation(request.conversation_id, keys)
    return _store(
        row=row,
        keys=keys,
        id=request.id,
        rating=request.rating,
        comment=request.comment,
        channel=request.channel,
        given_at=min(request.given_at or now, now),
        now=now,
    )


def rate_conversation(
    *, conversation_id: uuid.UUID, rating: Rating, comment: str, by: str, now: datetime
) -> FeedbackReceipt:
    """Store what a signed-in person says of a production conversation. The same rating with the same words, of the same
    person, changes nothing again. Raises as `take_feedback`."""
    keys = pseudonyms()
    id = keys.digest("press", [str(conversation_id), by, rating.value, comment.strip()])
    request = read_feedback(
        {"id": id, "conversation_id": str(conversation_id), "rating": rating.value, "comment": comment}
    )
    row = _conversation(request.conversation_id, keys)
    return _store(
        row=row,
        keys=keys,
        id=request.id,
        rating=request.rating,
        comment=request.comment,
        channel="Ratiba",
        given_at=now,
        given_by=by,
        now=now,
    )


def _conversation(named: str, keys: Pseudonyms) -> ProductionConversation:
    row = conversation_named(named, keys)
    if row is None:
        raise NotFound(
            "No production conversation has this id: post the conversation first, then its feedback.",
            code="unknown_conversation",
            pointer="/conversation_id",
        )
    return row


def _hiding(row: ProductionConversation, keys: Pseudonyms, text: str) -> Callable[[str], str]:
    """Masking with the names of this conversation's people that stand in the text."""
    return hiding(CustomerPeople(names=keys.names_in(text, row.name_digests)))


def _store(
    *,
    row: ProductionConversation,
    keys: Pseudonyms,
    id: str,
    rating: Rating,
    comment: str,
    channel: str,
    given_at: datetime,
    now: datetime,
    given_by: str = "",
) -> FeedbackReceipt:
    hide = _hiding(row, keys, f"{comment} {channel} {id}")
    id_digest = keys.digest("feedback", id)
    shown = hide(id)
    if keys.older and (first := Feedback.objects.filter(id_digest__in=keys.digests("feedback", id)).first()):
        return _known(first, row)
    made = Feedback(
        created_at=now,
        conversation_id=row.conversation_id,
        external_id=shown if shown == id else f"{shown[:240]} {id_digest[:8]}",
        id_digest=id_digest,
        rating=rating,
        comment="" if row.deleted_at else hide(comment),
        channel=hide(channel)[:100],
        given_by=given_by[:150],
        given_at=given_at,
    )
    new = bool(insert_new([made]))
    if new:
        return FeedbackReceipt(conversation_id=row.conversation_id, rating=rating.value, new=True)
    return _known(Feedback.objects.get(id_digest=id_digest), row)


def _known(first: Feedback, row: ProductionConversation) -> FeedbackReceipt:
    """The receipt for an id that was there before. Raises Conflict where it rated another conversation."""
    if first.conversation_id != row.conversation_id:
        named = first.external_id or "this"  # masked; its words may have been deleted
        raise Conflict(
            f"The id {named!r} was used for a rating of conversation {first.conversation_id}: nothing was stored. Give "
            "each rating an id of its own.",
            code="other_conversation",
            pointer="/id",
            conversation_id=str(first.conversation_id),
        )
    return FeedbackReceipt(conversation_id=first.conversation_id, rating=first.rating, new=False)

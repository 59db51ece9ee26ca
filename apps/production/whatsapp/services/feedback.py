"""One press or one reply of WhatsApp: checked against the customer of its conversation, and stored once."""

import hashlib
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.core.inserting import insert_new
from apps.production.conversations.domain.ratings import Rating
from apps.production.conversations.models import Feedback, ProductionConversation, Promotion
from apps.production.privacy.domain.people import CustomerPeople, hiding
from apps.production.privacy.services.pseudonyms import ContactDigests, Pseudonyms, conversation_named
from apps.production.whatsapp.domain.payload import (
    ButtonPress,
    ChangedMessage,
    TextReply,
    ThumbReaction,
    WhatsAppSender,
)
from apps.production.whatsapp.models import FeedbackQuestion, PendingComment, WhatsAppContact
from apps.production.whatsapp.services.comment_prompts import ask_for_words
from apps.production.whatsapp.services.opt_outs import is_stop_word, take_wish

CHANNEL = "whatsapp"
COMMENT_WITHIN = timedelta(minutes=10)
MAX_COMMENT = 4_000


class PressOutcome(StrEnum):
    """The outcome of a press or a reply."""

    STORED = "stored"
    REPEATED = "repeated"
    WAITS_FOR_COMMENT = "waits_for_comment"
    COMMENT = "comment"
    WRONG_SENDER = "wrong_sender"
    UNKNOWN_CONVERSATION = "unknown_conversation"
    NOT_YET = "not_yet"
    DROPPED_UNREAD = "dropped_unread"
    OPT_OUT = "opt_out"
    CHANGED = "changed"


class SenderBook:
    """The book of known senders: it finds all digests of a sender.

    They include those that other posts gave for the same contact.
    """

    def __init__(self, keys: Pseudonyms, now: datetime) -> None:
        self._keys, self._now = keys, now

    def learn(self, sender: WhatsAppSender) -> None:
        """Learn that this number and this BSUID are one contact. Two statements; safe to repeat."""
        digests = self._keys.of_contact(phone=sender.phone, user_id=sender.user_id)
        if digests.phone and digests.wa_user:
            pair = {"phone_digest": digests.phone[0], "user_digest": digests.wa_user[0]}
            made = WhatsAppContact(created_at=self._now, seen_at=self._now, **pair)
            if not insert_new([made]):
                WhatsAppContact.objects.filter(**pair).update(seen_at=self._now)

    def digests(self, sender: WhatsAppSender) -> ContactDigests:
        """Return the sender's digests, and those known for the same contact. One query."""
        own = self._keys.of_contact(phone=sender.phone, user_id=sender.user_id)
        same = WhatsAppContact.objects.filter(Q(phone_digest__in=own.phone) | Q(user_digest__in=own.wa_user))
        known = list(same.order_by("-seen_at").values_list("phone_digest", "user_digest")[:20])
        return ContactDigests(
            phone=tuple(dict.fromkeys([*own.phone, *(one for one, _ in known)])),
            wa_user=tuple(dict.fromkeys([*own.wa_user, *(one for _, one in known)])),
            reference=own.reference,
        )


def take_press(press: ButtonPress, *, keys: Pseudonyms, book: SenderBook, now: datetime) -> PressOutcome:
    """Store a thumb once for its conversation, at the earliest moment it was pressed; 💬 waits for words, which
    are asked for. Some nine statements at most. Safe to repeat and to race, in any order."""
    row = conversation_named(press.conversation_id, keys)
    if row is None:
        return PressOutcome.UNKNOWN_CONVERSATION
    digests = book.digests(press.sender)
    if row.deleted_at is not None or not digests.is_one_of(row.person_digests, row.customer_ref_hmac):
        return PressOutcome.WRONG_SENDER
    at = min(press.at or now, now)
    if press.rating is not Rating.COMMENT:
        new = _store_once(row, keys, key=press.rating.value, rating=press.rating, at=at, now=now)
        return PressOutcome.STORED if new else PressOutcome.REPEATED
    waiting = PendingComment(
        created_at=now,
        conversation_id=row.conversation_id,
        press_digest=keys.digest("wamid", press.message_id),
        context_digest=keys.digest("wamid", press.context_id) if press.context_id else "",
        sender_digests=sorted(digests.everything()),
        pressed_at=at,
        closes_at=at + COMMENT_WITHIN,
    )
    if not insert_new([waiting]):
        return PressOutcome.REPEATED
    ask_for_words(waiting, press.sender, now=now)
    return PressOutcome.WAITS_FOR_COMMENT


def take_text(text: TextReply, *, keys: Pseudonyms, book: SenderBook, now: datetime, last_look: bool) -> PressOutcome:
    """Store a reply as a comment where it belongs to one.

    Its sender pressed 💬 within ten minutes before, or it quotes the message with the buttons. Any other is dropped:
    its words are not looked at. Some five statements.
    """
    digests, at = book.digests(text.sender), min(text.at or now, now)
    feedback = _quoted(text, keys, digests) or _pending(digests, at)
    if feedback is None:
        return PressOutcome.DROPPED_UNREAD if last_look else PressOutcome.NOT_YET
    conversation_id, key = feedback
    row = ProductionConversation.objects.select_related("conversation").filter(conversation_id=conversation_id).first()
    if row is None or row.deleted_at is not None or not text.body.strip():
        return PressOutcome.DROPPED_UNREAD
    if is_stop_word(text.body):
        take_wish(keys=keys, sender=text.sender, wanted=False, now=now)
        return PressOutcome.OPT_OUT
    message = keys.digest("wamid", text.message_id)
    new = _store_once(
        row, keys, key=key, rating=Rating.COMMENT, at=at, now=now, comment=text.body[:MAX_COMMENT], message=message
    )
    return PressOutcome.COMMENT if new else PressOutcome.REPEATED


def take_reaction(reaction: ThumbReaction, *, keys: Pseudonyms, book: SenderBook, now: datetime) -> PressOutcome:
    """A thumb under our question counts as the button of that thumb does. Any other reaction is dropped. Five
    statements at most; safe to repeat."""
    quoted = keys.digests("wamid", reaction.context_id)
    question = FeedbackQuestion.objects.filter(message_digest__in=quoted).first()
    rated = ProductionConversation.objects.filter(deleted_at=None)
    row = rated.filter(conversation_id=question.conversation_id).first() if question else None
    if row is None:
        return PressOutcome.DROPPED_UNREAD
    if not book.digests(reaction.sender).is_one_of(row.person_digests, row.customer_ref_hmac):
        return PressOutcome.WRONG_SENDER
    at, rating = min(reaction.at or now, now), reaction.rating
    new = _store_once(row, keys, key=rating.value, rating=rating, at=at, now=now)
    return PressOutcome.STORED if new else PressOutcome.REPEATED


def take_change(
    change: ChangedMessage, *, keys: Pseudonyms, book: SenderBook, now: datetime, last_look: bool
) -> PressOutcome:
    """Apply an edit or deletion of the message that was a customer's comment.

    An edited message replaces the comment; a deleted one empties it, also in candidates that quote it. A change that
    arrives before its message is tried once more. Six statements at most; safe to repeat.
    """
    feedbacks = Feedback.objects.filter(message_digest__in=keys.digests("wamid", change.context_id), channel=CHANNEL)
    one = feedbacks.select_for_update().first()
    row = ProductionConversation.objects.filter(conversation_id=one.conversation_id).first() if one else None
    if one is None or row is None:
        return PressOutcome.DROPPED_UNREAD if last_look else PressOutcome.NOT_YET
    if not book.digests(change.sender).is_one_of(row.person_digests, row.customer_ref_hmac):
        return PressOutcome.WRONG_SENDER
    words = "" if row.deleted_at is not None else _masked((change.body or "")[:MAX_COMMENT], row, keys)
    Feedback.objects.filter(pk=one.pk).update(comment=words)
    for promotion in Promotion.objects.filter(conversation_id=one.conversation_id).select_for_update():
        moment = one.given_at.isoformat()
        signals = [
            held | {"text": words} if held.get("at") == moment and held.get("text") else held
            for held in promotion.signals
        ]
        Promotion.objects.filter(pk=promotion.pk).update(signals=signals)
    return PressOutcome.CHANGED


def _pending(digests: ContactDigests, at: datetime) -> tuple[UUID, str] | None:
    """The latest 💬 of this sender that waits at this moment: its conversation, and the key of its one comment."""
    waiting = PendingComment.objects.filter(pressed_at__lte=at, closes_at__gte=at)
    return _latest(waiting, digests)


def _quoted(text: TextReply, keys: Pseudonyms, digests: ContactDigests) -> tuple[UUID, str] | None:
    """The conversation whose buttons this message quotes, if they were its sender's."""
    if not text.context_id:
        return None
    quoted = keys.digests("wamid", text.context_id)
    waiting = PendingComment.objects.filter(Q(context_digest__in=quoted) | Q(press_digest__in=quoted))
    if (latest := _latest(waiting, digests)) is not None:
        return latest
    question = FeedbackQuestion.objects.filter(message_digest__in=quoted).first()
    if question is None or digests.everything().isdisjoint(question.person_digests):
        return None
    return question.conversation_id, "quote"


def _latest(waiting: "QuerySet[PendingComment]", digests: ContactDigests) -> tuple[UUID, str] | None:
    own = waiting.filter(sender_digests__has_any_keys=sorted(digests.everything()))
    return own.order_by("-pressed_at", "-pk").values_list("conversation_id", "press_digest").first()


def _store_once(
    row: ProductionConversation,
    keys: Pseudonyms,
    *,
    key: str,
    rating: Rating,
    at: datetime,
    now: datetime,
    comment: str = "",
    message: str = "",
) -> bool:
    """Store feedback; tell whether it is new. Of two with the same key the earlier one stays, whichever came first."""
    id_digest = hashlib.sha256(f"whatsapp {row.conversation_id} {key}".encode()).hexdigest()
    masked = _masked(comment, row, keys)
    made = Feedback(
        created_at=now,
        conversation_id=row.conversation_id,
        external_id="",
        id_digest=id_digest,
        rating=rating,
        comment=masked,
        channel=CHANNEL,
        given_at=at,
        message_digest=message,
    )
    if insert_new([made]):
        return True
    Feedback.objects.filter(id_digest=id_digest, given_at__gt=at).update(
        given_at=at, comment=masked, message_digest=message
    )
    return False


def _masked(comment: str, row: ProductionConversation, keys: Pseudonyms) -> str:
    names = keys.names_in(comment, row.name_digests) if comment else []
    return hiding(CustomerPeople(names=names))(comment) if comment else ""

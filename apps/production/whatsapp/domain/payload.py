"""Read the posts of Meta to a WhatsApp webhook as plain data.

They are presses of our buttons, replies in words, thumbs as reactions, messages that were taken back or rewritten,
delivery reports.

Shapes: WhatsApp Cloud API, webhooks of the field `messages` (2026-05). Everything in them comes from outside: what has
another shape is counted and left out, and nothing here raises but for a body that is no webhook at all.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from apps.core.json_hygiene import decoded_json
from apps.production.conversations.domain.ratings import Rating
from apps.production.privacy.domain.contact_forms import is_user_id

_BUTTON = re.compile(r"rb:(?P<conversation>.{1,200}):(?P<rating>up|down|comment)", re.DOTALL)
_LATEST = 253_402_300_799  # seconds: the end of the year 9999
_THUMBS = {"👍": Rating.UP, "👎": Rating.DOWN}  # a colour of the skin stands behind them
_REPLIES = ("button_reply", "list_reply")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WhatsAppSender:
    """The sender of a message: a number, a BSUID, or both; "" where it is not told."""

    phone: str = ""
    user_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonPress:
    """One of our buttons, pressed. `context_id` is the message that held the buttons."""

    message_id: str
    sender: WhatsAppSender
    context_id: str
    at: datetime | None
    conversation_id: str
    rating: Rating


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReply:
    """A message in words. `body` is not to be read unless it answers a question of ours."""

    message_id: str
    sender: WhatsAppSender
    context_id: str
    at: datetime | None
    body: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThumbReaction:
    """A thumb as a reaction to a message of ours (`context_id`)."""

    message_id: str
    sender: WhatsAppSender
    context_id: str
    at: datetime | None
    rating: Rating


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedMessage:
    """A customer took back (`body` None) or rewrote a message of theirs, `context_id`."""

    message_id: str
    sender: WhatsAppSender
    context_id: str
    at: datetime | None
    body: str | None = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingReport:
    """The report on a message that was sent: `status` is sent, delivered, read, failed; `code` Meta's of an error."""

    message_id: str
    status: str
    code: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OptOutWish:
    """A customer told WhatsApp that they want, or do not want, such messages (`user_preferences`)."""

    sender: WhatsAppSender
    wanted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookEvents:
    """All of one POST, in its order. `ignored` counts messages of other kinds and other people's buttons; `contacts`
    are senders of whom both the number and the BSUID were told."""

    presses: tuple[ButtonPress, ...] = ()
    texts: tuple[TextReply, ...] = ()
    reactions: tuple[ThumbReaction, ...] = ()
    changed: tuple[ChangedMessage, ...] = ()
    reports: tuple[SendingReport, ...] = ()
    wishes: tuple[OptOutWish, ...] = ()
    contacts: tuple[WhatsAppSender, ...] = ()
    ignored: int = 0


def button_id(conversation_id: str, rating: Rating) -> str:
    """The id of a button of ours: rb:<conversation_id>:<up|down|comment>."""
    return f"rb:{conversation_id}:{rating.value}"


def read_webhook(body: str) -> WebhookEvents:
    """Read a webhook's body.

    Raises ValueError for one that is no JSON object of WhatsApp. Pure; some 50 µs a message.
    """
    document = decoded_json(body)
    if not isinstance(document, Mapping) or document.get("object") != "whatsapp_business_account":
        raise ValueError("the body is no webhook of a WhatsApp business account")
    parts: list[Any] = []
    contacts: list[WhatsAppSender] = []
    ignored = 0
    for value in _values(document):
        people = [_contact(mapping) for mapping in _mappings(value.get("contacts"))]
        contacts += [person for person in people if person.phone and person.user_id]
        for message in _mappings(value.get("messages")):
            event = _message(message, people)
            parts += [] if event is None else [event]
            ignored += event is None
        parts += filter(None, map(_report, _mappings(value.get("statuses"))))
        parts += filter(None, map(_wish, _mappings(value.get("user_preferences"))))
    contacts += [part.sender for part in parts if hasattr(part, "sender") and part.sender.phone and part.sender.user_id]
    return WebhookEvents(
        presses=tuple(part for part in parts if isinstance(part, ButtonPress)),
        texts=tuple(part for part in parts if isinstance(part, TextReply)),
        reactions=tuple(part for part in parts if isinstance(part, ThumbReaction)),
        changed=tuple(part for part in parts if isinstance(part, ChangedMessage)),
        reports=tuple(part for part in parts if isinstance(part, SendingReport)),
        wishes=tuple(part for part in parts if isinstance(part, OptOutWish)),
        contacts=tuple({(contact.phone, contact.user_id): contact for contact in contacts}.values()),
        ignored=ignored,
    )


def _values(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for entry in _mappings(document.get("entry")):
        for change in _mappings(entry.get("changes")):
            value = change.get("value")
            if isinstance(value, Mapping):
                yield value


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _message(
    message: Mapping[str, Any], people: list[WhatsAppSender]
) -> ButtonPress | TextReply | ThumbReaction | ChangedMessage | None:
    id, context = _text(message.get("id")), message.get("context")
    if not id or (message.get("errors") and not message.get("type")):
        return None
    common: dict[str, Any] = {
        "message_id": id,
        "sender": _sender(message, people),
        "context_id": _text(context.get("id")) if isinstance(context, Mapping) else "",
        "at": _moment(message.get("timestamp")),
    }
    if (pressed := _BUTTON.fullmatch(_button(message))) is not None:
        return ButtonPress(**common, conversation_id=pressed["conversation"], rating=Rating(pressed["rating"]))
    if (other := _about_another(message, common)) is not None:
        return other
    text = message.get("text")
    if message.get("type") == "text" and isinstance(text, Mapping) and isinstance(text.get("body"), str):
        return TextReply(**common, body=text["body"])
    return None


def _about_another(message: Mapping[str, Any], common: Mapping[str, Any]) -> ThumbReaction | ChangedMessage | None:
    """A reaction with a thumb, or a message that was taken back or rewritten; None for all else."""
    kind = _text(message.get("type"))
    held = message.get(kind) if kind in ("reaction", "revoke", "edit") else None
    if not isinstance(held, Mapping):
        return None
    named = _text(held.get("message_id")) or _text(held.get("original_message_id"))
    known = {**common, "context_id": named}
    if kind == "reaction":
        rating = _THUMBS.get(_text(held.get("emoji"))[:1])
        return ThumbReaction(**known, rating=rating) if rating and named else None
    if kind == "revoke":
        return ChangedMessage(**known, body=None) if named else None
    inner = held.get("message")
    text = (inner if isinstance(inner, Mapping) else held).get("text")
    body = text.get("body") if isinstance(text, Mapping) else None
    return ChangedMessage(**known, body=body) if named and isinstance(body, str) else None


def _button(message: Mapping[str, Any]) -> str:
    """The id of the button: of an interactive message (buttons or a list), or a template's payload."""
    interactive, button = message.get("interactive"), message.get("button")
    if isinstance(interactive, Mapping):
        for name in _REPLIES:
            reply = interactive.get(name)
            if isinstance(reply, Mapping) and isinstance(reply.get("id"), str):
                return str(reply["id"])
    if isinstance(button, Mapping) and isinstance(button.get("payload"), str):
        return str(button["payload"])
    return ""


def _sender(message: Mapping[str, Any], people: list[WhatsAppSender]) -> WhatsAppSender:
    """Return the message's sender, completed by the contact that it is.

    It is the only contact, or the one with the same number or id.
    """
    named = _text(message.get("from"))
    user_id = (
        _text(message.get("from_user_id")) or _text(message.get("user_id")) or (named if is_user_id(named) else "")
    )
    phone = "" if is_user_id(named) else named
    same = [person for person in people if (phone and person.phone == phone) or (user_id and person.user_id == user_id)]
    known = same[0] if same else people[0] if len(people) == 1 and not (phone or user_id) else WhatsAppSender()
    return WhatsAppSender(phone=phone or known.phone, user_id=user_id or known.user_id)


def _contact(contact: Mapping[str, Any]) -> WhatsAppSender:
    wa_id, user_id = _text(contact.get("wa_id")), _text(contact.get("user_id"))
    if is_user_id(wa_id):
        return WhatsAppSender(user_id=user_id or wa_id)
    return WhatsAppSender(phone=wa_id, user_id=user_id)


def _report(status: Mapping[str, Any]) -> SendingReport | None:
    id, word = _text(status.get("id")), _text(status.get("status"))
    codes = [mapping.get("code") for mapping in _mappings(status.get("errors"))]
    code = next((one for one in codes if isinstance(one, int) and not isinstance(one, bool)), None)
    return SendingReport(message_id=id, status=word[:20], code=code) if id and word else None


def _wish(preference: Mapping[str, Any]) -> OptOutWish | None:
    value, sender = preference.get("value"), _contact(preference)
    if value not in ("stop", "resume") or not (sender.phone or sender.user_id):
        return None
    return OptOutWish(sender=sender, wanted=value == "resume")


def _moment(value: Any) -> datetime | None:
    """Seconds since 1970, which Meta writes as a text."""
    digits = str(value)
    if isinstance(value, bool) or not re.fullmatch(r"\d{1,12}", digits, re.ASCII) or int(digits) > _LATEST:
        return None
    return datetime.fromtimestamp(int(digits), UTC)


def _text(value: Any) -> str:
    """Return at most 300 characters of a text: longer ids are none of Meta's."""
    return value[:300] if isinstance(value, str) else ""

"""Define the body of `POST /production/conversations/` and of a line of `import_production`.

It is the conversation document, and who said it to whom.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from annotated_types import Interval, MaxLen

from apps.core.conversation import ConversationDocument
from apps.core.document_parsing import DocumentLimits, parse_document
from apps.core.errors import BadInput
from apps.core.shapes import NOT_BLANK, Check, Flag, Number, Shape, Text, described
from apps.core.timestamps import parse_timestamp
from apps.core.validation import validate
from apps.production.conversations.domain.ratings import Rating
from apps.production.privacy.domain.people import CustomerPeople

LIMITS = DocumentLimits(turns=400, content_chars=50_000)
MAX_CHARS = 1_000_000  # of all turns: what a second of masking reads

LANGFUSE = "langfuse"  # `source` of what is read from one; nobody else says it

_TRACE = re.compile(r"^(?:[0-9a-f]{32})?$")
_VERSION = re.compile(r"^[A-Za-z0-9._@/:+-]*$")


def _version(text: str) -> str:
    if not _VERSION.fullmatch(text):
        raise BadInput("must be a version like name@a1b2c3d: letters, digits and . _ @ / : + -")
    return text


def _trace(text: str) -> str:
    if not _TRACE.fullmatch(text):
        raise BadInput("must be a trace id of 32 lower-case hex digits")
    return text


def _caller(text: str) -> str:
    """Return the caller's id as `str(UUID)` writes it, since the router's hash reads it so. Raises BadInput."""
    if not text:
        return text
    try:
        return str(UUID(text))
    except ValueError:
        raise BadInput("must be a UUID like 00000000-0000-0000-0000-000000000001") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionFields(Shape):
    """What a production conversation says beside its turns."""

    agent: Annotated[Text, MaxLen(100), described("Whose conversation it is; left out: the one the prompt is of.")] = ""
    prompt_version: Annotated[
        Text,
        MaxLen(200),
        Check(_version, {"pattern": _VERSION.pattern}),
        described("As the agent ran: `name@a1b2c3d`."),
    ] = ""
    channel: Annotated[Text, MaxLen(100)] = ""
    customer_ref: Annotated[Text, MaxLen(200), described("Stored as a keyed digest only.")] = ""
    caller: Annotated[
        Text,
        MaxLen(36),
        Check(_caller, {"pattern": "^$|^[0-9a-fA-F-]{36}$"}),
        described("Whose customers these are: the `tenant_id` that chose the prompt version, a UUID."),
    ] = ""
    alias: Annotated[Literal["", "stable", "canary", "custom"], described("Which alias the router answered with.")] = ""
    prompt_versions: Annotated[
        tuple[Annotated[Text, MaxLen(200), Check(_version, {"pattern": _VERSION.pattern})], ...],
        MaxLen(20),
        described("Every version that answered it, where that was more than one."),
    ] = ()
    cost_usd: Annotated[Number, Interval(ge=0, le=1000), described("What its model calls cost.")] | None = None
    trace_id: Annotated[
        Text,
        MaxLen(32),
        Check(_trace, {"pattern": _TRACE.pattern}),
        described("The agent's own trace of it, 32 hex digits: where a Langfuse is connected, scores are sent to it."),
    ] = ""
    transferred: Annotated[Flag, described("Whether it was handed to a person.")] | None = None
    customer: CustomerPeople = field(default_factory=CustomerPeople)
    ended: Annotated[Flag, described("True settles it at once; else it is settled some time after the last post.")] = (
        False
    )

    @property
    def versions(self) -> list[str]:
        """Every version that it names, each once."""
        return list(dict.fromkeys(one for one in (self.prompt_version, *self.prompt_versions) if one))

    def routing_as_json(self) -> dict[str, Any]:
        """The fields that say who answered, and the time and cost, without fields that were left out."""
        routing_fields: dict[str, Any] = {
            "caller": self.caller,
            "alias": self.alias,
            "prompt_versions": list(self.prompt_versions),
            "cost_usd": self.cost_usd,
            "transferred": self.transferred,
        }
        return {name: value for name, value in routing_fields.items() if value not in ("", [], None)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedConversation:
    """A production conversation as it was posted."""

    document: ConversationDocument
    fields: ProductionFields


def read_posted(raw: Any) -> PostedConversation:
    """Read a posted conversation. Pure; some milliseconds for 400 turns.

    Raises BadInput with the pointer of what is wrong: `invalid_document`, `too_many_turns`, `unknown_agent` …
    """
    names = [one.name for one in fields(ProductionFields)]
    own = {name: raw[name] for name in names if name in raw} if isinstance(raw, Mapping) else {}
    rest = {name: raw[name] for name in raw if name not in names} if isinstance(raw, Mapping) else raw
    document = parse_document(rest, limits=LIMITS)
    if sum(len(turn.content) for turn in document.turns) > MAX_CHARS:
        raise BadInput(
            f"The turns have more than {MAX_CHARS} characters together.", code="body_too_large", pointer="/turns"
        )
    return PostedConversation(document=document, fields=validate(ProductionFields, own))


def _moment(text: str) -> str:
    try:
        parse_timestamp(text)
    except ValueError as error:
        raise BadInput(f"must be a time like 2026-11-20T10:30:00Z: {error}") from None
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackRequest(Shape):
    """A rating of a production conversation. The same `id` again changes nothing."""

    id: Annotated[Text, MaxLen(200), NOT_BLANK]
    conversation_id: Annotated[
        Text, MaxLen(200), NOT_BLANK, described("As the conversation was posted, or as its answer named it.")
    ]
    rating: Rating
    comment: Annotated[Text, MaxLen(4000), described("Stored masked; required where the rating is comment.")] = ""
    channel: Annotated[Text, MaxLen(100)] = ""
    ts: Annotated[Text, MaxLen(60), Check(_moment, {"format": "date-time"})] | None = None

    @property
    def given_at(self) -> datetime | None:
        return parse_timestamp(self.ts) if self.ts else None


def read_feedback(body: Any) -> FeedbackRequest:
    """Read posted feedback. Raises BadInput with a pointer. Pure."""
    request = validate(FeedbackRequest, body)
    if request.rating is Rating.COMMENT and not request.comment.strip():
        raise BadInput("comment is required where the rating is comment", code="required", pointer="/comment")
    return request

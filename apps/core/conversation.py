"""The conversation document: one shape for import, export, the webhook and the judge."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from apps.core.errors import BadInput


class DocumentError(BadInput):
    """A conversation document that cannot be taken; `pointer` names the field and the message says what to do."""

    code = "invalid_document"


class TurnRole(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class TurnPurpose(StrEnum):
    """The purpose of a turn. Tool calls and their results are the agent's work. A nudge is a word of ours that keeps a
    waiting conversation alive: it is left out of judging, comparison and exports."""

    CUSTOMER = "customer"
    AGENT = "agent"
    NUDGE = "nudge"
    SYSTEM = "system"


PURPOSES = {
    TurnRole.USER: TurnPurpose.CUSTOMER,
    TurnRole.ASSISTANT: TurnPurpose.AGENT,
    TurnRole.TOOL: TurnPurpose.AGENT,
    TurnRole.SYSTEM: TurnPurpose.SYSTEM,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file as a document names it; its bytes are found by `sha256`. What else was written, a `path` too, is kept in
    `extra` as words: nothing opens it."""

    name: str
    sha256: str | None = None
    media_type: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """One message, as plain data. `extra` keeps what a source recorded beside the fixed keys (acts, tokens …).

    `nudge`: its purpose is TurnPurpose.NUDGE; every other purpose follows from the role (PURPOSES).
    """

    role: TurnRole
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    ts: datetime | None = None
    latency_ms: int | None = None
    attachments: tuple[Attachment, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    nudge: bool = False

    @property
    def purpose(self) -> TurnPurpose:
        return TurnPurpose.NUDGE if self.nudge else PURPOSES[self.role]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationDocument:
    id: str
    turns: tuple[Utterance, ...]
    language: str | None = None
    domain: str | None = None
    source: str | None = None
    labels: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

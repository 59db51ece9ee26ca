"""A conversation that was held elsewhere, paired up: what the customer wrote, and all that the agent said to it. Pure.

Exchanges are counted from 1, as people count them; what the agent says before the customer wrote anything (a greeting)
is exchange 0.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from apps.core.conversation import Attachment, ToolCall, TurnRole, Utterance

# Brief 004.
_NAMED_FILE = re.compile(r"\[I have attached a file:\s{0,9}([^\]\n]{1,255}?)\s{0,9}\]", re.IGNORECASE)
_FILE_NAME = re.compile(
    r"(?<![\w.-])[\w-][\w.-]{0,120}\.(?:pdf|docx?|odt|rtf|txt|md|csv|xlsx?|ods|pptx?|odp|html?|xml|json|eml|msg|png|jpe?g"
    r"|gif|webp|tiff?|zip)\b",
    re.IGNORECASE,
)
FOLDER = "attachments"
OWN_FACTS = ("wait_for_pattern", "gate_timeout", "expected_tools", "step_agents", "description")


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that went with a customer's turn. `name` is "" where nobody knows it."""

    name: str
    sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One thing the customer wrote and the agent's replies to it; `user` is None for a greeting. `calls` are the tool
    calls that the source itself shows, `own` what a document says of the replies itself (gate, tools, …)."""

    number: int
    user: Utterance | None
    replies: tuple[Utterance, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    upload: Upload | None = None
    own: Mapping[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The customer's words, without the note of a file that is sent as a file."""
        return _NAMED_FILE.sub("", self.user.content).strip() if self.user and self.upload else self.raw_words

    @property
    def raw_words(self) -> str:
        """The customer's words, to the letter."""
        return self.user.content if self.user else ""

    @property
    def reply(self) -> str:
        """All that the agent said, one message after the other."""
        return "\n\n".join(reply.content for reply in self.replies)

    @property
    def latency_ms(self) -> int | None:
        """The milliseconds until the last reply; None where they are not known.

        The source measured them, else the times give them. Never 0: two equal times say that the source did not
        measure.
        """
        if len(self.replies) == 1 and self.replies[0].latency_ms:
            return self.replies[0].latency_ms
        began = self.user.ts if self.user else None
        ended = self.replies[-1].ts if self.replies else None
        if began is None or ended is None:
            return None
        took = round((ended - began).total_seconds() * 1000)
        return took if took > 0 else None


@dataclass(slots=True)
class _OpenExchange:
    user: Utterance | None
    replies: list[Utterance] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    own: dict[str, Any] = field(default_factory=dict)

    def take_own(self, told: Mapping[str, Any]) -> None:
        """Lists of several replies are joined; of the rest the last one counts, as a replay reads it."""
        for key in OWN_FACTS:
            if told.get(key):
                joined = [*self.own.get(key, ()), *told[key]] if isinstance(told[key], list) else told[key]
                self.own[key] = joined


def paired(conversations: Iterable[Sequence[Utterance]]) -> tuple[Exchange, ...]:
    """The exchanges of one session that ran over these conversations, in order. The greeting of a second one is left
    out: a replay holds one conversation, and nobody is greeted in its middle. System messages and nudges are too."""
    exchanges: list[Exchange] = []
    for place, turns in enumerate(conversations):
        drafts = [_OpenExchange(None)]
        for turn in turns:
            if turn.role is TurnRole.USER and not turn.nudge:
                drafts.append(_OpenExchange(turn))
            elif turn.role is TurnRole.ASSISTANT:
                drafts[-1].calls.extend(turn.tool_calls)
                drafts[-1].take_own(turn.extra)
                if turn.content.strip():
                    drafts[-1].replies.append(turn)
        if place or not drafts[0].replies:
            del drafts[0]
        first = exchanges[-1].number + 1 if exchanges else int(bool(drafts and drafts[0].user))
        exchanges += [
            Exchange(
                number=number, user=draft.user, replies=tuple(draft.replies), calls=tuple(draft.calls), own=draft.own
            )
            for number, draft in enumerate(drafts, start=first)
        ]
    return tuple(exchanges)


def with_uploads(
    exchanges: Sequence[Exchange],
    *,
    is_upload: Callable[[str], bool],
    named: Mapping[int, str],
    digests: Mapping[str, str],
) -> tuple[Exchange, ...]:
    """Return the exchanges with their files.

    A file is `named` by a person (exchange number: file name), told by the source, written in brackets, or silent: no
    words, and a reply that says that a file was taken.
    """

    def upload(exchange: Exchange) -> Upload | None:
        file = _file_of_source(exchange.user) if exchange.user else None
        written = _NAMED_FILE.search(exchange.raw_words)
        name = named.get(exchange.number) or (file.name if file else "") or (written[1] if written else "")
        if name:
            known = file.sha256 if file and file.name == name else None
            return Upload(name=name, sha256=digests.get(name) or known)
        if exchange.user and not exchange.raw_words.strip() and is_upload(exchange.reply):
            in_reply = _FILE_NAME.search(exchange.reply)
            name = in_reply[0] if in_reply else ""
            return Upload(name=name, sha256=digests.get(name))
        return None

    return tuple(replace(exchange, upload=upload(exchange)) for exchange in exchanges)


def _file_of_source(user: Utterance) -> Attachment | None:
    """The file that the source itself names, in either form of a document."""
    own = user.extra.get("file_attachment")
    if isinstance(own, Mapping) and (name := str(own.get("name") or own.get("path") or "")):
        return Attachment(name=PurePosixPath(name).name, sha256=own.get("sha256") or None)
    return next(iter(user.attachments), None)


def upload_remarks(exchanges: Sequence[Exchange], named: Mapping[int, str]) -> list[str]:
    """The remarks on the uploads: files without a name, turns without words, and numbers of no turn."""
    numbers = {exchange.number for exchange in exchanges if exchange.user}
    remarks = [
        f"turn {number}: there is no such turn to attach {named[number]!r} to"
        for number in named
        if number not in numbers
    ]
    for exchange in exchanges:
        named_by = f"--file-turn {exchange.number}:NAME"
        if exchange.upload is not None and not exchange.upload.name:
            remarks.append(f"turn {exchange.number}: a file was uploaded whose name is not known: {named_by}")
        elif exchange.upload is not None and not exchange.upload.sha256:
            remarks.append(
                f"turn {exchange.number}: the file {exchange.upload.name!r} is not here, so a replay can only name it: "
                "capture again with the file"
            )
        elif exchange.user and exchange.upload is None and not exchange.raw_words.strip():
            remarks.append(
                f"turn {exchange.number}: the customer's turn is empty and no upload was recognised, so a replay "
                f"leaves it out: {named_by}, or a pattern under silent_upload_patterns"
            )
    return remarks

"""The states of a draft of a prompt: its origin, how far it is, and why it was refused. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from apps.core.errors import BadInput, Conflict

MAX_NOTE_CHARS, MAX_REJECT_REASON = 4_000, 2_000


class DraftStatus(StrEnum):
    """State of a draft. A refused one is kept with its reasons and is never played."""

    PROPOSED = "proposed"
    REFUSED = "refused"
    IN_TRIAL = "in_trial"
    BLOCKED = "blocked"
    NOT_SHOWN = "not_shown"
    BETTER = "better"
    RELEASED = "released"
    REJECTED = "rejected"


class DraftOrigin(StrEnum):
    """The author of the words; `combined`: they are those of other drafts, put together."""

    OWN = "own"
    MODEL = "model"
    COMBINED = "combined"


class DraftMode(StrEnum):
    """The scope of a draft: a person's own edit, one section, all findings, or the steps of a search."""

    OWN = "own"
    SURGICAL = "surgical"
    FULL = "full"
    REFLECTIVE = "reflective"

    @property
    def names_no_finding(self) -> bool:
        """Tell whether a draft of this mode answers its whole analysis, not findings that were named."""
        return self in (DraftMode.FULL, DraftMode.REFLECTIVE)


class ProposalStatus(StrEnum):
    """State of the question to a model for one fix. Completed has a draft, which may be a refused one."""

    PENDING = "pending"
    COMPLETED = "completed"
    FAILED = "failed"


class GuardCode(StrEnum):
    """Code of a reason why guards refuse a draft, or of a warning."""

    NOTHING_CHANGED = "nothing_changed"
    REVERT = "revert"
    PROTECTED_SPAN = "protected_span"
    VARIABLE = "variable"
    TOO_LONG = "too_long"
    NOT_SURGICAL = "not_surgical"
    JUDGE_WORDS = "judge_words"
    TRANSCRIPT_WORDS = "transcript_words"
    SCENARIO_WORDS = "scenario_words"
    PERSONA_NAME = "persona_name"
    NEW_ADDRESS = "new_address"
    PERSONAL_DATA = "personal_data"
    HIDDEN_CHARACTERS = "hidden_characters"
    ENCODED_TEXT = "encoded_text"
    UNKNOWN_TOOL = "unknown_tool"
    LANGUAGE_CHANGED = "language_changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardReason:
    """A guard's reason about a draft. One that `stops` refuses the draft, and its sentence says what to do; another is
    a warning for the person who reads it. `span` is where it stands in the draft, None where something is missing."""

    code: GuardCode
    sentence: str
    span: tuple[int, int] | None = None
    stops: bool = True

    def as_json(self) -> dict[str, Any]:
        span = list(self.span) if self.span else None
        return {"code": self.code.value, "sentence": self.sentence, "span": span, "stops": self.stops}


def draft_revision(digest: str) -> str:
    """The revision after the @ of a draft's version."""
    return f"sha256-{digest[:8]}"


def with_line_ends_of(live: str, text: str) -> str:
    """The text with the line ends of the live prompt: a browser's form sends others than a file has."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return plain.replace("\n", "\r\n") if "\r\n" in live and "\n" not in live.replace("\r\n", "") else plain


class DraftMove(StrEnum):
    """The next step that a person may take with a draft."""

    TRY = "try"
    RELEASE = "release"
    REJECT = "reject"


_MOVES: Mapping[DraftStatus, tuple[DraftMove, ...]] = {
    DraftStatus.PROPOSED: (DraftMove.TRY, DraftMove.REJECT),
    DraftStatus.BLOCKED: (DraftMove.TRY, DraftMove.REJECT),
    DraftStatus.NOT_SHOWN: (DraftMove.RELEASE, DraftMove.TRY, DraftMove.REJECT),
    DraftStatus.BETTER: (DraftMove.RELEASE, DraftMove.TRY, DraftMove.REJECT),
}


def moves_of(status: DraftStatus) -> tuple[DraftMove, ...]:
    """The moves that this status leaves, the likeliest one first; () where it waits for a trial or has ended."""
    return _MOVES.get(status, ())


def refuse_reject(status: DraftStatus, reason: str) -> None:
    """Raise BadInput (`no_reason`, `too_long`) or Conflict (`in_trial`, `wrong_state`) for a rejection not allowed."""
    if not reason.strip():
        raise BadInput("Say why the draft is rejected.", code="no_reason", pointer="/reason")
    if len(reason) > MAX_REJECT_REASON:
        message = f"A reason has {MAX_REJECT_REASON} characters at most."
        raise BadInput(message, code="too_long", pointer="/reason")
    if status == DraftStatus.IN_TRIAL:
        raise Conflict("A trial of this draft goes on: stop it, or wait for what it says.", code="in_trial")
    if DraftMove.REJECT not in moves_of(status):
        raise Conflict(f"A draft that is {status} is not rejected.", code="wrong_state", status_now=status.value)

"""The bodies that write notes and decide about failure modes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from annotated_types import MaxLen

from apps.api.domain.request_fields import Id, Name
from apps.core.errors import BadInput
from apps.core.shapes import NOT_BLANK, Flag, Reader, Shape, Text, described
from apps.improvement.failure_modes.domain.states import NoteShows

MAX_NOTES = 1_000
_Notes = Annotated[tuple[Id, ...], MaxLen(MAX_NOTES)]
_Description = Annotated[Text, MaxLen(2000), described("How one sees it in a conversation.")]


def _time(value: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise BadInput("must be a time with its zone, such as 2026-11-27T09:00:00Z")
    return moment


def _shows(value: Any) -> NoteShows:
    try:
        return NoteShows(value)
    except ValueError:
        raise BadInput(f"must be one of {', '.join(NoteShows)}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationNoteRequest(Shape):
    """A remark beside a conversation."""

    conversation_id: Id
    text: Annotated[Text, MaxLen(4000), NOT_BLANK]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureModeRequest(Shape):
    """A mode that a person names; or the name under which a proposal is taken, with these of its notes."""

    name: Name
    description: _Description = ""
    notes: Annotated[_Notes | None, described("Of a proposal: without them all of its own.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureModeWording(Shape):
    """Another name and description; what was there is replaced."""

    name: Name
    description: _Description = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureModeMerge(Shape):
    """Which mode it is the same as."""

    into: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureModeNotes(Shape):
    """Notes that are put into a mode, or say something else of it now, and notes that are taken out."""

    add: _Notes = ()
    remove: _Notes = ()
    shows: Annotated[
        NoteShows,
        Reader(_shows, {"type": "string", "enum": [NoteShow.value for NoteShow in NoteShows]}),
        described("What those that are added are examples of."),
    ] = NoteShows.FAILURE


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureModeFixRequest(Shape):
    """That it is fixed since a time (without one: since now), or is not."""

    fixed: Flag = True
    at: Annotated[datetime, Reader(_time, {"type": "string", "format": "date-time"})] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureModeCriterion(Shape):
    """The criterion of the catalog that measures it; without a name one is drafted of its notes."""

    name: Annotated[Annotated[Text, MaxLen(100)] | None, described("Empty: none measures it.")] = None

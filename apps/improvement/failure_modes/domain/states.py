"""The states of a failure mode, and the kinds of its notes."""

from enum import StrEnum


class ModeStatus(StrEnum):
    """State of a failure mode.

    A model `proposed` it and nobody has looked; or a person `named` it, and only then it counts; or it was `merged`
    into another, or `rejected`.
    """

    PROPOSED = "proposed"
    NAMED = "named"
    MERGED = "merged"
    REJECTED = "rejected"


class NoteShows(StrEnum):
    """Meaning of a note: an example of the failure, or of an agent that did well where it could fail so.

    Only failures count.
    """

    FAILURE = "failure"
    DOES_WELL = "does_well"

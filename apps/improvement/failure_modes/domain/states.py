"""The states of a failure mode, and the kinds of its notes."""

from enum import StrEnum


class ModeStatus(StrEnum):
    """`proposed` by a model, and nobody has looked; `named` by a person, the only one that counts; `merged` into
    another; `rejected`."""

    PROPOSED = "proposed"
    NAMED = "named"
    MERGED = "merged"
    REJECTED = "rejected"


class NoteShows(StrEnum):
    """What a note is an example of: the failure, or an agent that did well where it could have failed so.

    Only failures count.
    """

    FAILURE = "failure"
    DOES_WELL = "does_well"

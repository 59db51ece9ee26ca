"""The words of snapshot reviews."""

from enum import StrEnum


class SnapshotStatus(StrEnum):
    """State of a snapshot.

    `pending` waits for a person. `superseded`: the same file was posted with another conversation meanwhile.
    """

    PENDING = "pending"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    SUPERSEDED = "superseded"


class SnapshotAnswer(StrEnum):
    """A person's answer to a snapshot that waits."""

    ACCEPT = "accept"
    REFUSE = "refuse"


ANSWERED = {SnapshotAnswer.ACCEPT: SnapshotStatus.ACCEPTED, SnapshotAnswer.REFUSE: SnapshotStatus.REFUSED}

"""States of an erasure."""

from enum import StrEnum


class ErasureStatus(StrEnum):
    """State of an erasure.

    `found`: a dry run's answer waits for a person. `erased`: done, and looked at once more when nothing can still be
    under way that had read the words before. `completed`: the second look is done. `failed` says why.
    """

    PENDING = "pending"
    FOUND = "found"
    ERASED = "erased"
    COMPLETED = "completed"
    FAILED = "failed"


WAITING = (ErasureStatus.PENDING, ErasureStatus.ERASED)

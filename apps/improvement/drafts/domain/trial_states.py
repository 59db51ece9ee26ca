"""The words of trials: how far a trial is, and whose conversations a side holds."""

from enum import StrEnum


class TrialStatus(StrEnum):
    """`pending`: its runs are not started yet. `failed`: nothing could be compared, so nothing was decided."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class SideName(StrEnum):
    """A side of a trial. `original` is the first prompt of the draft's lineage, if neither live nor draft."""

    LIVE = "live"
    DRAFT = "draft"
    ORIGINAL = "original"


TRIAL_OPEN = frozenset({TrialStatus.PENDING, TrialStatus.RUNNING})

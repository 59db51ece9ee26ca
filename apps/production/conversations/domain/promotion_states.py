"""The closed lists of promotion."""

from enum import StrEnum


class RoundStatus(StrEnum):
    """The status of a weekly look."""

    PENDING = "pending"
    DONE = "done"


class DraftWork(StrEnum):
    """State of a model's work on a candidate's goal and persona."""

    NONE = "none"
    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


class SignalKind(StrEnum):
    """Reason why a conversation became a candidate."""

    THUMBS_DOWN = "thumbs_down"
    THUMBS_UP = "thumbs_up"
    COMMENT = "comment"
    FAILED_CRITERION = "failed_criterion"
    FAILED_CHECK = "failed_check"
    BY_HAND = "by_hand"
    SURPRISINGLY_GOOD = "surprisingly_good"
    SURPRISINGLY_BAD = "surprisingly_bad"

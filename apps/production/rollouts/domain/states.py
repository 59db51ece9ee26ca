"""The states of a rollout, of what happened in it, and on which side of it a conversation stands."""

from datetime import datetime
from enum import StrEnum


class RolloutStatus(StrEnum):
    """State of a rollout.

    `stopped`: a person ended it, or another prompt went live. `inconclusive`: its time was over and nothing was shown.
    In all but `running`, every conversation gets the live version.
    """

    RUNNING = "running"
    PROMOTED = "promoted"
    ROLLED_BACK = "rolled_back"
    STOPPED = "stopped"
    INCONCLUSIVE = "inconclusive"


def served_percentage(status: str, percentage: int, *, ends_at: datetime, now: datetime) -> int:
    """Return how many of a hundred conversations get the canary now.

    It is none from `ends_at` on, though its results are looked at for a while after that, until its last conversations
    are judged.
    """
    return percentage if status == RolloutStatus.RUNNING and now < ends_at else 0


class RolloutMove(StrEnum):
    """The moves of a rollout: `raised` its percentage, `prolonged` its time, `tried`: one conversation was forced into
    the canary."""

    STARTED = "started"
    RAISED = "raised"
    PROLONGED = "prolonged"
    TRIED = "tried"
    ROLLED_BACK = "rolled_back"
    PROMOTED = "promoted"
    STOPPED = "stopped"
    INCONCLUSIVE = "inconclusive"


class Arm(StrEnum):
    """Arm of a rollout to which a conversation belongs; only the first two are compared.

    `mixed` was answered by both versions, `custom` by words of the agent's own, `other` by a third version. `off_hash`
    stands elsewhere than the router's hash puts it: forced there for trying, or by a table that was late. `repeat` is a
    further conversation of a customer who has one in this arm.
    """

    STABLE = "stable"
    CANARY = "canary"
    MIXED = "mixed"
    CUSTOM = "custom"
    OTHER = "other"
    OFF_HASH = "off_hash"
    REPEAT = "repeat"

"""Words of sampling and anchors."""

from enum import IntEnum, StrEnum


class Phase(IntEnum):
    """The phases of a tenant's work with real conversations: the second adds to the first. A canary, the third, is no
    setting: it lasts as long as a rollout that somebody started."""

    OFFLINE = 1
    SAMPLING = 2


class DrawStatus(StrEnum):
    """The outcome of one window of a sampling rule."""

    DRAWN = "drawn"
    EMPTY = "empty"
    NOT_SAMPLED = "not_sampled"


class SamplingBasis(StrEnum):
    """Reason why a conversation is judged. Only the first two were sampled by chance and enter a mean."""

    SHARE = "share"
    FLOOR = "floor"
    THUMBS_DOWN = "thumbs_down"
    SURPRISING = "surprising"
    HAND_PICKED = "hand_picked"


BY_CHANCE = (SamplingBasis.SHARE, SamplingBasis.FLOOR)


class AnchorSetStatus(StrEnum):
    ACTIVE = "active"
    RETIRED = "retired"


class GradingStatus(StrEnum):
    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


class DriftCause(StrEnum):
    """The part that moved when scores moved."""

    NOT_ASKED = "not_asked"
    NOBODY = "no_change"
    JUDGE = "judge"
    AGENT = "agent"
    CUSTOMERS = "customers"
    SEVERAL = "several"
    CANNOT_TELL = "cannot_tell"

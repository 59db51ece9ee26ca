"""What a scenario family is for."""

from enum import StrEnum


class Part(StrEnum):
    """What a scenario family is for: to write drafts from, to choose among drafts, or to decide about one."""

    TRAIN = "train"
    SELECTION = "selection"
    HOLD_OUT = "hold_out"

"""The parts into which scenario families are placed."""

from enum import StrEnum


class Part(StrEnum):
    """The use of a scenario family: to write drafts from, to choose among drafts, or to decide about one."""

    TRAIN = "train"
    SELECTION = "selection"
    HOLD_OUT = "hold_out"

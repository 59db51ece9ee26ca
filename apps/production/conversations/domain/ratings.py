"""Define how a customer rates a conversation."""

from enum import StrEnum


class Rating(StrEnum):
    UP = "up"
    DOWN = "down"
    COMMENT = "comment"

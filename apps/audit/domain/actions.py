"""The changes that can happen to a row."""

from enum import StrEnum


class Action(StrEnum):
    """As the trail keeps it."""

    ADDED = "added"
    CHANGED = "changed"
    DELETED = "deleted"

"""The changes that can happen to a row."""

from enum import StrEnum


class Action(StrEnum):
    """Action as the trail stores it."""

    ADDED = "added"
    CHANGED = "changed"
    DELETED = "deleted"

"""The part that all state sets share."""

from enum import StrEnum


def choices(states: type[StrEnum]) -> list[tuple[str, str]]:
    """Django choices of a state set, labels in words."""
    return [(state.value, state.value.replace("_", " ").capitalize()) for state in states]

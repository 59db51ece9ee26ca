"""Decide which to-dos a person has dismissed, and when they come back. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol, TypeVar

FORGOTTEN_AFTER = timedelta(days=60)  # whatever still needs somebody then is shown once more


class Dismissable(Protocol):
    """To-do that can be dismissed.

    `key` identifies it, `state` is its present subject, `count` how many of it there are.
    """

    @property
    def key(self) -> str: ...

    @property
    def state(self) -> str: ...

    @property
    def count(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Dismissal:
    """An entry that a person dismissed: `state` and `count` as they were then."""

    state: str
    count: int = 0


T = TypeVar("T", bound=Dismissable)


def without_dismissed(needs: Sequence[T], dismissed: Mapping[str, Dismissal]) -> tuple[list[T], list[T]]:
    """The entries to show, and the dismissed ones. A dismissal holds while the state is the same and the count no
    higher."""
    shown: list[T] = []
    hidden: list[T] = []
    for need in needs:
        before = dismissed.get(need.key)
        (hidden if before and before.state == need.state and need.count <= before.count else shown).append(need)
    return shown, hidden

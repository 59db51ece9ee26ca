"""Other rooms' checks before a scenario may play: each registers its question once, when Django starts.

A question gets the scenario's id and raises Conflict where a person has to do something first."""

from collections.abc import Callable, Sequence
from typing import Any

ReleaseCheck = Callable[[Any], None]

_CHECKS: dict[str, ReleaseCheck] = {}


def register_release_check(name: str, check: ReleaseCheck) -> None:
    """Ask this before every release from now on; the same name again replaces it."""
    _CHECKS[name] = check


def release_checks() -> Sequence[ReleaseCheck]:
    """All that rooms have registered."""
    return list(_CHECKS.values())

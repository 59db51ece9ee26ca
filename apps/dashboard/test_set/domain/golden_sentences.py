"""Sentences about the changes of golden sessions. Pure."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from apps.dashboard.domain.figures import many


class Opened(Protocol):
    """Golden sessions with a new version, and what was left out."""

    @property
    def versions(self) -> Mapping[str, tuple[int, int]]: ...

    @property
    def left(self) -> Sequence[str]: ...


def opened_sentence(opened: Opened) -> str:
    """Say which gates were opened: `weekend: 2 gates open for the new wording too, in version 3`."""
    sentences = [
        f"{name}: {many(gates, 'gate opens', 'gates open')} for the new wording too, in version {number}"
        for name, (number, gates) in opened.versions.items()
    ]
    left = f" Left as they are: {'; '.join(dict.fromkeys(opened.left))}." if opened.left else ""
    return f"{'; '.join(sentences)}. A replay plays {'it' if len(sentences) == 1 else 'them'} from now on.{left}"


def approved_sentence(number: int, *, replayed: int) -> str:
    """Say that a version is approved, as `Version 5 is approved.`, and which version a replay plays now."""
    if replayed == number:
        return f"Version {number} is approved: a replay plays it from now on."
    return (
        f"Version {number} is approved. A replay still plays version {replayed}, the highest approved one: retire that "
        f"one to go back to version {number}."
    )

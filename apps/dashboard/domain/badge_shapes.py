"""A badge: a word, a tone and a shape. What each state looks like is chosen in badges.py."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial


class Tone(StrEnum):
    GOOD = "good"
    NEAR = "near"
    BAD = "bad"
    BUSY = "busy"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Badge:
    """A value as a page shows it. `icon` is one character, read aloud as nothing: the label says it."""

    value: str
    label: str
    tone: Tone
    icon: str


_SHAPES = {Tone.GOOD: "✓", Tone.NEAR: "!", Tone.BAD: "✕", Tone.BUSY: "●", Tone.IDLE: "–"}


def _badge(tone: Tone, value: str, label: str = "", icon: str = "") -> Badge:
    """The word is the value's own and the shape its tone's, unless said otherwise."""
    return Badge(value, label or value.replace("_", " "), tone, icon or _SHAPES[tone])


good, near, bad, busy, idle = (partial(_badge, tone) for tone in Tone)


def looks(*badges: Badge) -> Mapping[str, Badge]:
    return {badge.value: badge for badge in badges}

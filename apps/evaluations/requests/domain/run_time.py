"""Forecast how long a run takes, from the time that such conversations took. Pure."""

from dataclasses import dataclass
from math import ceil

from apps.core.plurals import many


@dataclass(frozen=True, slots=True, kw_only=True)
class PastPace:
    """The model calls and seconds that one earlier conversation of such a run took.

    `calls` are of playing and judging it, `seconds` of playing it. `sample` is the number of conversations behind it;
    with 0 the figures are assumed.
    """

    calls: float
    seconds: float
    sample: int = 0


UNKNOWN = "an unknown time: none was played with these models yet"
ASSUMED = PastPace(calls=8.0, seconds=30.0)


def minutes_to_play(conversations: int, *, pace: PastPace, stagger_s: tuple[float, float], at_once: int) -> float:
    """Estimate the minutes of a run, by its stagger or by its concurrency, whichever takes longer."""
    if not conversations:
        return 0.0
    begun = (conversations - 1) * sum(stagger_s) / 2 + pace.seconds
    played = ceil(conversations / max(at_once, 1)) * pace.seconds
    return round(max(begun, played) / 60, 1)


def minutes_in_words(minutes: float) -> str:
    """Write minutes in words: `12 minutes`, `2.5 hours`."""
    if minutes < 1:
        return "seconds"
    return many(round(minutes), "minute") if minutes < 90 else f"{minutes / 60:.1f} hours"


def time_in_words(minutes: float, *, sample: int) -> str:
    """Write a time as `some 12 minutes`; unknown where no earlier conversation is known.

    Earlier conversations with the same models are the sample.
    """
    return f"some {minutes_in_words(minutes)}" if sample else UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTime:
    """Forecast time of a run. `sample` earlier conversations are its source; with none it is assumed."""

    minutes: float
    sample: int

    @property
    def known_minutes(self) -> float | None:
        """The minutes; None where nobody knows."""
        return self.minutes if self.sample else None

    @property
    def sentence(self) -> str:
        """The time in a sentence: `about 12 minutes, from 40 earlier conversations`; else unknown.

        It is unknown where none was played with the same models.
        """
        if not self.sample:
            return UNKNOWN
        on = f"from {many(self.sample, 'earlier conversation')}"
        return f"about {minutes_in_words(self.minutes)}, {on}" if self.minutes >= 1 else f"under a minute, {on}"

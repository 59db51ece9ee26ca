"""Decide which of two conversations was handled better, asked in both orders.

Judges favour a place (brief 004). A judge that changes its mind when the two change places has said nothing: a tie. How
often it does so, and for which place, is counted: that is its position bias.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import comb


class Place(StrEnum):
    """A judge's answer to one question: the better place."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"


class Better(StrEnum):
    A = "a"
    B = "b"
    TIE = "tie"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bout:
    """One pair asked twice: `forward` with a in the first place, `backward` with b there."""

    forward: Place
    backward: Place

    @property
    def flipped(self) -> bool:
        """True if the judge chose the same place both times, so not the same conversation."""
        return self.forward is self.backward and self.forward is not Place.TIE

    @property
    def better(self) -> Better:
        """The side that was chosen both times; everything else is a tie."""
        if (self.forward, self.backward) == (Place.FIRST, Place.SECOND):
            return Better.A
        return Better.B if (self.forward, self.backward) == (Place.SECOND, Place.FIRST) else Better.TIE


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """Many bouts. `chance`: how often a fair coin would divide the decided ones this unevenly, two-sided.

    `favours` is the place the judge prefers, where its flips go one way more than chance explains (`place_chance` below
    5 %)."""

    bouts: int
    a: int
    b: int
    ties: int
    flipped: int
    chance: float | None
    favours: Place | None
    place_chance: float | None


def contest(bouts: Sequence[Bout]) -> Contest:
    """Decide which side is better over many pairs, and whether the judge favoured a place."""
    won = [bout.better for bout in bouts]
    a, b = won.count(Better.A), won.count(Better.B)
    to_first = sum(bout.flipped and bout.forward is Place.FIRST for bout in bouts)
    flipped = sum(bout.flipped for bout in bouts)
    place_chance = sign_chance(to_first, flipped - to_first)
    biased = place_chance is not None and place_chance < 0.05
    return Contest(
        bouts=len(bouts),
        a=a,
        b=b,
        ties=len(bouts) - a - b,
        flipped=flipped,
        chance=sign_chance(a, b),
        favours=(Place.FIRST if to_first * 2 > flipped else Place.SECOND) if biased else None,
        place_chance=place_chance,
    )


def sign_chance(one_way: int, other_way: int) -> float | None:
    """The exact two-sided sign test. None where nothing was decided."""
    n, fewer = one_way + other_way, min(one_way, other_way)
    if not n:
        return None
    either_way: int = 2 * sum(comb(n, count) for count in range(fewer + 1))
    chance: float = either_way / 2**n
    return min(1.0, chance)

"""Measure how often a failure mode happens, only where the sample stands for more than itself.

Pure. Two measures do: a review queue that was drawn by lot and asked for notes, and the mode's own criterion, which
judges every conversation of a run. Everything else is a count of what somebody happened to note.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from apps.statistics.proportions import difference_interval
from apps.statistics.quantiles import wilson

MIN_EACH = 5  # conversations on either side: of fewer no interval says anything worth acting on


class RateSource(StrEnum):
    """The source of a rate: a queue that people labelled, or a judged criterion."""

    QUEUE = "queue"
    CRITERION = "criterion"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeRate:
    """Rate of a mode: `failed` of `looked_at` conversations, by one queue or one evaluation.

    The last of them happened `at`. `measure` names all that must be the same before two rates may be compared: the
    filter of a queue and its number of raters, or the judge's fingerprint, the agent and the kind of run. `filter`: the
    address that a queue was sampled from.
    """

    source: RateSource
    measure: str
    name: str
    id: str
    at: datetime
    looked_at: int
    failed: int
    filter: str = ""

    @property
    def share(self) -> float:
        return self.failed / self.looked_at

    @property
    def interval(self) -> tuple[float, float]:
        """95 %, by Wilson."""
        return wilson(self.failed, self.looked_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideCount:
    """The counts of one measure on one side of the fix. `case` is the test that is played again: a scenario, a golden
    session; "" of a queue, whose lot stands for all its filter matches."""

    source: RateSource
    measure: str
    name: str
    case: str
    after: bool
    looked_at: int
    failed: int


class Change(StrEnum):
    """The change of a mode from before its fix to after it."""

    LESS = "less_often"
    MORE = "more_often"
    NOT_SHOWN = "not_shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeMovement:
    """A mode before and after its fix as one measure saw it: (failed, looked at) of each side. `difference` is after
    minus before, `interval` its 95 % (Newcombe)."""

    source: RateSource
    name: str
    before: tuple[int, int]
    after: tuple[int, int]

    @property
    def difference(self) -> float:
        return self.after[0] / self.after[1] - self.before[0] / self.before[1]

    @property
    def interval(self) -> tuple[float, float]:
        return difference_interval(*self.after, *self.before)

    @property
    def change(self) -> Change:
        low, high = self.interval
        return Change.LESS if high < 0 else Change.MORE if low > 0 else Change.NOT_SHOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class FixComparison:
    """Every measure that saw both sides of the fix, or in a sentence why none can be compared."""

    movements: Sequence[ModeMovement]
    cannot: str = ""


def compare_sides(counts: Iterable[SideCount]) -> FixComparison:
    """Each measure before the fix against the same measure since, of the cases that both sides played. Measures are
    never added up: people and judges, two judges, two filters do not count the same."""
    by_measure: dict[tuple[RateSource, str], list[SideCount]] = {}
    for count in counts:
        by_measure.setdefault((count.source, count.measure), []).append(count)
    if not by_measure:
        return FixComparison(
            movements=(),
            cannot="Nothing that may be called a rate was measured: draw a review queue by lot, or judge with the "
            "mode's criterion.",
        )
    movements = [movement for rows in by_measure.values() if (movement := _movement(rows)) is not None]
    if movements:
        return FixComparison(
            movements=sorted(movements, key=lambda movement: -min(movement.before[1], movement.after[1]))
        )
    return FixComparison(movements=(), cannot=_why_not([row for rows in by_measure.values() for row in rows]))


def _movement(rows: Sequence[SideCount]) -> ModeMovement | None:
    cases = {row.case for row in rows if row.after} & {row.case for row in rows if not row.after}
    before, after = (_sum(row for row in rows if row.after is side and row.case in cases) for side in (False, True))
    if min(before[1], after[1]) < MIN_EACH:
        return None
    return ModeMovement(source=rows[0].source, name=rows[0].name, before=before, after=after)


def _sum(rows: Iterable[SideCount]) -> tuple[int, int]:
    chosen = list(rows)
    return sum(one.failed for one in chosen), sum(one.looked_at for one in chosen)


def _why_not(rows: Sequence[SideCount]) -> str:
    sides: Mapping[bool, int] = {
        side: sum(row.looked_at for row in rows if row.after is side) for side in (False, True)
    }
    if not sides[True]:
        return "Nothing that happened since the fix was looked at: draw a queue of the same filter, or judge a new run."
    if not sides[False]:
        return (
            "Nothing that happened before the fix was looked at, so there is nothing to hold the rate of now against."
        )
    return (
        f"Before and after cannot be compared: no one measure saw {MIN_EACH} conversations of the same cases on "
        "each side. Two filters, two judges, two agents or other scenarios do not count the same."
    )

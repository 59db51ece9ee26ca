"""Tell whether the judge moved, by each week's grades of the anchors against five earlier ones.

The noise of the baseline stays in the test, since each anchor's difference holds it: against one grading without it, 30
of 100 judges that never moved would be called moved within 26 weeks (simulated, 40 anchors, sd 0.7 a grading); against
the mean of five with a paired t of .05/26 a week, 4.6 of 100, and 0.5 points are found in the first week as often as
not. Rates of this code: `python -m benchmarks.anchor_rates`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum, inf, sqrt
from typing import Any

from apps.production.sampling.domain.states import DriftCause
from apps.statistics.student import critical_t, two_sided_p

WEEKS = 26
LEVEL = 0.05 / WEEKS
BASELINE = 5  # gradings
FEWEST, MOST, USUAL = 30, 50, 40  # anchors
STILL = 0.5  # points: who surely moved by less did not move
NEW = 0.01  # of all customers before: a kind that was rarer was not there, whose mean then says nothing
_MIN_PAIRED = 10  # graded both times, below which nothing is claimed


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedShift:
    """A difference with its variance and the interval of 95 %. `p` None: too few to ask; `shown`: it is claimed."""

    value: float
    variance: float
    degrees: float
    low: float
    high: float
    n: int
    p: float | None
    shown: bool

    def as_json(self) -> dict[str, Any]:
        """Degrees of a spread that is known, or that is none, are no number of JSON."""
        return asdict(self) | {"degrees": None if self.degrees == inf else self.degrees}

    @classmethod
    def of_json(cls, kept: Mapping[str, Any]) -> "JudgedShift":
        return cls(**{**kept, "degrees": inf if kept["degrees"] is None else kept["degrees"]})


def mean_by_anchor(gradings: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Each anchor's mean over the gradings in which it was scored."""
    scores: dict[str, list[float]] = {}
    for grading in gradings:
        for anchor, score in grading.items():
            scores.setdefault(anchor, []).append(score)
    return {anchor: fsum(each) / len(each) for anchor, each in scores.items()}


def judge_shift(
    baseline: Mapping[str, float], grades: Mapping[str, float], *, level: float = LEVEL
) -> JudgedShift | None:
    """Measure how far the judge moved, by a paired t over the anchors graded both times.

    The test is two-sided (Student 1908). None below two. Pure.
    """
    differences = [grades[anchor] - baseline[anchor] for anchor in sorted(baseline) if anchor in grades]
    n = len(differences)
    if n < 2:
        return None
    mean = fsum(differences) / n
    variance = fsum((difference - mean) ** 2 for difference in differences) / (n - 1) / n
    return shift_of(mean, variance, n - 1, n=n, level=level, asked=n >= _MIN_PAIRED)


def shift_of(value: float, variance: float, degrees: float, *, n: int, level: float, asked: bool = True) -> JudgedShift:
    """Return a difference with its 95% interval; `shown` says whether it is significant at this level.

    Where it was not `asked`, it has no p-value and is not shown.
    """
    half = _critical(0.05, degrees) * sqrt(variance)
    p = _chance(value, variance, degrees) if asked else None
    return JudgedShift(
        value=value,
        variance=variance,
        degrees=degrees,
        low=value - half,
        high=value + half,
        n=n,
        p=p,
        shown=p is not None and p <= level and abs(value) > 1e-9,
    )


def corrected(score: float, variance: float, shift: JudgedShift) -> tuple[float, float, float]:
    """A mean as the judge of the baseline would have given it, and its interval of 95 %, in which the shift's own
    uncertainty is. Cut to the scale."""
    value, half = score - shift.value, 1.96 * sqrt(variance + shift.variance)
    low, middle, high = (min(10.0, max(0.0, one)) for one in (value - half, value, value + half))
    return middle, low, high


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerStratum:
    """One kind of customers over some weeks: how many settled, and of those judged n their mean and variance."""

    population: int
    n: int = 0
    mean: float = 0.0
    variance: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftAttribution:
    """Attribution of a drift.

    `mover` says the cause in one word, the others say by how much; None where it could not be asked.
    """

    mover: DriftCause
    judge: JudgedShift | None
    agent: JudgedShift | None = None
    customers: JudgedShift | None = None
    why: str = ""


def attribute_drift(
    judge: JudgedShift | None, before: Mapping[str, CustomerStratum], after: Mapping[str, CustomerStratum]
) -> DriftAttribution:
    """Attribute a drift to judge, agent or customers. Pure.

    The judge is measured by its anchors; the agent by the remaining change within the same strata of customers, at
    their old weights; the customers by the change of their mix alone. The three tests are corrected by Holm at LEVEL,
    weekly. If none is significant: "no change" where all three surely moved less than STILL, else "cannot tell". A new
    stratum counts as customers.
    """
    shared = [
        name
        for name in sorted({*before, *after})
        if _judged(after.get(name)) and (_judged(before.get(name)) or _share(before, name) < NEW)
    ]
    lost = [
        name
        for name in {*before, *after}
        if name not in shared and (_share(before, name) >= 0.05 or _share(after, name) >= 0.05)
    ]
    if judge is None or lost or not any(_judged(before.get(name)) for name in shared):
        why = f"{sorted(lost)[0]} was judged too rarely in one of the two months." if lost else "Too little was judged."
        return DriftAttribution(
            mover=DriftCause.CANNOT_TELL, judge=judge, why=why if judge else "The anchors are not graded."
        )
    rest, customers = _changes(shared, before, after)
    agent = shift_of(rest.value - judge.value, rest.variance + judge.variance, inf, n=rest.n, level=LEVEL)
    return _named(judge, agent, customers)


def _named(judge: JudgedShift, agent: JudgedShift, customers: JudgedShift) -> DriftAttribution:
    parts = {DriftCause.JUDGE: judge, DriftCause.AGENT: agent, DriftCause.CUSTOMERS: customers}
    moved = list[DriftCause]()
    ranked = sorted(parts.items(), key=lambda item: 1.0 if item[1].p is None else item[1].p)
    for place, (name, shift) in enumerate(ranked):  # Holm (1979): stops at the first that is not shown
        if shift.p is None or shift.p > LEVEL / (len(ranked) - place):
            break
        moved.append(name)
    if len(moved) > 1:
        mover = DriftCause.SEVERAL
    elif moved:
        mover = moved[0]
    else:
        still = all(part.low > -STILL and part.high < STILL for part in parts.values())
        mover = DriftCause.NOBODY if still else DriftCause.CANNOT_TELL
    named = ", ".join(cause.value for cause in moved) if len(moved) > 1 else ""
    return DriftAttribution(mover=mover, judge=judge, agent=agent, customers=customers, why=named)


def _changes(
    names: Sequence[str], before: Mapping[str, CustomerStratum], after: Mapping[str, CustomerStratum]
) -> tuple[JudgedShift, JudgedShift]:
    """r = Σ W⁰(M¹ - M⁰), and Σ (W¹ - W⁰) M¹, with their variances."""
    known = [name for name in names if _judged(before.get(name))]
    then = dict.fromkeys(names, 0.0) | _weights(known, before)
    now = _weights(names, after)
    rest = fsum(then[name] * (after[name].mean - before[name].mean) for name in known)
    rest_variance = fsum(
        then[name] ** 2 * (after[name].variance / after[name].n + before[name].variance / before[name].n)
        for name in known
    )
    mix = fsum((now[name] - then[name]) * after[name].mean for name in names)
    mix_variance = (
        _spread(now, after) / sum(after[name].population for name in names)
        + _spread(then, after) / sum(before[name].population for name in known)
        + fsum((now[name] - then[name]) ** 2 * after[name].variance / after[name].n for name in names)
    )
    n = sum(after[name].n for name in names)
    return (
        shift_of(rest, rest_variance, inf, n=n, level=LEVEL),
        shift_of(mix, mix_variance, inf, n=n, level=LEVEL),
    )


def _spread(weights: Mapping[str, float], cells: Mapping[str, CustomerStratum]) -> float:
    mean = fsum(share * cells[name].mean for name, share in weights.items())
    return fsum(share * cells[name].mean ** 2 for name, share in weights.items()) - mean * mean


def _weights(names: Sequence[str], cells: Mapping[str, CustomerStratum]) -> dict[str, float]:
    total = sum(cells[name].population for name in names)
    return {name: cells[name].population / total for name in names}


def _share(cells: Mapping[str, CustomerStratum], name: str) -> float:
    total = sum(cell.population for cell in cells.values())
    return cells[name].population / total if total and name in cells else 0.0


def _judged(cell: CustomerStratum | None) -> bool:
    return cell is not None and cell.n >= 2 and cell.population > 0


def _chance(value: float, variance: float, degrees: float) -> float:
    if variance <= 0:
        return 0.0 if abs(value) > 1e-9 else 1.0
    return two_sided_p(value / sqrt(variance), min(degrees, 1e7))


def _critical(level: float, degrees: float) -> float:
    return critical_t(level, min(degrees, 1e7))

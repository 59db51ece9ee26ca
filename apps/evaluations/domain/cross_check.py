"""A second judge on a tenth of the conversations: whether the two agree, and whether they did so before.

Its scores enter no mean. They say what the first judge cannot say of itself: that it drifts, or favours its own kind.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import fsum

from apps.statistics.agreement import cohen_kappa, gwet_ac1, gwet_ac1_interval, raw_agreement
from apps.statistics.paired import standard_deviation

LEFT_OUT_FOR_BUDGET = "budget"  # why a chosen conversation has no second opinion
FEWEST = 10  # pairs, below which agreement says nothing
FEWEST_EACH = 8  # pairs on each side of a before and after
SURE = 2.576  # two-sided 99 % of the normal distribution: drift is looked for again and again
WORTH = 0.5  # points: a smaller shift is no reason to act (domain/comparison.py)
_POINTS = tuple(range(11))
_SIDES = (False, True)


def chosen(conversation: str, fingerprint: str, share: float) -> bool:
    """Whether this conversation is cross-checked: always the same answer for the same conversation and judge.

    SHA-256 of both, read as a number between 0 and 1, is below `share`.
    """
    digest = sha256(f"{conversation}:{fingerprint}".encode()).digest()
    return int.from_bytes(digest[:8]) < share * 2**64


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedScore:
    """One criterion of one conversation, scored by both; oldest first where order matters."""

    judge: float
    other: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """`ac1` is Gwet's, of pass and fail, with its 95 % interval: it says whether two judges disagree, and does not
    collapse where nearly everything passes. `kappa` is quadratic over whole points, None where undefined or of fewer
    than FEWEST pairs (and 0 for two judges who give nothing but 9 and 10); `same_side` the share that both pass or both
    fail; `difference` the mean of judge minus other."""

    n: int
    ac1: float | None
    ac1_interval: tuple[float, float] | None
    kappa: float | None
    same_side: float | None
    difference: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """How much more (or less) than before the judge gives, compared with the other. `sure`: more than chance and more
    than half a point."""

    points: float
    interval: tuple[float, float]
    sure: bool


def agreement(pairs: Sequence[PairedScore], *, pass_mark: float) -> Agreement:
    """How well two judges agree on one criterion."""
    if not pairs:
        return Agreement(n=0, ac1=None, ac1_interval=None, kappa=None, same_side=None, difference=None)
    first, second = [round(pair.judge) for pair in pairs], [round(pair.other) for pair in pairs]
    own, others = [pair.judge >= pass_mark for pair in pairs], [pair.other >= pass_mark for pair in pairs]
    return Agreement(
        n=len(pairs),
        ac1=gwet_ac1(own, others, labels=_SIDES),
        ac1_interval=gwet_ac1_interval(own, others, labels=_SIDES),
        kappa=cohen_kappa(first, second, weights="quadratic", labels=_POINTS) if len(pairs) >= FEWEST else None,
        same_side=raw_agreement(own, others),
        difference=fsum(pair.judge - pair.other for pair in pairs) / len(pairs),
    )


def disagree(result: Agreement, *, target: float) -> bool:
    """Whether two judges are shown to disagree about pass and fail: not even the upper end of AC1 reaches `target`."""
    return result.n >= FEWEST and result.ac1_interval is not None and result.ac1_interval[1] < target


def shift(before: Sequence[PairedScore], after: Sequence[PairedScore]) -> Shift | None:
    """Whether a judge scores otherwise than it did, seen against the other one: the difference of the differences.

    Welch's standard error, 99 % normal interval. None with fewer than FEWEST_EACH pairs on a side.
    """
    if min(len(before), len(after)) < FEWEST_EACH:
        return None
    old, new = [one.judge - one.other for one in before], [one.judge - one.other for one in after]
    points = fsum(new) / len(new) - fsum(old) / len(old)
    error = (standard_deviation(old) ** 2 / len(old) + standard_deviation(new) ** 2 / len(new)) ** 0.5
    low, high = points - SURE * error, points + SURE * error
    return Shift(points=points, interval=(low, high), sure=abs(points) >= WORTH and (low > 0 or high < 0))


def halves(pairs: Sequence[PairedScore]) -> tuple[Sequence[PairedScore], Sequence[PairedScore]]:
    """Earlier and later half of what is in order of time."""
    middle = len(pairs) // 2
    return pairs[:middle], pairs[middle:]

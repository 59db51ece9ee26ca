"""A second judge on a tenth of the conversations: whether the two agree, and whether they did so before.

Its scores enter no mean. They say what the first judge cannot say of itself: that it drifts, or favours its own kind.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import fsum

from apps.statistics.agreement import cohen_kappa, gwet_ac1, gwet_ac1_interval, raw_agreement
from apps.statistics.drift import Shift, shift_between
from apps.statistics.sequential import ArmCell

LEFT_OUT_FOR_BUDGET = "budget"  # why a chosen conversation has no second opinion
FEWEST = 10  # pairs, below which agreement says nothing
_POINTS = tuple(range(11))
_SIDES = (False, True)


def chosen(conversation: str, fingerprint: str, share: float) -> bool:
    """Tell whether this conversation is cross-checked: always the same answer for the same conversation and judge.

    SHA-256 of both, read as a number between 0 and 1, is below `share`.
    """
    digest = sha256(f"{conversation}:{fingerprint}".encode()).digest()
    return int.from_bytes(digest[:8]) < share * 2**64


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedScore:
    """One criterion of one conversation, scored by the judge and by another one."""

    judge: float
    other: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement of two judges on one criterion.

    `ac1` is Gwet's, of pass and fail, with its 95 % interval: it says whether two judges disagree, and does not
    collapse where nearly everything passes. `kappa` is quadratic over whole points, None where undefined or of fewer
    than FEWEST pairs (and 0 for two judges who give nothing but 9 and 10). `same_side` is the share that both pass or
    both fail; `difference` the mean of judge minus other.
    """

    n: int
    ac1: float | None
    ac1_interval: tuple[float, float] | None
    kappa: float | None
    same_side: float | None
    difference: float | None


def agreement(pairs: Sequence[PairedScore], *, pass_mark: float) -> Agreement:
    """Measure how well two judges agree on one criterion."""
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
    """Tell whether two judges are shown to disagree about pass and fail.

    Not even the upper end of AC1 reaches `target`.
    """
    return result.n >= FEWEST and result.ac1_interval is not None and result.ac1_interval[1] < target


def shift(before: Sequence[PairedScore], after: Sequence[PairedScore]) -> Shift | None:
    """Measure how a judge's scores moved against those of another judge, as a difference of differences.

    None with too few pairs on a side. The interval stays valid when it is read after every new pair
    (apps/statistics/drift.py).
    """
    return shift_between(*(ArmCell.of(pair.judge - pair.other for pair in side) for side in (before, after)))

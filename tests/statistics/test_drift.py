"""A steady judge may be looked at after every pair and is hardly ever said to have moved; one that did is found."""

from collections.abc import Callable, Iterator
from math import sqrt
from random import Random

import pytest

from apps.statistics.drift import FEWEST, LEVEL, ROUNDING, WORTH, Shift, shift_between
from apps.statistics.sequential import ArmCell, half_width, mixture

PAIRS = 300  # that may come before a shift is called
Draw = Callable[[Random], float]


def shift(before: list[float], after: list[float]) -> Shift | None:
    return shift_between(ArmCell.of(before), ArmCell.of(after))


def whole(deviation: float, shift: float = 0.0) -> Draw:
    return lambda chance: round(chance.gauss(shift, deviation))


def plain(before: ArmCell, after: ArmCell) -> bool:
    """The fixed interval that is looked at again and again."""
    error = sqrt(sum(side.deviations / (side.n - 1) / side.n for side in (before, after)))
    return abs(after.mean - before.mean) >= max(WORTH, 2.576 * error)


def always(before: ArmCell, after: ArmCell) -> bool:
    shift = shift_between(before, after)
    return shift is not None and shift.sure


def growing(cell: ArmCell, values: Iterator[float]) -> Iterator[ArmCell]:
    for value in values:
        cell = ArmCell(n=cell.n + 1, total=cell.total + value, squares=cell.squares + value * value)
        yield cell


def first_call(before: ArmCell, values: Iterator[float], calls: Callable[[ArmCell, ArmCell], bool]) -> int | None:
    """After how many new pairs a shift is claimed; None: after none."""
    looks = growing(ArmCell(), values)
    return next((after.n for after in looks if after.n >= FEWEST and calls(before, after)), None)


def rates(draw: Draw, later: Draw, *, before: int, rounds: int) -> list[list[int | None]]:
    """The first call of the plain interval and of ours, on the same pairs."""
    found: list[list[int | None]] = [[], []]
    for seed in range(rounds):
        chance = Random(seed)
        earlier = ArmCell.of(draw(chance) for _ in range(before))
        values = [later(chance) for _ in range(PAIRS)]
        for calls, each in zip((plain, always), found, strict=True):
            each.append(first_call(earlier, iter(values), calls))
    return found


def test_who_looks_after_every_pair_accuses_one_steady_judge_in_a_hundred_at_most():
    plain, ours = rates(whole(1.5), whole(1.5), before=100, rounds=200)
    assert sum(one is not None for one in plain) >= 20  # a fixed 99 % interval
    assert sum(one is not None for one in ours) <= 2


def test_a_shift_of_one_point_is_found_with_three_times_the_pairs():
    plain, ours = rates(whole(1.0), whole(1.0, 1.0), before=100, rounds=50)
    assert all(ours)
    assert sum(ours) <= 3 * sum(plain)


def test_the_interval_ends_where_the_mixture_reaches_one_in_a_hundred():
    found = shift([4, 5, 6, 5] * 10, [7, 5, 6, 8] * 8)
    assert found is not None
    assert found.points == pytest.approx(1.5)
    half = found.interval[1] - found.points
    welch = 20 / 39 / 40 + 40 / 31 / 32
    pooled = 60 / 70 * (1 / 40 + 1 / 32)
    assert half == pytest.approx(half_width(max(welch, pooled), WORTH, LEVEL))
    assert mixture(half, max(welch, pooled), WORTH) == pytest.approx(1 / LEVEL)


def test_a_handful_that_happens_to_agree_has_the_variance_of_rounding():
    found = shift([5] * FEWEST, [6] * FEWEST)
    assert found is not None
    assert found.interval[1] - 1 == pytest.approx(half_width(ROUNDING * 2 / FEWEST, WORTH, LEVEL))


def test_a_small_shift_is_no_reason_to_act_however_sure():
    found = shift([5, 6] * 5000, [5.4, 6.4] * 5000)
    assert found is not None
    assert found.interval[0] > 0
    assert not found.sure


def test_too_few_say_nothing():
    assert shift([5] * (FEWEST - 1), [9] * 100) is None

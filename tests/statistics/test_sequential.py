"""Two arms that may be looked at at any time: published figures, and what holds for every input."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.statistics.sequential import (
    ArmCell,
    called_from,
    half_width,
    harm_mixture,
    loss_found,
    mixture,
    not_inferior_needs,
    stratified_difference,
)


def cell(*values: float) -> ArmCell:
    return ArmCell(n=len(values), total=sum(values), squares=sum(value * value for value in values))


def smoothed(k: int, n: int) -> float:
    share = (k + 1) / (n + 2)
    return share * (1 - share) / n


@pytest.mark.parametrize(
    "control, canary, variance, ratio, low, high",
    [
        ((10, 100), (20, 100), 0.0025970780, 1.8351865828, -0.0878700219, 0.2878700219),
        ((20, 200), (40, 200), 0.0012746299, 7.8087959092, -0.0167044045, 0.2167044045),
        ((30, 300), (60, 300), 0.0008443343, 42.0358109206, 0.0087747489, 0.1912252511),
        ((45, 500), (60, 500), 0.0003799702, 1.0154487810, -0.0292382416, 0.0892382416),
        ((0, 50), (0, 50), 0.0007544379, 0.4814750064, -0.0855565083, 0.0855565083),
    ],
)
def test_the_mixture_and_its_interval_are_the_published_ones(
    control: tuple[int, int], canary: tuple[int, int], variance: float, ratio: float, low: float, high: float
) -> None:
    s2 = smoothed(*control) + smoothed(*canary)
    difference = canary[0] / canary[1] - control[0] / control[1]
    width = half_width(s2, 0.05, 0.05)
    assert s2 == pytest.approx(variance, abs=1e-10)
    assert mixture(difference, s2, 0.05) == pytest.approx(ratio, abs=1e-9)
    assert (difference - width, difference + width) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize(
    "harm, ratio, one_sided", [(0.5, 4.111930108, 8.100416580), (-0.2, 0.5692084321, 0.2193927407)]
)
def test_the_one_sided_mixture_is_the_published_one(harm: float, ratio: float, one_sided: float) -> None:
    assert mixture(harm, 0.045, 0.5) == pytest.approx(ratio, abs=1e-9)
    assert harm_mixture(harm, 0.045, 0.5) == pytest.approx(one_sided, abs=1e-9)


def test_arms_are_compared_within_callers() -> None:
    first = (cell(8, 9), cell(7, 8, 6))
    second = (cell(7, 7, 9), cell(5, 6))
    found = stratified_difference([first, second, (cell(1, 2), cell())], higher_is_better=True)
    assert found is not None
    assert found.harm == pytest.approx(1.833333333)
    assert found.variance == pytest.approx(0.3935185185)
    assert (found.stable, found.canary, found.strata, found.left_out, found.free) == (5, 5, 2, 1, 6)


def test_a_rate_is_smoothed_over_both_arms() -> None:
    found = stratified_difference([(cell(*[1] * 10, *[0] * 90), cell(*[1] * 20, *[0] * 80))], rate=True)
    share = 31 / 202
    assert found is not None
    assert found.harm == pytest.approx(0.1)
    assert found.variance == pytest.approx(share * (1 - share) / 50)


def test_as_many_are_needed_as_was_published() -> None:
    assert not_inferior_needs(1.5, margin=0.5, tau=0.5, alpha=0.05) in range(236, 241)
    assert not_inferior_needs(1.5, margin=0.5, tau=0.5, alpha=0.05, power=0.9) in range(300, 306)
    assert not_inferior_needs(2, margin=0.5, tau=0.5, alpha=0.05) in range(420, 428)


def test_no_callers_in_common_is_no_comparison() -> None:
    assert stratified_difference([]) is None
    assert stratified_difference([(cell(1), cell()), (cell(), cell(2))]) is None
    with pytest.raises(ValueError, match="positive"):
        mixture(0.1, 0.0, 0.5)


_VARIANCES, _TAUS = st.floats(1e-6, 4), st.floats(0.01, 2)


@given(st.floats(-5, 5), _VARIANCES, _TAUS)
def test_a_gain_never_calls_a_loss(harm: float, variance: float, tau: float) -> None:
    if harm <= 0:
        assert harm_mixture(harm, variance, tau) <= 1.0 + 1e-9
    assert harm_mixture(harm, variance, tau) <= harm_mixture(harm + 0.1, variance, tau) + 1e-9


@given(_VARIANCES, _TAUS, st.floats(0.001, 0.2))
def test_a_loss_is_called_from_the_harm_that_is_told(variance: float, tau: float, alpha: float) -> None:
    harm = called_from(variance, tau, alpha=alpha)
    assert harm_mixture(harm, variance, tau) >= 1 / alpha * (1 - 1e-6)
    assert harm_mixture(harm * 0.999, variance, tau) < 1 / alpha
    assert loss_found(variance, tau, alpha=alpha) > harm


_CELLS = st.lists(st.floats(0, 10), min_size=0, max_size=6)


@given(st.lists(st.tuples(_CELLS, _CELLS), max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_callers_decides_nothing_and_exchanged_arms_turn_the_sign(
    strata: list[tuple[list[float], list[float]]], chance: random.Random
) -> None:
    cells = [(cell(*stable), cell(*canary)) for stable, canary in strata]
    found = stratified_difference(cells)
    other = stratified_difference([(canary, stable) for stable, canary in chance.sample(cells, len(cells))])
    if found is None:
        assert other is None
        return
    assert other is not None
    assert math.isclose(found.harm, -other.harm, abs_tol=1e-9)
    assert math.isclose(found.variance, other.variance, abs_tol=1e-9)

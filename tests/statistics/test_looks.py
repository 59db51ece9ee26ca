"""What several looks at the same cases cost, and the interval that inverts the sign-flip test."""

from math import inf, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.statistics.looks import ALPHA, clusters_needed, differing, level_of_look
from apps.statistics.paired import sign_flip_loss_p
from apps.statistics.sign_flip_bounds import flip_bounds

TWELVE = [1.2, 0.4, -0.3, 0.9, 2.1, 0, 0.6, -0.8, 1.5, 0.7, 0.2, 1.0]
TWENTY_FOUR = [round(0.5 + 1.3 * sin(7 * i), 2) for i in range(1, 25)]
SMALL = st.lists(st.floats(-5, 5).map(lambda value: round(value, 3)), min_size=6, max_size=11)


@pytest.mark.parametrize(
    "differences, look, low, high",
    [
        (TWELVE, 1, 0.12, 1.133333333),
        (TWELVE, 2, 0.025, 1.225),
        (TWELVE, 3, -0.066666667, 1.333333333),
        (TWENTY_FOUR, 1, 0.144615385, 0.955833333),
        (TWENTY_FOUR, 2, 0.077272727, 1.022307692),
        (TWENTY_FOUR, 3, 0.0125, 1.085714286),
    ],
)
def test_bounds_are_those_of_an_independent_computation(
    differences: list[float], look: int, low: float, high: float
) -> None:
    bounds = flip_bounds(differences, level=level_of_look(look), seed=1)
    assert bounds.low == pytest.approx(low, abs=1e-8)
    assert bounds.high == pytest.approx(high, abs=1e-8)
    assert bounds.confidence == pytest.approx(1 - 2 * ALPHA * 2.0**-look)


@given(differences=SMALL, look=st.integers(1, 3))
@settings(max_examples=60)
def test_a_lower_bound_above_0_is_what_the_test_calls_a_gain(differences: list[float], look: int) -> None:
    level = level_of_look(look)
    p = sign_flip_loss_p([-difference for difference in differences], seed=1)
    assert p is not None
    bounds = flip_bounds(differences, level=level, seed=1)
    if bounds.low > 1e-9:
        assert p <= level + 1e-9
    if p < level - 1e-9:
        assert bounds.low > -1e-9


@given(differences=SMALL)
@settings(max_examples=40)
def test_bounds_move_with_the_differences_and_turn_with_their_sign(differences: list[float]) -> None:
    here = flip_bounds(differences, level=0.025, seed=1)
    shifted = flip_bounds([difference + 2 for difference in differences], level=0.025, seed=1)
    turned = flip_bounds([-difference for difference in differences], level=0.025, seed=1)
    assert shifted.low == pytest.approx(here.low + 2, abs=1e-6)
    assert (turned.low, turned.high) == pytest.approx((-here.high, -here.low), abs=1e-6)
    assert here.low <= here.high


def test_too_few_clusters_have_no_bound() -> None:
    assert flip_bounds([1.0, 2.0, 3.0], level=0.025, seed=1).low == -inf
    assert flip_bounds([1.0] * 40, level=1e-6, seed=1).low == -inf


def test_above_32_clusters_drawn_subsets_come_close_to_the_counted_ones() -> None:
    some = np.random.default_rng(7).normal(0.5, 1.0, 32)
    counted = flip_bounds(list(some), level=0.025, seed=1)
    drawn = flip_bounds([*some, float(some.mean())], level=0.025, seed=1)
    assert drawn.low == pytest.approx(counted.low, abs=0.05)
    assert drawn.high == pytest.approx(counted.high, abs=0.05)


def test_the_interval_covers_as_often_as_it_says_and_no_gain_is_claimed_too_often() -> None:
    generator = np.random.default_rng([10, 12, 1])
    runs, claimed, covered = 600, 0, 0
    for _ in range(runs):
        bounds = flip_bounds(list(generator.normal(0, 0.967, 12)), level=level_of_look(1), seed=1)
        claimed += bounds.low > 1e-9
        covered += bounds.low <= 0 <= bounds.high
    assert claimed / runs <= 0.025 + 3 * (0.025 * 0.975 / runs) ** 0.5
    assert covered / runs >= 0.95 - 3 * (0.95 * 0.05 / runs) ** 0.5


def test_all_looks_together_cost_no_more_than_was_declared() -> None:
    assert sum(level_of_look(look) for look in range(1, 40)) <= ALPHA
    assert [level_of_look(look) for look in (1, 2, 3)] == pytest.approx([0.025, 0.0125, 0.00625])


def test_a_claim_needs_more_clusters_that_differ_with_every_look() -> None:
    assert [clusters_needed(look) for look in (1, 2, 3)] == [6, 7, 8]
    six = [0.0] * 10 + [1.0] * 6
    assert differing(six) == 6
    assert flip_bounds([1.0] * 6, level=level_of_look(1), seed=1).low > 0
    assert flip_bounds([1.0] * 6, level=level_of_look(2), seed=1).low == -inf


@pytest.mark.parametrize("look", [0, -1])
def test_a_look_that_is_none_is_refused(look: int) -> None:
    with pytest.raises(ValueError, match="numbered from 1"):
        level_of_look(look)
    with pytest.raises(ValueError, match="numbered from 1"):
        clusters_needed(look)


@pytest.mark.parametrize("differences, level", [([], 0.025), ([1.0], 0.0), ([1.0], 0.5)])
def test_bounds_of_nothing_are_refused(differences: list[float], level: float) -> None:
    with pytest.raises(ValueError, match=r"level|difference"):
        flip_bounds(differences, level=level, seed=1)

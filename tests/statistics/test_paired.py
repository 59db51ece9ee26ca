"""Differences on the same cases. Oracles: scipy 1.18.1 and statsmodels 0.15.0."""

import random
from itertools import product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.statistics.paired import (
    bootstrap_interval,
    by_cluster,
    holm,
    mcnemar_loss_p,
    mcnemar_p,
    pairs_needed,
    sign_flip_loss_p,
    sign_flip_p,
)

FIRST = [0.91, 0.85, 0.78, 0.95, 0.88, 0.70, 0.82, 0.93]
SECOND = [0.80, 0.75, 0.79, 0.84, 0.72, 0.65, 0.81, 0.77]
DIFFERENCES = [x - y for x, y in zip(FIRST, SECOND, strict=True)]

scores = st.lists(st.floats(-10, 10), min_size=2, max_size=40)


def test_trials_of_one_case_count_once() -> None:
    assert by_cluster([("a", 1.0), ("b", 4.0), ("a", 3.0)]) == {"a": 2.0, "b": 4.0}


def test_the_interval_of_the_published_example() -> None:
    low, high = bootstrap_interval(DIFFERENCES, seed=0) or (0, 0)
    assert (low, high) == pytest.approx((0.045, 0.12625), abs=0.002)


def test_one_pair_has_no_interval_and_none_has_no_chance() -> None:
    assert bootstrap_interval([0.5], seed=0) is None
    assert sign_flip_p([], seed=0) is None
    assert pairs_needed([0.5], effect=1) is None


def test_every_pattern_of_signs_is_counted_out_for_few_pairs() -> None:
    assert sign_flip_p(DIFFERENCES, seed=1) == pytest.approx(6 / 256, abs=1e-12)


def test_differences_of_nothing_leave_the_chance_exact() -> None:
    """scipy.stats.permutation_test on the five that moved: 2^5 patterns, whatever stayed as it was."""
    moved = [-1.0, -1.0, -1.0, -1.0, -1.0]
    assert sign_flip_loss_p(moved + [0.0] * 95, seed=1) == 1 / 32
    assert sign_flip_loss_p([0.0] * 7, seed=1) == 1
    assert sign_flip_p([0.0] * 7, seed=1) == 1
    assert sign_flip_loss_p([-1.0] * 32, seed=1) == 1 / 2**32
    assert sign_flip_loss_p([1.0] * 20 + [-1.0] * 10, seed=1) == pytest.approx(
        sum(comb(30, losses) for losses in range(10, 31)) / 2**30, abs=1e-12
    )


def test_many_pairs_are_sampled_and_the_seen_one_counts() -> None:
    assert sign_flip_p([1.0] * 40, seed=3) == pytest.approx(1 / 10_000)
    balanced = [1.0, -1.0] * 20
    assert sign_flip_p(balanced, seed=3) == 1


def test_from_a_thousand_pairs_on_the_normal_figures_stand_for_the_drawn_ones() -> None:
    chance = random.Random(3)
    many = [chance.gauss(0.05, 1) for _ in range(1_000)]
    drawn, normal = bootstrap_interval(many[:-1], seed=1) or (0, 0), bootstrap_interval(many, seed=1) or (9, 9)
    assert drawn == pytest.approx(normal, abs=0.005)
    assert sign_flip_p(many, seed=1) == pytest.approx(sign_flip_p(many[:-1], seed=1), abs=0.02)
    assert sign_flip_p([0.0] * 1_000, seed=1) == 1


def test_mcnemar_of_the_published_table() -> None:
    assert mcnemar_p(12, 4) == pytest.approx(0.076812744140625, abs=1e-15)
    assert mcnemar_p(0, 0) == 1
    with pytest.raises(ValueError, match="negative"):
        mcnemar_p(-1, 3)


def test_holm_of_the_published_values_and_what_is_unknown_is_not_counted() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.01, None, 0.04]) == [0.02, None, 0.04]
    assert holm([]) == []


def test_how_many_pairs_it_takes() -> None:
    spread = [-1.0, 1.0] * 50  # sd 1.005
    assert pairs_needed(spread, effect=0.5) == 32  # (1.96 + 0.8416)² · 1.0101 / 0.25
    assert pairs_needed([0.0, 0.0], effect=0.5) == 2
    with pytest.raises(ValueError, match="above 0"):
        pairs_needed(spread, effect=0)


@settings(max_examples=60, deadline=None)
@given(scores)
def test_the_interval_is_repeatable_turns_round_with_the_signs_and_lies_within_the_values(values: list[float]) -> None:
    low, high = bootstrap_interval(values, seed=5, resamples=400) or (0, 0)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
    assert bootstrap_interval(values, seed=5, resamples=400) == (low, high)
    turned = bootstrap_interval([-value for value in values], seed=5, resamples=400)
    assert turned == pytest.approx((-high, -low), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(scores)
def test_the_chance_is_a_chance_and_does_not_know_which_side_is_which(values: list[float]) -> None:
    chance = sign_flip_p(values, seed=9, resamples=199)
    assert chance is not None
    assert 0 < chance <= 1
    if len([value for value in values if value]) <= 32:
        assert sign_flip_p([-value for value in values], seed=1) == pytest.approx(chance)


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12))
def test_holm_never_makes_a_chance_smaller_and_keeps_the_order(chances: list[float | None]) -> None:
    adjusted = holm(chances)
    pairs = [(raw, new) for raw, new in zip(chances, adjusted, strict=True) if raw is not None and new is not None]
    assert [one is None for one in chances] == [one is None for one in adjusted]
    assert all(raw <= new <= 1 or raw == new for raw, new in pairs)
    assert all(new <= other_new for raw, new in pairs for other, other_new in pairs if raw < other)


@pytest.mark.parametrize(
    "lost, gained, p", [(0, 0, 1), (5, 0, 1 / 32), (12, 4, 0.0384063720703125), (3, 3, 42 / 64), (1, 3, 15 / 16)]
)
def test_mcnemar_for_a_loss_is_the_binomial_tail(lost: int, gained: int, p: float) -> None:
    """Half of the published two-sided 0.076812744140625 for 12 against 4; the others counted by hand."""
    assert mcnemar_loss_p(lost, gained) == pytest.approx(p, abs=1e-12)


def test_mcnemar_for_a_loss_takes_many_cases_and_no_negative_counts() -> None:
    assert 0 < mcnemar_loss_p(2_000, 1_900) < 0.06
    with pytest.raises(ValueError, match="negative"):
        mcnemar_loss_p(-1, 2)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=10))
@settings(max_examples=50, deadline=None)
def test_a_loss_by_sign_flips_is_the_lower_tail(values: list[int]) -> None:
    patterns = list(product((-1, 1), repeat=len(values)))
    tail = sum(sum(a * b for a, b in zip(values, signs, strict=True)) <= sum(values) for signs in patterns)
    p = sign_flip_loss_p([float(one) for one in values], seed=1)
    assert p is not None
    assert p == pytest.approx(tail / len(patterns), abs=1e-12)
    assert sign_flip_loss_p([], seed=1) is None

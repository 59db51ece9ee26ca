"""Intervals of means are Student's: honest with three values as with three hundred."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.statistics.quantiles import mean_interval, student_t

# Published table (NIST/SEMATECH e-Handbook, 1.3.6.7.2), 97.5 %.
TABLE = {1: 12.706, 2: 4.303, 3: 3.182, 5: 2.571, 10: 2.228, 30: 2.042, 100: 1.984}


@pytest.mark.parametrize("degrees", TABLE)
def test_the_quantile_is_the_published_one(degrees):
    assert student_t(0.975, degrees) == pytest.approx(TABLE[degrees], rel=0.006)


def test_three_scores_say_little_about_a_mean():
    low, high = mean_interval(5.0, 2.6457513, 3, low=0, high=10)  # 2, 6, 7
    assert (low, high) == (0, 10)
    low, high = mean_interval(5.0, 1.0, 3, low=0, high=10)
    assert low == pytest.approx(5 - 4.303 / 3**0.5, rel=0.001)
    assert high == pytest.approx(5 + 4.303 / 3**0.5, rel=0.001)


@settings(max_examples=50)
@given(st.floats(0, 10), st.floats(0, 5), st.integers(2, 500))
def test_the_interval_holds_its_mean_and_stays_on_the_scale(mean, deviation, n):
    low, high = mean_interval(mean, deviation, n, low=0, high=10)
    assert 0 <= low <= mean <= high <= 10

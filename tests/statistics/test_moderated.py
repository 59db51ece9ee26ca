"""Moderated t tests: a variance borrows from the others as far as these agree."""

import random
from math import inf, pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.statistics import moderated
from apps.statistics.moderated import VariancePrior, moderated_mean, variance_prior
from apps.statistics.quantiles import mean_interval


def test_the_functions_of_the_fit_have_their_known_values() -> None:
    """Abramowitz and Stegun 1964, 6.3.2, 6.3.3 and 6.4.2, 6.4.4."""
    euler = 0.5772156649015329
    assert moderated._digamma(1) == pytest.approx(-euler, abs=1e-8)
    assert moderated._digamma(0.5) == pytest.approx(-euler - 2 * 0.6931471805599453, abs=1e-8)
    assert moderated._trigamma(1) == pytest.approx(pi**2 / 6, abs=1e-8)
    assert moderated._trigamma(0.5) == pytest.approx(pi**2 / 2, abs=1e-8)


@given(st.floats(0.05, 500))
def test_the_inverse_gives_back_what_it_was_asked_for(x: float) -> None:
    assert moderated._inverse_trigamma(moderated._trigamma(x)) == pytest.approx(x, rel=1e-6)


def test_the_prior_of_many_samples_is_found_again() -> None:
    """Variances of 9 degrees of freedom whose truth is scaled inverse chi-square: 4 with 12 degrees."""
    dice = random.Random(2)

    def chi_square(degrees: int) -> float:
        return dice.gammavariate(degrees / 2, 2)

    found = variance_prior([(4 * 12 / chi_square(12) * chi_square(9) / 9, 9) for _ in range(4000)])
    assert found is not None
    assert found.variance == pytest.approx(4, rel=0.05)
    assert found.degrees == pytest.approx(12, rel=0.2)


def test_alike_variances_are_pooled_and_one_alone_is_student_s() -> None:
    pooled = variance_prior([(2.0, 9), (2.1, 9), (1.9, 9)], most=18)
    assert pooled is not None
    assert pooled.variance == pytest.approx(2.0)
    values = [0.3, -1.2, -2.0, 0.4, -0.9, -1.1]
    assert moderated_mean(values, pooled).degrees == 18
    mean = sum(values) / 6
    variance = sum((one - mean) ** 2 for one in values) / 5
    alone = moderated_mean(values, VariancePrior(variance, 0.0, inf))
    assert alone.interval() == pytest.approx(mean_interval(mean, variance**0.5, 6, low=-9, high=9))
    assert alone.loss_p == pytest.approx(0.0528, abs=1e-3)  # t = -1.973 of 5


def test_without_any_spread_there_is_no_prior_and_one_value_has_no_spread() -> None:
    assert variance_prior([(0.0, 9), (0.0, 9)]) is None
    with pytest.raises(ValueError, match="two values"):
        moderated_mean([1.0], VariancePrior(1.0, 1.0, inf))

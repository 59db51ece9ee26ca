"""The difference of two proportions, against the published table and its own symmetry."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.statistics.proportions import difference_interval


@pytest.mark.parametrize(
    "counts, interval",
    [  # Newcombe, Statistics in Medicine 17 (1998), 873-890, table II, method 10
        ((56, 70, 48, 80), (0.0524, 0.3339)),
        ((9, 10, 3, 10), (0.1705, 0.8090)),
        ((6, 7, 2, 7), (0.0582, 0.8062)),
        ((5, 56, 0, 29), (-0.0381, 0.1926)),
        ((0, 10, 0, 20), (-0.1611, 0.2775)),
        ((0, 10, 0, 10), (-0.2775, 0.2775)),
        ((10, 10, 0, 20), (0.6791, 1.0000)),
    ],
)
def test_the_published_examples(counts, interval):
    assert difference_interval(*counts) == pytest.approx(interval, abs=5e-5)


@given(st.integers(1, 200), st.integers(1, 200), st.data())
def test_it_holds_the_difference_and_turns_round_with_it(n, other_n, data):
    count, other = data.draw(st.integers(0, n)), data.draw(st.integers(0, other_n))
    low, high = difference_interval(count, n, other, other_n)
    assert -1 <= low <= count / n - other / other_n <= high <= 1
    turned = difference_interval(other, other_n, count, n)
    assert turned == pytest.approx((-high, -low))


def test_counts_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="cannot be"):
        difference_interval(3, 2, 0, 1)

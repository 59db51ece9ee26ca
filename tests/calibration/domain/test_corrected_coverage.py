"""Corrected figures hold the truth as often as their intervals say; the raw ones of an erring judge do not."""

import pytest

from tests.calibration.domain.simulated_judges import GOAL, cell_of, coverage


def test_a_thousand_judges_with_known_errors():
    found = coverage(judges=1000, labels=120, conversations=400, seed=7)
    assert GOAL[0] <= found["corrected rate"] <= GOAL[1]
    assert GOAL[0] <= found["corrected mean"] <= GOAL[1]
    assert found["raw rate"] < 0.5
    assert found["raw mean"] < 0.5


@pytest.mark.parametrize("rate", [0.01, 0.2, 0.5, 0.8, 0.99])
@pytest.mark.parametrize("smaller", [5, 20])
def test_few_labels_of_one_class_and_rare_fails_are_covered_too(smaller, rate):
    cell = cell_of(smaller, rate, judges=400, labels=120, conversations=400, seed=7)
    assert cell.share is not None
    assert not cell.below_goal, f"{100 * cell.share:.1f} %"


def test_below_five_labels_of_a_class_nothing_is_corrected():
    assert cell_of(4, 0.2, judges=50, labels=120, conversations=400, seed=7).given == 0

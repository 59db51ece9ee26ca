"""Corrected figures hold the truth as often as their intervals say; the raw ones of an erring judge do not."""

from benchmarks.corrected_coverage import GOAL, coverage


def test_a_thousand_judges_with_known_errors():
    found = coverage(judges=1000, labels=120, conversations=400, seed=7)
    assert GOAL[0] <= found["corrected rate"] <= GOAL[1]
    assert GOAL[0] <= found["corrected mean"] <= GOAL[1]
    assert found["raw rate"] < 0.5
    assert found["raw mean"] < 0.5

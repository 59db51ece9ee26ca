"""Anchors tell whether the judge moved, with the noise of their baseline; and who else did."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.production.sampling.domain.anchor_test import (
    LEVEL,
    CustomerStratum,
    attribute_drift,
    corrected,
    judge_shift,
    mean_by_anchor,
    shift_of,
)
from apps.production.sampling.domain.states import DriftCause


def graded(shift: float = 0.0, *, seed: int = 1, n: int = 40, sd: float = 0.7) -> dict[str, float]:
    chance = random.Random(seed)
    return {str(k): 5 + k % 5 + shift + chance.gauss(0, sd) for k in range(n)}


BASELINE = mean_by_anchor([graded(seed=k) for k in range(5)])
MONTH = mean_by_anchor([graded(seed=k) for k in range(20, 24)])
MIX = {"en · whatsapp": CustomerStratum(population=8000, n=320, mean=7.5, variance=1.44),
       "sw · whatsapp": CustomerStratum(population=2000, n=80, mean=6.0, variance=1.44)}  # fmt: skip


def moved(shift: float = 0.0, *, swahili: int = 2000) -> dict[str, CustomerStratum]:
    return {
        "en · whatsapp": CustomerStratum(population=10_000 - swahili, n=320, mean=7.5 + shift, variance=1.44),
        "sw · whatsapp": CustomerStratum(population=swahili, n=80, mean=6.0 + shift, variance=1.44),
    }


def test_the_paired_t_is_that_of_the_books():
    """d = (1, 2, 3, 2, 1, 3, 2, 1, 2, 3): mean 2, sd .8165, t = 7.746 with 9 degrees, two-sided p = 2.8703e-05."""
    differences = (1, 2, 3, 2, 1, 3, 2, 1, 2, 3)
    found = judge_shift(dict.fromkeys("0123456789", 5.0), {str(n): 5.0 + d for n, d in enumerate(differences)})
    assert found is not None
    assert found.p == pytest.approx(2.87e-5, rel=1e-2)
    assert (found.value, found.shown) == (2.0, True)
    assert found.low == pytest.approx(2 - 2.262157 * (2 / 3) ** 0.5 / 10**0.5, abs=1e-5)


def test_a_judge_that_grades_as_before_did_not_move_and_half_a_point_is_found():
    still = judge_shift(BASELINE, graded(seed=99))
    lower = judge_shift(BASELINE, graded(-0.5, seed=99))
    assert still is not None
    assert lower is not None
    assert (still.shown, lower.shown) == (False, True)


def test_few_anchors_claim_nothing_however_far_they_are():
    few = judge_shift({str(n): 9.0 for n in range(5)}, {str(n): 1.0 + n / 100 for n in range(5)})
    assert few is not None
    assert (few.p, few.shown) == (None, False)
    assert judge_shift({"1": 9.0}, {"1": 1.0}) is None


def test_equal_grades_are_no_shift_and_an_equal_step_is_one():
    same = judge_shift(dict.fromkeys(BASELINE, 7.0), dict.fromkeys(BASELINE, 7.0))
    step = judge_shift(dict.fromkeys(BASELINE, 7.0), dict.fromkeys(BASELINE, 6.0))
    assert same is not None
    assert step is not None
    assert (same.shown, step.shown) == (False, True)


@pytest.mark.parametrize(
    "judge, after, who",
    [
        (0.0, moved(), DriftCause.NOBODY),
        (-0.6, moved(-0.6), DriftCause.JUDGE),
        (0.0, moved(-0.7), DriftCause.AGENT),
        (0.0, moved(swahili=6000), DriftCause.CUSTOMERS),
        (-0.7, moved(), DriftCause.SEVERAL),  # the trend is flat: the agent made up for the judge
    ],
)
def test_who_moved(judge: float, after: dict[str, CustomerStratum], who: DriftCause):
    shift = judge_shift(BASELINE, {anchor: score + judge for anchor, score in MONTH.items()})
    assert attribute_drift(shift, MIX, after).mover is who


def test_where_a_large_group_was_not_judged_nobody_is_accused():
    shift = judge_shift(BASELINE, MONTH)
    unjudged = {**moved(-2.0), "it · web": CustomerStratum(population=3000)}
    found = attribute_drift(shift, MIX, unjudged)
    assert (found.mover, "it · web" in found.why) == (DriftCause.CANNOT_TELL, True)
    assert attribute_drift(None, MIX, moved()).mover is DriftCause.CANNOT_TELL


@given(st.floats(0, 10), st.floats(0, 1), st.floats(-2, 2), st.floats(0, 0.5))
def test_a_corrected_mean_is_never_surer_than_the_raw_one(score: float, variance: float, value: float, spread: float):
    shift = shift_of(value, spread, 39, n=40, level=LEVEL)
    middle, low, high = corrected(score, variance, shift)
    assert 0 <= low <= middle <= high <= 10
    if 3 < score - value < 7 and low > 0 and high < 10:
        assert high - low >= 2 * 1.96 * variance**0.5 - 1e-9

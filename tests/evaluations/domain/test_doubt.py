"""Undecided is an answer: near the line a noisy judge is not believed, far from it it is."""

from random import Random
from statistics import variance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.evaluations.domain.doubt import (
    GRADINGS,
    Decision,
    Noise,
    Source,
    decide,
    deviations,
    doubt,
    flipped_share,
    flips,
    pooled,
    student,
    weighted_width,
)

MARK = 6.0


def graded(truths: list[float], *, sigma: float, repeats: int, chance: Random) -> list[Decision]:
    """One grading of a frozen run by a judge of this noise, which it learns from its own repeats alone."""
    answers = [[min(10.0, max(0.0, chance.gauss(truth, sigma))) for _ in range(repeats)] for truth in truths]
    noise = pooled([(variance(many), repeats - 1) for many in answers], Source.REPEATS) if repeats > 1 else None
    return [
        doubt(sum(many) / repeats, MARK, noises=[noise] if noise else [], answers=repeats).decision for many in answers
    ]


@pytest.mark.parametrize("sigma", [0.3, 0.8, 1.5])
@pytest.mark.parametrize("where", ["spread", "all on the mark"])
def test_grading_a_frozen_run_20_times_turns_no_more_than_5_percent_of_the_cases(sigma, where):
    chance = Random(7)
    truths = [MARK if where == "all on the mark" else chance.uniform(2, 10) for _ in range(400)]
    runs = [graded(truths, sigma=sigma, repeats=3, chance=chance) for _ in range(GRADINGS)]
    cases = dict(enumerate(zip(*runs, strict=True)))
    by_chance = 2 * (0.05 * 0.95 / 400) ** 0.5 if where == "all on the mark" else 0.0  # there it is 5 % exactly
    assert flipped_share(cases) <= 0.05 + by_chance
    tossed = [graded(truths, sigma=sigma, repeats=1, chance=chance) for _ in range(GRADINGS)]
    assert flipped_share(dict(enumerate(zip(*tossed, strict=True)))) > (0.05 if where == "spread" else 0.9)


def test_a_quiet_judge_still_decides_most_of_a_spread_run():
    chance = Random(1)
    truths = [chance.uniform(2, 10) for _ in range(400)]
    decided = [one for one in graded(truths, sigma=0.3, repeats=3, chance=chance) if one is not Decision.UNDECIDED]
    assert len(decided) / 400 > 0.85


def test_a_score_on_the_line_is_undecided_with_noise_and_passes_without():
    noise = Noise(source=Source.REPEATS, variance=0.25, degrees=60)
    assert doubt(6.1, MARK, noises=[noise]).decision is Decision.UNDECIDED
    assert doubt(6.0, MARK, noises=[]).decision is Decision.PASS
    assert doubt(5.9, MARK, noises=[]).interval is None
    assert doubt(9.0, MARK, noises=[noise]).decision is Decision.PASS
    assert doubt(3.0, MARK, noises=[noise]).decision is Decision.FAIL


def test_more_answers_make_the_interval_narrower():
    noise = Noise(source=Source.REPEATS, variance=1.0, degrees=100)
    one, nine = (doubt(7, MARK, noises=[noise], answers=n).interval for n in (1, 9))
    assert one
    assert nine
    assert (one[1] - one[0]) == pytest.approx(3 * (nine[1] - nine[0]))


def test_the_widest_of_what_is_known_counts():
    quiet = Noise(source=Source.REPEATS, variance=0.01, degrees=50)
    people = Noise(source=Source.CERTIFICATE, variance=1.0, degrees=40)
    found = doubt(6.8, MARK, noises=[quiet, people])
    assert (found.decision, found.source) == (Decision.UNDECIDED, Source.CERTIFICATE)


def test_nothing_asked_twice_gives_no_noise():
    assert pooled([], Source.REPEATS) is None
    assert pooled([(0.5, 2), (1.5, 2)], Source.REPEATS) == Noise(source=Source.REPEATS, variance=1.0, degrees=4)


def test_a_declared_error_rate_and_number_of_gradings_give_the_reach():
    reach = deviations(0.05, 20)
    assert reach == pytest.approx(2.2304, abs=1e-4)
    assert deviations(0.01, 20) > reach > deviations(0.05, 2)


@pytest.mark.parametrize("degrees, exact", [(1, 12.7062), (2, 4.30265), (3, 3.18245), (5, 2.57058), (30, 2.04227)])
def test_students_quantiles_are_those_of_the_tables(degrees, exact):
    assert student(1.959963985, degrees) == pytest.approx(exact, rel=0.005)


@given(st.floats(0, 10), st.floats(0, 10), st.floats(0, 5))
def test_pass_and_fail_never_overlap(score, mark, width):
    found = decide(score, mark, width)
    assert (found is Decision.PASS) == (score - width >= mark)
    assert not (found is Decision.FAIL and score >= mark)


def test_widths_of_one_answer_add_up_and_of_several_in_squares():
    assert weighted_width([(1, 1), (1, 1)], independent=False) == 1
    assert weighted_width([(1, 1), (1, 1)], independent=True) == pytest.approx(2**-0.5)
    assert weighted_width([], independent=True) == 0


def test_the_flip_rate_of_a_case_counts_decided_gradings():
    found = flips([Decision.PASS, Decision.PASS, Decision.FAIL, Decision.UNDECIDED])
    assert found.gradings == 4
    assert found.rate == pytest.approx(1 / 3)
    assert flips([Decision.PASS]).rate is None
    assert flipped_share({"a": [Decision.PASS]}) is None

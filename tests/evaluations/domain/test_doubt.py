"""Undecided is an answer: near the line a noisy judge is not believed, far from it it is."""

from random import Random
from statistics import variance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.evaluations.figures.domain.uncertainty import (
    GRADINGS,
    Decision,
    Noise,
    Source,
    decide,
    deviations,
    doubt,
    flipped_share,
    flips,
    half_width,
    pooled,
    reach,
    weighted_width,
    whole_answers,
)
from apps.statistics.decision import TOLERANCE

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
    others = Noise(source=Source.PANEL, variance=1.0, degrees=40)
    found = doubt(6.8, MARK, noises=[quiet, others])
    assert (found.decision, found.source) == (Decision.UNDECIDED, Source.PANEL)


def test_the_weighted_score_of_each_answer_and_only_of_whole_ones():
    first, second = [5.0, 6.0, 7.0], [7.0, 6.0, 5.0]
    assert whole_answers([(first, 1), (second, 1)]) == [6, 6, 6]
    assert whole_answers([(first, 3), (second, 1)]) == [5.5, 6, 6.5]
    assert whole_answers([(first, 1), ([7.0, None, 5.0], 1)]) == [6, 6]
    assert whole_answers([(first, 1), ([], 1)]) == []
    assert whole_answers([]) == whole_answers([(first, 0)]) == []


def test_the_spread_of_the_weighted_score_is_narrower_than_the_criteria_added_up():
    """Four criteria whose answers err on their own: the weighted score's own half-width is about half of their sum."""
    chance = Random(3)
    added, of_whole = [], []
    for _ in range(200):
        answers = [[7 + chance.gauss(0, 1) for _ in range(3)] for _ in range(4)]
        added.append([(variance(one), 2) for one in answers])
        of_whole.append((variance(whole_answers([(one, 1) for one in answers])), 2))
    noises = [pooled([spreads[n] for spreads in added], Source.REPEATS) for n in range(4)]
    own = half_width(pooled(of_whole, Source.REPEATS), answers=3, panel=False)
    together = weighted_width([(half_width(one, answers=3, panel=False), 1) for one in noises], independent=False)
    assert own / together == pytest.approx(0.5, abs=0.05)


def test_nothing_asked_twice_gives_no_noise():
    assert pooled([], Source.REPEATS) is None
    assert pooled([(0.5, 2), (1.5, 2)], Source.REPEATS) == Noise(source=Source.REPEATS, variance=1.0, degrees=4)


def test_a_declared_error_rate_and_number_of_gradings_give_the_reach():
    reach = deviations(0.05, 20)
    assert reach == pytest.approx(2.2304, abs=1e-4)
    assert deviations(0.01, 20) > reach > deviations(0.05, 2)


def test_the_reach_is_wider_where_the_noise_is_hardly_known():
    assert reach(2) > reach(10) > reach(1000)
    assert reach(10**6) == pytest.approx(deviations(), rel=1e-4)


@given(st.floats(0, 10), st.floats(0, 10), st.floats(0, 5))
def test_pass_and_fail_never_overlap(score, mark, width):
    found = decide(score, mark, width)
    assert (found is Decision.PASS) == (score - width >= mark - TOLERANCE)
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

"""Which slice of customers scores lower than the others: claimed within scenarios, and never from too few."""

import random

import pytest

from apps.dashboard.domain.slice_sentences import slices_sentence
from apps.reports.slices.domain.slices import SliceDimension, SliceScore, SliceState, scenarios_needed, slice_claims


def scores(loss: float, *, groups=("en", "it", "sw"), scenarios=20, own=False, seed=3) -> list[SliceScore]:
    """Scenarios differ by far more than slices do; the first slice is `loss` lower."""
    dice = random.Random(seed)
    found = []
    for at in range(scenarios):
        level = dice.uniform(3, 9)
        for group in groups:
            name = f"{group} {at}" if own else f"s{at}"
            found.append(SliceScore(scenario=name, group=group, score=level - loss * (group == groups[0]), n=2))
    return found


def states(claims):
    return {one.group: one.state for one in claims}


def test_a_slice_that_scores_lower_in_every_scenario_is_named_however_much_scenarios_differ():
    claims = slice_claims(scores(1.0))
    assert (claims[0].group, claims[0].state, claims[0].n) == ("en", SliceState.WORSE, 40)
    assert claims[0].difference == pytest.approx(-1.0)
    assert states(claims) == {"en": "worse", "it": "not_shown", "sw": "not_shown"}
    assert (
        slices_sentence(claims, SliceDimension.LANGUAGE)
        == "en scores 1.0 point lower than the others, within 20 scenarios."
    )


def test_nobody_is_named_where_all_are_alike_or_one_is_better():
    for loss in (0.0, -2.0):
        assert SliceState.WORSE not in {states(slice_claims(scores(loss, groups=("en", "it"))))["en"]}
    alike = slice_claims(scores(0.0))
    assert (
        slices_sentence(alike, SliceDimension.LANGUAGE)
        == "No language stands out: none scores lower than the others for sure."
    )


def test_what_rounding_alone_makes_lower_is_not_worse():
    scores = [SliceScore(scenario=f"s{at}", group=group, score=7.0, n=3) for at in range(30) for group in "abc"]
    scores += [SliceScore(scenario=f"s{at}", group="d", score=6.9999, n=1) for at in range(30)]
    assert {one.state for one in slice_claims(scores)} == {SliceState.NOT_SHOWN}


def test_a_claim_comes_with_how_far_apart_they_are():
    dice = random.Random(4)
    noisy = [
        SliceScore(scenario=f"s{at}", group=group, score=dice.gauss(5 if group == "sw" else 7, 1))
        for at in range(20)
        for group in ("en", "it", "sw")
    ]
    worst = slice_claims(noisy)[0]
    assert worst.interval is not None
    low, high = worst.interval
    assert (worst.group, worst.state) == ("sw", SliceState.WORSE)
    assert low < worst.difference < high < 0


def test_below_the_scenarios_a_sign_flip_needs_nothing_is_claimed():
    claims = slice_claims(scores(5.0, scenarios=6))
    assert set(states(claims).values()) == {SliceState.TOO_FEW}
    assert slices_sentence(claims, SliceDimension.PERSONA).startswith(
        "Too few scenarios to say whether a persona scores lower: 7"
    )
    assert [scenarios_needed(n) for n in (5, 12, 30, 60)] == [7, 8, 10, 11]
    assert slice_claims(scores(5.0, scenarios=7))[0].state is SliceState.WORSE


def test_slices_with_scenarios_of_their_own_are_compared_by_scenario_means_from_ten_on():
    assert slice_claims(scores(6.0, scenarios=10, own=True))[0].state is SliceState.WORSE
    assert {one.state for one in slice_claims(scores(6.0, scenarios=9, own=True))} == {SliceState.TOO_FEW}


def test_one_slice_or_none_says_nothing():
    assert slice_claims(scores(1.0, groups=("en",))) == slice_claims([]) == []
    assert slice_claims([SliceScore(scenario="a", group="", score=1.0)]) == []
    assert slices_sentence([], SliceDimension.PERSONA) == ""


def test_chance_alone_names_a_slice_in_at_most_one_of_twenty():
    """80 evaluations of twelve slices without a bad one; `benchmarks.slice_claims` runs many more."""
    dice, false = random.Random(5), 0
    for _ in range(80):
        noise = [
            SliceScore(scenario=f"s{at}", group=f"g{group}", score=dice.gauss(7, 1.5))
            for at in range(12)
            for group in range(12)
        ]
        false += any(one.state is SliceState.WORSE for one in slice_claims(noise))
    assert false <= 9  # 5 % and 2.5 standard errors

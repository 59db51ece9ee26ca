"""Two judges are said to disagree when they do, and only then."""

from dataclasses import replace
from random import Random

import pytest

from apps.evaluations.domain.cross_check import FEWEST, Agreement, PairedScore, agreement, chosen, disagree

MARK, TARGET = 6.0, 0.7


def pairs(*scores: tuple[float, float]) -> list[PairedScore]:
    return [PairedScore(judge=judge, other=other) for judge, other in scores]


def alarms(draw, *, seeds: int = 200, n: int = 40) -> int:
    found = 0
    for seed in range(seeds):
        chance = Random(seed)
        found += disagree(agreement(pairs(*(draw(chance) for _ in range(n))), pass_mark=MARK), target=TARGET)
    return found


def test_judges_who_give_nine_or_ten_raise_no_alarm_in_two_hundred_simulations():
    assert alarms(lambda chance: (chance.choice((9, 10)), chance.choice((9, 10)))) == 0


def test_judges_who_see_the_same_with_little_noise_raise_few():
    def draw(chance: Random) -> tuple[float, float]:
        truth = chance.uniform(2, 9)
        return truth + chance.uniform(-0.8, 0.8), truth + chance.uniform(-0.8, 0.8)

    assert alarms(draw) <= 10


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_a_judge_that_tosses_coins_is_found_out(share):
    def draw(chance: Random) -> tuple[float, float]:
        return (9 if chance.random() < share else 2), (9 if chance.random() < 0.5 else 2)

    assert alarms(draw) >= 170


def test_a_handful_of_conversations_proves_nothing():
    few = [PairedScore(judge=9, other=2)] * (FEWEST - 1)
    assert not disagree(agreement(few, pass_mark=MARK), target=TARGET)
    assert agreement([], pass_mark=MARK).ac1 is None


def test_agreement_of_pairs_that_were_counted_by_hand():
    """At the mark is passed: four of five are on one side, the first judge gives (1 - 1 + 0 + 3 - 0.5) / 5 more."""
    result = agreement(pairs((6, 5), (8, 9), (2, 2), (9, 6), (3, 3.5)), pass_mark=6)
    assert (result.n, result.same_side) == (5, 0.8)
    assert result.difference == pytest.approx(0.5)
    # Chance: 5 of 10 votes are passes, so 2 · 0.5 · 0.5; (0.8 - 0.5) / 0.5
    assert result.ac1 == pytest.approx(0.6)


def test_whoever_is_at_the_mark_passes_with_either_judge():
    assert agreement(pairs((6, 9), (9, 6)), pass_mark=6).same_side == 1
    assert agreement(pairs((6, 5.9), (5.9, 6)), pass_mark=6).same_side == 0


def test_ten_pairs_are_the_fewest_that_say_something():
    nine, ten = pairs(*[(9, 2), (2, 9), (5, 5)] * 3), pairs(*[(9, 2), (2, 9)] * 5)
    assert agreement(nine, pass_mark=MARK).kappa is None
    assert agreement(ten, pass_mark=MARK).kappa == pytest.approx(-1)
    assert disagree(agreement(ten, pass_mark=MARK), target=TARGET)
    assert not disagree(agreement(pairs(*[(9, 2), (2, 9), (9, 2)] * 3), pass_mark=MARK), target=TARGET)


def test_an_upper_end_that_reaches_the_target_is_no_disagreement():
    reaches = Agreement(n=40, ac1=0.5, ac1_interval=(0.3, 0.7), kappa=None, same_side=0.7, difference=0)
    assert not disagree(reaches, target=0.7)
    assert disagree(reaches, target=0.71)
    assert not disagree(replace(reaches, ac1_interval=None), target=0.9)


def test_without_pairs_nothing_is_said():
    nothing = Agreement(n=0, ac1=None, ac1_interval=None, kappa=None, same_side=None, difference=None)
    assert agreement([], pass_mark=MARK) == nothing


def test_a_tenth_of_the_conversations_is_chosen_and_always_the_same():
    names = [f"conversation-{at}" for at in range(2000)]
    tenth = {name for name in names if chosen(name, "judge", 0.1)}
    assert 150 <= len(tenth) <= 250
    assert (
        tenth
        == {name for name in names if chosen(name, "judge", 0.1)}
        != {name for name in names if chosen(name, "other judge", 0.1)}
    )
    assert tenth < {name for name in names if chosen(name, "judge", 0.2)}
    assert not any(chosen(name, "judge", 0) for name in names)
    assert all(chosen(name, "judge", 1) for name in names)

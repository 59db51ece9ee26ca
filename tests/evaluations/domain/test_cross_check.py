"""Two judges are said to disagree when they do, and only then."""

from random import Random

import pytest

from apps.evaluations.domain.cross_check import FEWEST, PairedScore, agreement, disagree

MARK, TARGET = 6.0, 0.7


def alarms(draw, *, seeds: int = 200, n: int = 40) -> int:
    found = 0
    for seed in range(seeds):
        chance = Random(seed)
        pairs = [PairedScore(judge=one, other=other) for one, other in (draw(chance) for _ in range(n))]
        found += disagree(agreement(pairs, pass_mark=MARK), target=TARGET)
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

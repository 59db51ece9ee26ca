"""When a canary is called worse: arms of every shape, looked at after each pair of conversations, from a fixed seed."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.production.rollouts.domain.rules import (
    ALPHA,
    LEAST,
    RULES,
    GuardedMetric,
    MetricVerdict,
    promotion_refusals,
    read_metric,
)
from apps.statistics.sequential import ArmCell

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
Draw = Callable[[random.Random], float]


def called_at(
    metric: GuardedMetric, stable: Draw, canary: Draw, *, seed: int = 0, most: int = 300, every: int = 5
) -> int | None:
    """After how many conversations of each arm the canary is worse, looked at after every fifth pair; None: never."""
    chance = random.Random(seed)
    cells = [ArmCell(), ArmCell()]
    for n in range(1, most + 1):
        for arm, draw in enumerate((stable, canary)):
            value, cell = draw(chance), cells[arm]
            cells[arm] = ArmCell(n=n, total=cell.total + value, squares=cell.squares + value * value)
        if n >= LEAST and n % every == 0:
            reading = read_metric(metric, [(cells[0], cells[1])])
            if reading.verdict is MetricVerdict.WORSE:
                return n
    return None


def constant(value: float) -> Draw:
    return lambda _: value


def rarely(share: float, usual: float, other: float) -> Draw:
    return lambda chance: other if chance.random() < share else usual


EQUAL: dict[str, Draw] = {
    "one score": constant(8),
    "a point lower in one of a hundred": rarely(0.01, 8, 7),
    "six lower in one of a hundred": rarely(0.01, 8, 2),
    "six lower in one of ten": rarely(0.1, 8, 2),
    "seven or eight": rarely(0.5, 8, 7),
    "hardly any spread": lambda chance: chance.gauss(8, 0.02),
    "a usual spread": lambda chance: chance.gauss(7, 1.5),
}


@pytest.mark.parametrize("shape", EQUAL)
def test_arms_that_are_equal_go_back_no_more_often_than_is_said(shape: str) -> None:
    runs = 200
    back = sum(called_at(GuardedMetric.SCORE, EQUAL[shape], EQUAL[shape], seed=n) is not None for n in range(runs))
    allowed = ALPHA / len(RULES)
    assert back <= runs * allowed + 2 * (runs * allowed * (1 - allowed)) ** 0.5


@pytest.mark.parametrize("metric", [GuardedMetric.COST, GuardedMetric.LATENCY])
def test_constant_costs_and_latencies_that_are_equal_never_go_back_and_twice_as_much_does(
    metric: GuardedMetric,
) -> None:
    assert called_at(metric, constant(log(0.02)), constant(log(0.02))) is None
    assert called_at(metric, constant(log(0.02)), constant(log(0.04))) == LEAST
    noisy = [called_at(metric, lambda c: c.gauss(0, 0.5), lambda c: c.gauss(log(2), 0.5), seed=n) for n in range(20)]
    assert all(n is not None and n <= 60 for n in noisy)


@pytest.mark.parametrize(
    "stable, canary",
    [
        (constant(8), constant(7)),
        (constant(8), constant(2)),
        (constant(10), constant(0)),
        (rarely(0.02, 8, 7), constant(7)),
        (constant(8), rarely(0.02, 7, 8)),
    ],
)
def test_a_loss_of_a_point_without_spread_is_found_within_forty_conversations(stable: Draw, canary: Draw) -> None:
    found = [called_at(GuardedMetric.SCORE, stable, canary, seed=n) for n in range(20)]
    assert all(n is not None and n <= 40 for n in found)


def test_constant_arms_that_are_equal_are_shown_to_be_no_worse() -> None:
    cell = ArmCell.of([8.0] * 40)
    reading = read_metric(GuardedMetric.SCORE, [(cell, cell)])
    assert (reading.verdict, reading.harm) == (MetricVerdict.WITHIN, 0.0)


@given(st.integers(0, 40), st.integers(30, 40), st.integers(0, 40), st.integers(30, 40))
def test_a_difference_of_shares_stays_within_a_hundred_points(k0: int, n0: int, k1: int, n1: int) -> None:
    stable, canary = (ArmCell.of([1.0] * min(k, n) + [0.0] * (n - min(k, n))) for k, n in ((k0, n0), (k1, n1)))
    reading = read_metric(GuardedMetric.TRANSFER, [(stable, canary)])
    assert reading.low is not None
    assert reading.high is not None
    assert -1 <= reading.low <= reading.high <= 1


@pytest.mark.parametrize(
    "strata, sentence",
    [
        ([], "Nothing is judged yet: 30 conversations of each version are needed."),
        ([(40, 0), (0, 40)], "No caller has judged conversations of both versions: 40 of the canary and 40 of stable"),
        ([(20, 35)], "35 of the canary and 20 of stable, and 30 of each are needed."),
        ([(1, 1)] * 35, "Too few are judged of each caller: 35 of the canary and 35 of stable are of 35 callers"),
    ],
)
def test_a_promotion_is_refused_with_what_is_missing(strata: list[tuple[int, int]], sentence: str) -> None:
    cells = [(ArmCell.of([8.0] * stable), ArmCell.of([8.0] * canary)) for stable, canary in strata]
    reading = read_metric(GuardedMetric.SCORE, cells)
    refusals = promotion_refusals([reading], started_at=NOW - timedelta(hours=25), now=NOW, margin=0.5)
    assert [one.code for one in refusals] == ["too_few"]
    assert sentence in refusals[0].sentence

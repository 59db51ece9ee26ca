"""The same conversation in two languages."""

from random import Random

from apps.reports.slices.domain.parity import Parallel, gaps


def pairs(n: int, lower_by: float) -> list[Parallel]:
    chance = Random(2)
    found = []
    for number in range(n):
        score = chance.uniform(5, 9)
        found.append(Parallel(parallel_id=str(number), language="en", scores={"tone": score, "flow": score}))
        sw = {"tone": score - lower_by + chance.gauss(0, 0.3), "flow": score + chance.gauss(0, 0.3)}
        found.append(Parallel(parallel_id=str(number), language="sw", scores=sw))
    return found


def test_a_language_that_is_treated_worse_is_named():
    tone, flow = gaps(pairs(20, 1.0), criteria=["tone", "flow"], seed=1)
    assert tone.sentence.startswith("sw scores 1.")
    assert tone.interval[0] < -0.8
    assert tone.chance < 0.01
    assert flow.sentence.startswith("no difference shown")


def test_few_pairs_cannot_tell():
    (found,) = gaps(pairs(3, 1.0), criteria=["tone"], seed=1)
    assert found.sentence == "cannot tell: 3 pairs, 6 are needed"


def test_what_is_not_scored_in_both_is_no_pair():
    one = [
        Parallel(parallel_id="1", language="en", scores={"tone": 8.0}),
        Parallel(parallel_id="1", language="it", scores={"tone": None}),
        Parallel(parallel_id="2", language="en", scores={"tone": 8.0}),
    ]
    assert gaps(one, criteria=["tone"], seed=1) == []

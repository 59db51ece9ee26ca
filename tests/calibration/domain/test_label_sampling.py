"""Whom a month's labelling round asks about: real customers first, and what surprised before the rest."""

import pytest

from apps.calibration.domain.label_sampling import Candidate, sample_for_labelling, surprised


def test_real_customers_come_first_and_surprises_before_the_rest():
    tests = [Candidate(id=f"t{n}", language="en", score=0.0, spread=9.0, evidence=0.0) for n in range(20)]
    real = [Candidate(id=f"r{n}", language="en", score=7.0, spread=0.1, evidence=1.0, real=True) for n in range(6)]
    liked = Candidate(id="liked", language="sw", score=6.0, spread=0.0, evidence=1.0, real=True, surprising=True)
    chosen = [one.id for one, _ in sample_for_labelling([*tests, *real, liked], seed=202611)]
    assert chosen[0] == "liked"
    assert set(chosen[1:7]) == {one.id for one in real}
    assert len([one for one in chosen if str(one).startswith("t")]) == 3


@pytest.mark.parametrize(
    "score, thumbs, is_one",
    [
        (8.0, (), False),
        (8.0, (True,), False),
        (8.0, (False,), True),
        (2.0, (True, True), True),
        (8.0, (True, False), True),
    ],
)
def test_a_surprise_is_a_rating_that_the_score_does_not_explain(score, thumbs, is_one):
    assert surprised(score, thumbs) is is_one

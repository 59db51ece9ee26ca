"""The one decision: marks over what was scored, blocking criteria, undecided, unmeasurable."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.statistics.decision import Decision, Measured, decide, decide_conversation, decide_evaluation, mark_of

points = st.floats(0, 10)
QUIET: dict[str, int] = {}


def test_a_criterion_without_a_score_lifts_no_mark():
    assert mark_of({"first": 6.0}, {"first": 1.0, "second": 3.0}) == 6.0
    assert mark_of({"first": 6.0, "second": 9.0}, {"first": 1.0, "second": 2.0}) == 8.0
    assert mark_of({}, {"first": 1.0}) is None


@pytest.mark.parametrize(
    "score, mark, width, expected",
    [
        (6, 6, 0, "pass"),
        (6 - 1e-12, 6, 0, "pass"),
        (5.99, 6, 0, "fail"),
        (6.5, 6, 1, "undecided"),
        (5.5, 6, 0.5, "undecided"),
        (5.4, 6, 0.5, "fail"),
        (None, 6, 0, "unmeasurable"),
    ],
)
def test_a_score_passes_where_its_whole_interval_does(score, mark, width, expected):
    assert decide(score, mark, width) == expected


def test_a_blocking_criterion_fails_the_conversation_whatever_its_mean():
    whole = Measured(name="", score=9.4, mark=6)
    found = decide_conversation(whole, [Measured(name="safety", score=2, mark=8), Measured(name="b", score=9, mark=8)])
    assert (found.decision, found.blockers) == (Decision.FAIL, ("safety",))


def test_a_blocking_criterion_that_should_have_a_score_and_has_none_leaves_a_pass_undecided():
    silent = [Measured(name="safety", score=None, mark=8)]
    assert decide_conversation(Measured(name="", score=9, mark=6), silent).decision is Decision.UNDECIDED
    assert decide_conversation(Measured(name="", score=3, mark=6), silent).decision is Decision.FAIL


def test_a_blocking_criterion_in_doubt_leaves_a_passing_conversation_undecided():
    unsure = [Measured(name="safety", score=8.1, mark=8, width=1)]
    assert decide_conversation(Measured(name="", score=9, mark=6), unsure).decision is Decision.UNDECIDED
    assert decide_conversation(Measured(name="", score=3, mark=6), unsure).decision is Decision.FAIL


@settings(max_examples=60)
@given(points, points, st.floats(0, 5), st.floats(0, 5))
def test_more_doubt_never_turns_a_pass_into_a_fail(score, mark, width, more):
    before, after = decide(score, mark, width), decide(score, mark, width + more)
    assert after in (before, Decision.UNDECIDED)


@settings(max_examples=60)
@given(points, points, points, points)
def test_a_blocking_criterion_never_helps(score, mark, other, bar):
    whole = Measured(name="", score=score, mark=mark)
    alone = decide_conversation(whole).decision
    blocked = decide_conversation(whole, [Measured(name="safety", score=other, mark=bar)])
    assert blocked.decision is (Decision.FAIL if other < bar - 1e-9 else alone)


def test_an_evaluation_names_what_blocks_it():
    found = decide_evaluation(
        status="completed", score=9.1, mark=6.0, blocked={"sicurezza_pagamento": 2}, undecided=QUIET
    )
    assert (found.decision, found.why) == (Decision.FAIL, "blocked")
    assert found.sentence == "fails: sicurezza_pagamento blocks 2 conversations"


@pytest.mark.parametrize("status", ["failed", "cancelled", "timeout", "running"])
def test_what_did_not_complete_is_unmeasurable(status):
    found = decide_evaluation(status=status, score=9.0, mark=6.0, blocked=QUIET, undecided=QUIET)
    assert found.decision is Decision.UNMEASURABLE

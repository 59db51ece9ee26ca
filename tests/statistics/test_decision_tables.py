"""Every outcome beside every other one, and every sentence about an evaluation."""

from typing import Any

import pytest

from apps.statistics.decision import (
    LEAST_CASES,
    Decision,
    Overall,
    decide,
    decide_beside,
    decide_check,
    decide_checks,
    decide_evaluation,
    decide_run,
    mark_of,
    may_not_apply,
    measured_of,
    on_criteria,
    too_little_measured,
)

PASS, FAIL, UNDECIDED, UNMEASURABLE, SKIPPED = Decision


@pytest.mark.parametrize(
    "outcomes, checks, run",
    [
        ([PASS], PASS, PASS),
        ([PASS, SKIPPED], PASS, PASS),
        ([PASS, FAIL], FAIL, FAIL),
        ([PASS, UNDECIDED], UNDECIDED, UNDECIDED),
        ([FAIL, UNDECIDED], FAIL, FAIL),
        ([FAIL, UNMEASURABLE], UNMEASURABLE, FAIL),
        ([UNDECIDED, UNMEASURABLE, PASS], UNMEASURABLE, UNMEASURABLE),
        ([SKIPPED], UNMEASURABLE, UNMEASURABLE),
        ([], UNMEASURABLE, UNMEASURABLE),
    ],
)
def test_many_checks_make_one_outcome(outcomes: list[Decision], checks: Decision, run: Decision) -> None:
    assert decide_checks(outcomes) is checks
    assert decide_run(iter(outcomes)) is run
    assert decide_run(outcomes, agent_failed=True) is FAIL
    assert decide_run(outcomes, undecided=True) is (FAIL if FAIL in outcomes else UNDECIDED)


@pytest.mark.parametrize(
    "judged, checked, outcome",
    [
        (None, None, None),
        (None, PASS, PASS),
        (PASS, None, PASS),
        (UNMEASURABLE, None, UNMEASURABLE),
        (None, UNMEASURABLE, UNMEASURABLE),
        (PASS, FAIL, FAIL),
        (FAIL, PASS, FAIL),
        (FAIL, UNDECIDED, FAIL),
        (UNDECIDED, FAIL, FAIL),
        (UNMEASURABLE, FAIL, FAIL),
        (PASS, UNDECIDED, UNDECIDED),
        (UNDECIDED, PASS, UNDECIDED),
        (PASS, UNMEASURABLE, PASS),
        (UNMEASURABLE, PASS, PASS),
        (UNMEASURABLE, UNMEASURABLE, UNMEASURABLE),
    ],
)
def test_a_judge_and_checks_decide_side_by_side(
    judged: Decision | None, checked: Decision | None, outcome: Decision | None
) -> None:
    assert decide_beside(judged, checked) is outcome


def test_a_check_at_its_threshold_passes_and_one_that_does_not_apply_is_skipped() -> None:
    assert [decide_check(score, 0.8) for score in (0.8, 0.79, None)] == [PASS, FAIL, UNMEASURABLE]
    assert decide_check(0.1, 0.8, applies=False) is SKIPPED


def test_an_interval_that_ends_at_the_mark_is_in_doubt() -> None:
    assert decide(5.5, 6, 0.5) is UNDECIDED
    assert decide(5.5 - 1e-6, 6, 0.5) is FAIL
    assert decide(6.5, 6, 0.5) is PASS


@pytest.mark.parametrize(
    "missing, expected, too_little",
    [(0, 0, False), (0, 8, False), (1, 8, True), (1, 9, False), (2, 16, True), (3, 16, True)],
)
def test_an_eighth_without_a_verdict_is_too_much(missing: int, expected: int, too_little: bool) -> None:
    assert too_little_measured(missing, expected) is too_little
    assert LEAST_CASES == 10


def test_marks_that_weigh_nothing_are_no_mark() -> None:
    assert mark_of({"a": 6.0}, {"a": 0.0}) is None
    assert mark_of({"a": 6.0, "b": 9.0}, {}) == 7.5


def test_a_text_says_that_it_may_not_apply() -> None:
    assert may_not_apply("Warm.", "Without any payment: Not Applicable")
    assert not may_not_apply("Applies always.", None)


def overall(**more: Any) -> Overall:
    return decide_evaluation(
        **{"status": "completed", "score": 7.0, "mark": 6.0, "blocked": {}, "undecided": {}, **more}
    )


@pytest.mark.parametrize(
    "more, decision, why, sentence",
    [
        ({}, PASS, "reaches_mark", "passes: 7.00 reaches the pass mark 6.00"),
        ({"score": 6.0}, PASS, "reaches_mark", "passes: 6.00 reaches the pass mark 6.00"),
        ({"score": 5.5}, FAIL, "below_mark", "fails: 5.50 is below the pass mark 6.00"),
        ({"score": 5.5, "undecided": {"a": 1}, "missing": 8, "expected": 8}, FAIL, "below_mark", None),
        ({"score": None}, UNMEASURABLE, "no_mark", "not measured: no score counts in the 0-10 mean"),
        ({"mark": None}, UNMEASURABLE, "no_mark", None),
        (
            {"sparse": ["a", "b"], "of_criteria": 5}, PASS, "reaches_mark",
            "passes: 7.00 on 3 of 5 criteria reaches the pass mark 6.00",
        ),
        ({"agent_failed": 1}, FAIL, "agent_failed", "fails: the agent itself failed in 1 conversation"),
        ({"agent_failed": 1200}, FAIL, "agent_failed", "fails: the agent itself failed in 1,200 conversations"),
        ({"blocked": {"a": 1}, "agent_failed": 2}, FAIL, "blocked", "fails: a blocks 1 conversation"),
        (
            {"blocked": {"a": 2, "b": 1, "c": 3}, "titles": {"a": "Safe"}}, FAIL, "blocked",
            "fails: Safe blocks 2 conversations, b blocks 1 conversation and c blocks 3 conversations",
        ),
        ({"missing": 1, "expected": 8}, UNDECIDED, "too_little_measured", "undecided: 7 of 8 could be judged"),
        (
            {"undecided": {"a": 2, "b": 1}, "titles": {"b": "Safe"}}, UNDECIDED, "blocking_undecided",
            "undecided: a cannot tell about 2 conversations and Safe cannot tell about 1 conversation",
        ),
        ({"status": "failed", "error": "No key."}, UNMEASURABLE, "not_completed", "not measured: failed. No key."),
        ({"status": "running", "blocked": {"a": 1}}, UNMEASURABLE, "not_completed", "not measured: running"),
    ],
)  # fmt: skip
def test_an_evaluation_is_decided_and_says_why(more: Any, decision: Decision, why: str, sentence: str | None) -> None:
    result = overall(**more)
    assert (result.decision, result.why) == (decision, why)
    assert result.blocked == (more.get("blocked", {}) if why == "blocked" else {})
    assert sentence in (None, result.sentence)


def test_figures_are_written_with_their_whole() -> None:
    assert measured_of(1, 2000) == "1,999 of 2,000 could be judged"
    assert (on_criteria([], 5), on_criteria(["a"], 5)) == ("", " on 4 of 5 criteria")

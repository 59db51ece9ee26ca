"""What must not happen again stops a pull request, and the pull request cannot make it easier."""

import random
from collections.abc import Mapping
from typing import Any

import pytest

from apps.gates.domain.confirmation import MUST_NOT_PLAYS
from apps.gates.domain.decision import GateDecision, decide_gate
from apps.gates.domain.gate_states import GateReasonCode
from apps.gates.domain.must_not import held_to_must_not, not_played
from apps.gates.domain.policy import GatePolicy, read_policy
from apps.gates.domain.prevented import by_scenario, prevented_cases, scenario_names
from apps.gates.domain.side import GateSide, with_replays
from apps.statistics.decision import Decision
from tests.gates.sides import BASE, side, trial

KEPT = 3
CASE = trial(KEPT).digest
NAME = "MustNotHappenAgain/refund"


def conversation(number: int, refund: float | None = 9.0, *, mark: float | None = 6.0, **more: Any) -> Any:
    """A good conversation, but for what the criterion `refund` says of it."""
    criteria = {"flow": 8.0} | ({} if refund is None else {"refund": refund})
    must_not = {"refund": mark} if mark is not None and number == KEPT else {}
    return trial(number, criteria=criteria, must_not=must_not, scenario=f"late_refund.p{number}", **more)


def played(*refunds: float | None, mark: float | None = 6.0, commit: str = "c" * 40, **more: Any) -> GateSide:
    others = [conversation(at) for at in range(20) if at != KEPT]
    return side([*(conversation(KEPT, one, mark=mark) for one in refunds), *others], commit=commit, **more)


def decide(here: GateSide, there: GateSide | None, policy: Mapping[str, Any] | None = None, **more: Any) -> Any:
    own = more.pop("own", False)
    here, there = held_to_must_not(here, there, own=own)
    rule = read_policy(policy) if policy else GatePolicy()
    return decide_gate(candidate=here, baseline=there, policy=rule, base_commit=BASE, **more)


def confirmed(ours: float | None, theirs: float | None = 9.0, **more: Any) -> GateDecision:
    """Played three times on both sides: the candidate scores `ours` each time."""
    mark = more.pop("mark", 6.0)
    here = played(*[ours] * MUST_NOT_PLAYS, mark=mark)
    there = played(*[theirs] * MUST_NOT_PLAYS, commit=BASE, mark=more.pop("mark_before", 6.0))
    return decide(here, there, **more)


def test_one_bad_score_is_played_again_and_three_are_a_no() -> None:
    here, there = played(2.0), played(9.0, commit=BASE)
    first = decide(here, there)
    assert (first.decision, first.why, first.play_again) == (
        Decision.UNDECIDED, GateReasonCode.TO_CONFIRM, {CASE: 2}
    )  # fmt: skip
    replays = [side([conversation(KEPT, score)] * 2, commit=commit) for score, commit in ((2.0, "c" * 40), (9.0, BASE))]
    second = decide(
        with_replays(here, replays[0], times=first.play_again), with_replays(there, replays[1], times=first.play_again)
    )
    assert (second.decision, second.why) == (Decision.FAIL, GateReasonCode.HARD_ASSERTION)
    (case,) = [one for one in second.cases if one.why]
    assert case.why.startswith(f"{NAME}: passes 0 of 3, the baseline's 3 of 3: 2 of 10; below 6")


@pytest.mark.parametrize(
    "ours, theirs, decision",
    [(9.0, 9.0, Decision.PASS), (6.0, 9.0, Decision.PASS), (5.9, 9.0, Decision.FAIL), (2.0, 2.0, Decision.FAIL)],
)
def test_the_mark_itself_is_enough_and_what_the_baseline_fails_in_too_stops_all_the_same(
    ours, theirs, decision
) -> None:
    assert confirmed(ours, theirs).decision is decision


@pytest.mark.parametrize(
    "ours, decision", [((2.0, 9.0, 9.0), Decision.PASS), ((2.0, 2.0, 9.0), Decision.FAIL), ((2.0,), Decision.UNDECIDED)]
)
def test_one_slip_of_three_stops_nothing_and_two_do(ours, decision) -> None:
    assert decide(played(*ours), played(9.0, 9.0, 9.0, commit=BASE)).decision is decision


def test_a_baseline_that_was_played_once_or_fails_is_no_excuse() -> None:
    first = decide(played(2.0), played(2.0, commit=BASE))
    assert (first.decision, first.play_again) == (Decision.UNDECIDED, {CASE: 2})
    assert decide(played(2.0, 2.0, 2.0), played(2.0, commit=BASE)).decision is Decision.FAIL


def test_who_wants_it_soft_names_it() -> None:
    found = decide(played(*[2.0] * 3), played(*[9.0] * 3, commit=BASE), {"soft_checks": ["MustNotHappenAgain"]})
    assert found.decision is Decision.PASS


def test_who_declares_it_hard_needs_no_replay() -> None:
    found = decide(played(2.0), played(9.0, commit=BASE), {"hard_checks": ["MustNotHappenAgain"]})
    assert (found.decision, found.failures[0].name) == (Decision.FAIL, NAME)


@pytest.mark.parametrize("softened", [1.0, None])
def test_a_change_that_lowers_or_takes_away_the_mark_is_held_to_the_merge_bases(softened: float | None) -> None:
    assert confirmed(2.0, mark=softened).decision is Decision.FAIL
    assert confirmed(2.0, mark=softened, own=True).decision is Decision.PASS, "a person accepted it"


def test_two_hundred_softened_sets_of_marks_never_pass_what_failed() -> None:
    chance = random.Random(7)
    for _ in range(200):
        before, score = chance.uniform(1, 10), chance.uniform(0, 10)
        after = chance.choice([None, chance.uniform(0.1, before)])
        found = confirmed(score, 10.0, mark=after, mark_before=before)
        assert (found.decision is Decision.FAIL) is (score < before), (before, after, score)


def test_what_the_judge_did_not_score_is_neither_good_nor_bad_and_is_told() -> None:
    here = played(None)
    found = decide(here, played(9.0, commit=BASE))
    checked = held_to_must_not(here, None)[0].trials[0].checks[NAME]
    assert (checked.outcome, checked.score) == (Decision.UNMEASURABLE, None)
    assert found.decision is Decision.PASS
    assert GateReasonCode.MUST_NOT_UNSCORED in [one.code for one in found.reasons]


def test_what_an_uncertified_judge_says_stops_nobody_where_a_certificate_is_required() -> None:
    certified = {"flow": True, "facts": True, "refund": False}
    here = played(*[2.0] * MUST_NOT_PLAYS, certified=certified)
    found = decide(here, played(*[9.0] * MUST_NOT_PLAYS, commit=BASE), {"require_certificate": True})
    assert (found.decision, found.why) == (Decision.UNMEASURABLE, GateReasonCode.NOT_CERTIFIED)


def test_a_scenario_that_is_not_played_any_more_is_no_pass() -> None:
    here = side([conversation(at) for at in range(20) if at != KEPT])
    there = played(9.0, commit=BASE)
    gone = not_played(here, there)
    assert gone == ["late_refund.p3"]
    found = decide(here, there, not_played=gone)
    assert (found.decision, found.why) == (Decision.UNMEASURABLE, GateReasonCode.MUST_NOT_GONE)


def test_prevented_is_what_stopped_the_pull_request_once_a_scenario() -> None:
    here = held_to_must_not(played(*[2.0] * MUST_NOT_PLAYS), played(*[9.0] * MUST_NOT_PLAYS, commit=BASE))[0]
    found = prevented_cases(confirmed(2.0), here)
    assert [(one.scenario, one.case) for one in found] == [("late_refund.p3", "case-3")]
    assert scenario_names(found) == {"late_refund", "late_refund.p3"}
    assert list(by_scenario(found, {"late_refund"})) == ["late_refund"]
    assert list(by_scenario(found, {"late_refund", "late_refund.p3"})) == ["late_refund.p3"]
    assert by_scenario(found, {"late"}) == {}
    assert [one.scenario for one in prevented_cases(confirmed(2.0, 2.0), here)] == ["late_refund.p3"]


@pytest.mark.parametrize("hard, decision, counted", [("any", Decision.FAIL, 1), ("new", Decision.PASS, 0)])
def test_what_the_baseline_fails_in_too_is_prevented_where_the_policy_stops_it(hard, decision, counted) -> None:
    """As on the day a candidate is released, when the live prompt still does what must not happen again."""
    here = held_to_must_not(played(2.0), played(2.0, commit=BASE))[0]
    found = decide(here, played(2.0, commit=BASE), {"hard_checks": ["MustNotHappenAgain"], "hard": hard})
    assert (found.decision, len(prevented_cases(found, here))) == (decision, counted)

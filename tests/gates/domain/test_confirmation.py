"""A tool that an agent misses now and then stops nobody by chance; one that the change takes away always does."""

import pytest

from apps.core.errors import BadInput
from apps.gates.domain.decision import GateDecision, decide_gate
from apps.gates.domain.gate_states import GateReasonCode
from apps.gates.domain.policy import GatePolicy, read_policy
from apps.gates.domain.side import CheckFact, GateSide, GateTrial, with_replays
from apps.statistics.decision import Decision
from apps.statistics.proportions import higher_by_chance_p
from benchmarks.gate_tools import PLANTED, ToolGates, chance_of_a_false_stop
from tests.gates.sides import BASE, checked, side, trial

TOOLS = "ScenarioToolsMetric"
CASE = trial(3).digest


def called(number: int, outcome: str = "pass", *, fact: bool = False, name: str = TOOLS) -> GateTrial:
    check = checked(outcome, reason="book was never called; no tool was.", fact=fact)
    return trial(number, checks={name: check}, passed=outcome == "pass")


def played(*outcomes: str, commit: str = "c" * 40) -> GateSide:
    """Case 3 came to these outcomes, all the others passed."""
    others = [called(at) for _ in outcomes for at in range(20) if at != 3]
    return side([*(called(3, one) for one in outcomes), *others], commit=commit)


def decide(here: GateSide, there: GateSide | None, policy: GatePolicy | None = None) -> GateDecision:
    return decide_gate(candidate=here, baseline=there, policy=policy or GatePolicy(), base_commit=BASE)


def after_replays(ours: list[str], theirs: list[str]) -> GateDecision:
    here, there = played("fail"), played("pass", commit=BASE)
    first = decide(here, there)
    assert first.play_again == {CASE: 6}
    return decide(
        with_replays(here, side([called(3, one) for one in ours]), times=first.play_again),
        with_replays(there, side([called(3, one) for one in theirs], commit=BASE), times=first.play_again),
    )


def test_a_tool_that_is_missed_once_is_played_six_times_more_before_it_stops() -> None:
    found = decide(played("fail"), played("pass", commit=BASE))
    assert (found.decision, found.why) == (Decision.UNDECIDED, GateReasonCode.TO_CONFIRM)
    assert "Tool assertion fails in 1 case (case-3), where the baseline passes" in found.sentence
    assert found.play_again == {CASE: 6}


@pytest.mark.parametrize(
    "fails, baseline_fails, stops",
    [
        (6, 0, True),
        (3, 0, True),
        (5, 1, True),
        (6, 3, True),
        (2, 0, False),
        (0, 0, False),
        (4, 1, False),
        (6, 4, False),
    ],
)
def test_six_new_plays_tell_chance_from_the_change(fails: int, baseline_fails: int, stops: bool) -> None:
    found = after_replays(
        ["fail"] * fails + ["pass"] * (6 - fails), ["fail"] * baseline_fails + ["pass"] * (6 - baseline_fails)
    )
    assert not found.play_again
    if stops:
        assert (found.decision, found.why) == (Decision.FAIL, GateReasonCode.HARD_ASSERTION)
        told = f"passes {6 - fails} of 6, the baseline's {6 - baseline_fails} of 6: book was never called"
        assert told in found.cases[0].why
    else:
        assert found.decision is Decision.PASS
        assert GateReasonCode.NOT_CONFIRMED in [one.code for one in found.reasons], "it is never left unsaid"


def test_the_failure_that_was_picked_out_of_many_cases_is_no_evidence() -> None:
    """With it three plays of seven fail, and none of the baseline's: of new plays two of six do."""
    found = after_replays(["fail", "fail", *["pass"] * 4], ["pass"] * 6)
    assert (found.decision, GateReasonCode.NOT_CONFIRMED in [one.code for one in found.reasons]) == (
        Decision.PASS, True
    )  # fmt: skip


def test_of_more_suspects_each_has_to_be_clearer() -> None:
    """An agent that fails often is suspected in many cases, and one of them will fail again by chance."""

    def of_three(fails: int, commit: str) -> GateSide:
        outcomes = ["fail"] * fails + ["pass"] * (6 - fails)
        return side([called(at, one) for at in (3, 4, 5) for one in outcomes], commit=commit)

    here = side([called(at, "fail" if at in (3, 4, 5) else "pass") for at in range(20)])
    there = side([called(at) for at in range(20)], commit=BASE)
    times = decide(here, there).play_again
    assert set(times.values()) == {6}

    def after(fails: int) -> GateReasonCode:
        replays = [of_three(fails, "c" * 40), of_three(0, BASE)]
        return decide(*(with_replays(one, more, times=times) for one, more in zip((here, there), replays, strict=True))
                      ).why  # fmt: skip

    assert after(3) is not GateReasonCode.HARD_ASSERTION
    assert after(5) is GateReasonCode.HARD_ASSERTION


def test_replays_enter_no_mean() -> None:
    """Only what failed is played again: in a mean it would pull the candidate up."""
    found = after_replays(["pass"] * 6, ["pass"] * 6)
    (tools,) = [one for one in found.metrics if one.metric == f"check:{TOOLS}"]
    assert (tools.n, len(tools.lost), tools.candidate) == (20, 1, 0.95)


def test_what_failed_for_the_baseline_too_is_compared_at_once() -> None:
    found = decide(played("fail"), played("fail", commit=BASE))
    assert (found.decision, found.play_again) == (Decision.PASS, {})


def test_of_five_repeats_three_must_fail_before_a_case_is_played_again() -> None:
    there = played(*["pass"] * 5, commit=BASE)
    assert decide(played("fail", "pass", "fail", "pass", "fail"), there).play_again == {CASE: 6}
    assert decide(played("fail", "pass", "pass", "fail", "pass"), there).decision is Decision.PASS


@pytest.mark.parametrize("fact, policy", [(True, GatePolicy()), (False, GatePolicy(hard_checks=(TOOLS,)))])
def test_a_fact_and_what_was_declared_hard_stop_at_once(fact: bool, policy: GatePolicy) -> None:
    here = side([called(3, "fail", fact=fact), *(called(at) for at in range(20) if at != 3)])
    found = decide(here, played("pass", commit=BASE), policy)
    assert (found.decision, found.why, found.play_again) == (Decision.FAIL, GateReasonCode.HARD_ASSERTION, {})


def test_a_soft_check_is_compared_whatever_it_says() -> None:
    here = side([called(3, "fail", fact=True), *(called(at) for at in range(20) if at != 3)])
    assert decide(here, played("pass", commit=BASE), GatePolicy(soft_checks=(TOOLS,))).decision is Decision.PASS


def test_a_tool_that_fails_in_many_cases_is_a_loss_without_a_replay() -> None:
    here = side([called(at, "fail" if at % 2 else "pass") for at in range(20)])
    found = decide(here, side([called(at) for at in range(20)], commit=BASE))
    assert (found.decision, found.why) == (Decision.FAIL, GateReasonCode.LOSS)


def test_a_failing_tool_without_a_baseline_is_not_measured() -> None:
    found = decide(played("fail"), None)
    assert (found.decision, found.why) == (Decision.UNMEASURABLE, GateReasonCode.NO_BASELINE)


def test_few_cases_without_a_judge_are_confirmed_all_the_same() -> None:
    def unjudged(outcome: str, commit: str) -> GateSide:
        fact: dict[str, CheckFact] = {TOOLS: checked(outcome)}
        return side([trial(at, None, checks=fact, passed=outcome == "pass") for at in range(2)], commit=commit,
                    fingerprint="")  # fmt: skip

    here, there = unjudged("fail", "c" * 40), unjudged("pass", BASE)
    first = decide(here, there)
    assert (first.decision, set(first.play_again.values())) == (Decision.UNDECIDED, {6})
    more = [one for _ in range(6) for one in here.trials]
    fine = [one for _ in range(6) for one in there.trials]
    times = first.play_again
    stopped = decide(with_replays(here, side(more), times=times), with_replays(there, side(fine), times=times))
    assert stopped.decision is Decision.FAIL
    passed = decide(with_replays(here, side(fine), times=times), with_replays(there, side(fine), times=times))
    assert passed.decision is Decision.PASS
    assert unjudged("pass", BASE).by_case()


def test_a_check_is_declared_once() -> None:
    with pytest.raises(BadInput, match="stands in soft_checks and in hard_checks"):
        read_policy({"soft_checks": [TOOLS], "hard_checks": [TOOLS]})


@pytest.mark.parametrize("assertions", [24, 72])
@pytest.mark.parametrize("q", [0.02, 0.06, 0.1, 0.2, 0.3, 0.5])
def test_a_change_without_effect_is_stopped_once_in_twenty_at_most_however_often_the_agent_fails(
    q: float, assertions: int
) -> None:
    assert chance_of_a_false_stop(q, assertions) <= 0.05


def test_the_chance_of_a_false_stop_is_what_is_declared_in_the_documents() -> None:
    declared = {0.02: 0.0, 0.06: 0.001, 0.1: 0.003, 0.2: 0.011, 0.3: 0.018}
    assert {q: round(chance_of_a_false_stop(q, 24), 3) for q in declared} == declared


def test_the_gate_stops_as_few_harmless_changes_as_is_computed() -> None:
    answers, _ = ToolGates(cases=24, assertions=3, q=0.15).decided(PLANTED[0], 40, seed=1)
    assert answers[Decision.FAIL] <= 2


def test_the_exact_test_takes_the_worst_common_share() -> None:
    assert higher_by_chance_p(6, 6, 0, 6) == pytest.approx(0.5**12, rel=1e-3)
    assert higher_by_chance_p(3, 6, 0, 6) == pytest.approx(0.0338, abs=5e-4)
    assert higher_by_chance_p(0, 0, 0, 0) == 1.0


def test_a_lost_case_is_explained_by_the_assertion_that_was_lost() -> None:
    name = "runner_assertion/assertions/0 (contains)"
    here = side([called(at, "fail" if at % 2 else "pass", name=name) for at in range(20)])
    found = decide(here, side([called(at, name=name) for at in range(20)], commit=BASE))
    lost = [one for one in found.cases if one.change == "lost"]
    assert lost
    assert {one.why for one in lost} == {"assertions/0 (contains): book was never called; no tool was."}

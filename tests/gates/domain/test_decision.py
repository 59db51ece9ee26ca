"""The order of the decision, what is out of the denominators, and that nothing passes silently."""

from typing import Any

import pytest

from apps.gates.domain.decision import GateDecision, decide_gate
from apps.gates.domain.gate_states import CaseChange, ChainLink, GateKind, GateReasonCode, HardRule, UndecidedPolicy
from apps.gates.domain.losses import MetricOutcome
from apps.gates.domain.measurability import GateMoney
from apps.gates.domain.policy import GatePolicy, exit_code_of, policy_sentence
from apps.gates.domain.side import GateSide, JudgedAs
from apps.statistics.decision import Decision
from tests.gates.sides import BASE, HEAD, checked, played, side, trial, with_checks


def decide(candidate: GateSide, baseline: GateSide | None = None, **more: Any) -> GateDecision:
    policy = more.pop("policy", GatePolicy())
    return decide_gate(candidate=candidate, baseline=baseline, policy=policy, base_commit=BASE, **more)


def level(cases: int, score: float = 8.0, **more: Any) -> GateSide:
    return side([trial(at, score) for at in range(cases)], **more)


def base(cases: int = 20, score: float = 8.0, **more: Any) -> GateSide:
    return level(cases, score, **{"commit": BASE, **more})


def codes(found: GateDecision) -> list[GateReasonCode]:
    """Without what is said of latency and tokens, which nobody measured here."""
    costs = (GateReasonCode.LATENCY_UNKNOWN, GateReasonCode.TOKENS_UNKNOWN)
    return [one.code for one in found.reasons if one.code not in costs]


def test_the_same_passes_and_says_what_is_excluded() -> None:
    found = decide(level(20), base())
    assert (found.decision, found.why) == (Decision.PASS, GateReasonCode.NO_LOSS)
    assert "20 cases: a loss of 0.5 is excluded" in found.sentence
    assert not found.cases


def test_a_loss_that_is_shown_and_small_is_no_loss() -> None:
    found = decide(level(20, 7.7), base())
    assert (found.metrics[0].p or 0) < 0.001
    assert found.decision is Decision.PASS


def test_a_loss_that_is_large_and_not_shown_is_undecided() -> None:
    worse = side([trial(at, 2.0 if at < 3 else 8.0) for at in range(20)])
    found = decide(worse, base())
    assert (found.decision, found.why) == (Decision.UNDECIDED, GateReasonCode.LOSS_POSSIBLE)
    assert found.metrics[0].needed
    assert [one.change for one in found.cases] == [CaseChange.LOST] * 3
    assert exit_code_of(found.decision, GatePolicy().undecided_for(GateKind.BLOCKING)) == 1
    assert exit_code_of(found.decision, GatePolicy().undecided_for(GateKind.ADVISORY)) == 0
    assert exit_code_of(found.decision, UndecidedPolicy.PASS) == 0


def test_so_few_cases_that_no_loss_could_be_shown_are_unmeasurable() -> None:
    """Two questions about the whole share 2.5 %: 1 / 2^n is at most 1.25 % from seven cases on."""
    for n in (5, 6):
        found = decide(level(n, 0.0), base(n, 9.0), policy=GatePolicy(undecided=UndecidedPolicy.PASS))
        assert (found.decision, found.why) == (Decision.UNMEASURABLE, GateReasonCode.TOO_FEW_CASES)
        assert "below 7 no loss can be shown" in found.sentence
        assert found.metrics[0].needed == 7 - n
    assert decide(level(7, 0.0), base(7, 9.0)).decision is Decision.FAIL


@pytest.mark.parametrize("cases", [2, 4])
def test_a_language_of_few_cases_that_is_destroyed_does_not_pass_silently(cases: int) -> None:
    def of(score: float, **more: Any) -> GateSide:
        few = [trial(at, score, language="sw") for at in range(cases)]
        return side([*few, *(trial(at, 9.0, language="en") for at in range(cases, 200))], **more)

    found = decide(of(0.0), of(9.0, commit=BASE))
    assert found.decision is Decision.UNDECIDED
    assert set(codes(found)) == {GateReasonCode.GROUP_LOSS_POSSIBLE}
    assert f"in sw moved by -9.00 (-9.00 to -9.00) over {cases} cases" in found.sentence
    assert decide(of(9.0), of(9.0, commit=BASE)).decision is Decision.PASS


def test_cases_that_are_not_played_any_more_are_named() -> None:
    found = decide(level(10), base(20))
    assert codes(found) == [GateReasonCode.NO_LOSS, GateReasonCode.CASES_GONE]
    assert "10 of the baseline's 20 cases are not played any more" in found.reasons[1].sentence


def test_an_agent_that_stops_doing_what_is_judged_does_not_pass() -> None:
    unscored: dict[str, Any] = {"score": None, "criteria": {}, "judged": JudgedAs.SCORED, "passed": None}
    found = decide(side([trial(at, **(unscored if at < 8 else {})) for at in range(20)]), base(20))
    assert codes(found)[0] is GateReasonCode.CASES_UNSCORED
    assert "8 of 20 cases have no score any more" in found.sentence
    one_less = side([trial(at, **(unscored if at < 1 else {})) for at in range(20)])
    assert decide(one_less, base(20)).decision is Decision.PASS


def test_a_criterion_that_is_scored_no_more_is_a_doubt() -> None:
    both = {"flow": 8.0, "facts": 8.0}
    found = decide(side([trial(at, criteria=both if at < 5 else {"flow": 8.0}) for at in range(20)]), base(20))
    assert (found.decision, found.why) == (Decision.UNDECIDED, GateReasonCode.GROUP_LOSS_POSSIBLE)
    assert "facts is scored in 5 of the 20 cases" in found.sentence


def test_repeats_of_a_case_are_one_case() -> None:
    worse = side([trial(at, 6.5) for _ in range(10) for at in range(4)])
    found = decide(worse, base(4))
    assert (found.decision, found.why) == (Decision.UNMEASURABLE, GateReasonCode.TOO_FEW_CASES)
    assert found.metrics[0].n == 4


def test_hard_assertions_come_first() -> None:
    failing = with_checks(0, {"scenario_tools": checked("fail", reason="cancel was called", fact=True)})
    found = decide(side([failing, *(trial(at) for at in range(1, 20))]), None)
    assert codes(found)[:2] == [GateReasonCode.HARD_ASSERTION, GateReasonCode.NO_BASELINE]
    assert found.decision is Decision.FAIL
    assert found.cases[0].why == "scenario_tools: cancel was called"


def test_what_failed_before_stops_too_unless_the_policy_says_new() -> None:
    def both(**more: Any) -> GateSide:
        checks = {"scenario_tools": checked("fail", fact=True)}
        return side([with_checks(0, checks), *(trial(at) for at in range(1, 20))], **more)

    found = decide(both(), both(commit=BASE))
    assert found.decision is Decision.FAIL
    assert "1 of them failed for the baseline too" in found.sentence
    assert decide(both(), both(commit=BASE), policy=GatePolicy(hard=HardRule.NEW)).decision is Decision.PASS


def test_a_blocking_criterion_and_a_failed_agent_stop() -> None:
    blocked = side([trial(0, blockers=("payment",)), *(trial(at) for at in range(1, 20))])
    assert decide(blocked, base()).why is GateReasonCode.BLOCKING_CRITERION
    broke = side([trial(0, None, blame="agent_quality", passed=False), *(trial(at) for at in range(1, 20))])
    assert decide(broke, base()).why is GateReasonCode.AGENT_FAILED


def test_an_uncertified_judge_blocks_nobody_where_a_certificate_is_required() -> None:
    blocked = side([trial(0, blockers=("flow",)), *(trial(at) for at in range(1, 20))])
    found = decide(blocked, base(), policy=GatePolicy(require_certificate=True))
    assert (found.decision, found.why) == (Decision.UNMEASURABLE, GateReasonCode.NOT_CERTIFIED)
    sound = level(20, certified={"flow": True, "facts": True})
    assert decide(sound, base(), policy=GatePolicy(require_certificate=True)).decision is Decision.PASS


@pytest.mark.parametrize("blame", ["judge", "platform", "simulator", "golden", "agent_transport"])
def test_what_others_did_on_both_sides_is_out_of_the_denominators_and_named(blame: str) -> None:
    def lost(**more: Any) -> GateSide:
        return side([trial(0, None, blame=blame), trial(1, None, blame=blame),
                     *(trial(at) for at in range(2, 20))], **more)  # fmt: skip

    found = decide(lost(), lost(commit=BASE))
    assert (found.decision, found.metrics[0].n) == (Decision.PASS, 18)
    assert {one.change for one in found.cases} == {CaseChange.LEFT_OUT}


def test_money_that_was_spent_is_unmeasurable() -> None:
    stopped = side([trial(0, None, blame="budget"), *(trial(at) for at in range(1, 20))])
    assert decide(stopped, base()).why is GateReasonCode.BUDGET_SPENT
    over = decide(level(20), base(), money=GateMoney(spent_usd=0.06, limit_usd=0.05))
    assert (over.decision, over.why) == (Decision.UNMEASURABLE, GateReasonCode.BUDGET_SPENT)
    assert decide(level(20), base(), money=GateMoney(spent_usd=0.05, limit_usd=0.05)).decision is Decision.PASS


@pytest.mark.parametrize("errors, cases, measured", [(1, 20, True), (2, 100, True), (3, 100, False), (2, 20, False)])
def test_judge_errors_beyond_two_percent_and_one_case(errors: int, cases: int, measured: bool) -> None:
    broken = [trial(at, None, judged=JudgedAs.ERROR) for at in range(errors)]
    candidate = side([*broken, *(trial(at) for at in range(errors, cases))])
    found = decide(candidate, base(cases))
    assert (found.decision is Decision.PASS) is measured
    assert (found.why is GateReasonCode.JUDGE_ERRORS) is not measured
    assert (decide(base(cases, commit=HEAD), side(candidate.trials, commit=BASE)).decision is Decision.PASS) is measured


def test_three_errors_of_one_case_are_one_case() -> None:
    broken = [trial(0, None, judged=JudgedAs.ERROR) for _ in range(3)]
    assert decide(side([*broken, *(trial(at) for at in range(20))]), base()).decision is Decision.PASS


@pytest.mark.parametrize(
    "baseline, why",
    [
        (None, GateReasonCode.NO_BASELINE),
        (base(commit="a" * 40), GateReasonCode.BASELINE_STALE),
        (base(commit=""), GateReasonCode.BASELINE_STALE),
        (base(fingerprint="0" * 64), GateReasonCode.JUDGE_CHANGED),
        (base(10), GateReasonCode.CASES_MISSING),
        (base(status="timeout"), GateReasonCode.NOT_COMPLETED),
    ],
)
def test_a_baseline_that_is_none_is_unmeasurable(baseline: GateSide | None, why: GateReasonCode) -> None:
    found = decide(level(20, 2.0), baseline)
    assert (found.decision, found.why, list(found.metrics)) == (Decision.UNMEASURABLE, why, [])
    assert exit_code_of(found.decision, UndecidedPolicy.PASS) == 3


def test_an_agent_that_is_down_is_unmeasurable() -> None:
    down = side([trial(at, None, blame="agent_transport") for at in range(20)], fingerprint="", status="failed")
    assert decide(down, base()).why is GateReasonCode.AGENT_DOWN
    assert decide(side([]), base()).why is GateReasonCode.TOO_LITTLE_PLAYED


def test_assertions_alone_need_no_baseline() -> None:
    sound = side([with_checks(at, {"scenario_tools": checked("pass")}) for at in range(3)], fingerprint="")
    found = decide(sound, None)
    assert (found.decision, found.why) == (Decision.PASS, GateReasonCode.NOTHING_TO_COMPARE)


def test_checks_by_a_judge_are_compared_and_not_asserted() -> None:
    def graded(fails: int, **more: Any) -> GateSide:
        return side([
            with_checks(at, {"knowledge": checked("fail" if at < fails else "pass", score=0.4 if at < fails else 0.9,
                                                  measured_by="judge 1")})
            for at in range(20)
        ], fingerprint="", **more)  # fmt: skip

    assert decide(graded(1), graded(1, commit=BASE)).decision is Decision.PASS
    found = decide(graded(12), graded(0, commit=BASE))
    assert found.decision is Decision.FAIL
    assert {one.metric for one in found.metrics if one.outcome is MetricOutcome.LOSS} >= {"passed", "check:knowledge"}


def test_the_first_missing_link_is_named() -> None:
    links = decide(level(20), base()).chain
    assert [one.link for one in links] == list(ChainLink)
    assert [one.link for one in links if not one.holds] == [ChainLink.JUDGE_CERTIFIED]
    battles = level(20, battles=20, personas={True: 3}, simulator={"kept": 19, "unmeasured": 1})
    assert next(one for one in decide(battles, base()).chain if not one.holds).link is ChainLink.BATTLE_KEPT


def test_the_same_rows_give_the_same_answer() -> None:
    candidate = played(30, lambda at, chance: 7.5 + chance.gauss(0, 1), 1)
    assert decide(candidate, base(30)) == decide(candidate, base(30))


def test_a_change_cannot_dilute_its_losses_with_scenarios_of_its_own() -> None:
    stood, brought = range(12), range(12, 72)
    there = side([trial(at, 8.0) for at in (*stood, *brought)], commit=BASE)
    here = side([*(trial(at, 6.2) for at in stood), *(trial(at, 8.0) for at in brought)])
    asked = {"candidate": here, "baseline": there, "policy": GatePolicy(), "base_commit": BASE}
    assert decide_gate(**asked).decision is Decision.PASS
    own = frozenset(f"case-{at}" for at in brought)
    assert decide_gate(**asked, new_cases=own).decision is Decision.FAIL


def test_what_is_hard_in_a_scenario_of_its_own_stops_a_change() -> None:
    pin = checked("fail", fact=True, reason="asks for the PIN")
    there = side([trial(at, 8.0) for at in range(13)], commit=BASE)
    here = side([*(trial(at, 8.0) for at in range(12)), trial(12, 8.0, checks={"ForbiddenTools": pin})])
    decided = decide_gate(
        candidate=here, baseline=there, policy=GatePolicy(), base_commit=BASE, new_cases=frozenset({"case-12"})
    )
    assert decided.decision is Decision.FAIL


def test_where_every_scenario_is_new_they_are_compared() -> None:
    names = frozenset(f"case-{at}" for at in range(12))
    there = side([trial(at, 8.0) for at in range(12)], commit=BASE)
    here = side([trial(at, 5.0) for at in range(12)])
    decided = decide_gate(candidate=here, baseline=there, policy=GatePolicy(), base_commit=BASE, new_cases=names)
    assert decided.decision is Decision.FAIL


@pytest.mark.parametrize("undecided, word", [("pass", "passes"), ("block", "blocks")])
def test_the_rule_in_a_line_says_what_an_undecided_gate_does(undecided: str, word: str) -> None:
    policy = {"alpha": 0.05, "margin": 0.5, "net_loss": 2, "undecided": undecided}
    assert policy_sentence(policy).endswith(f"undecided: {word}.")


def test_a_judge_that_gives_everything_the_most_measured_nothing() -> None:
    found = decide(level(10, 10.0), base(10, 8.65))
    assert (found.decision, found.why) == (Decision.UNMEASURABLE, GateReasonCode.JUDGE_FLAT)
    assert "every criterion of all 10 cases of the candidate has 10" in found.sentence
    assert decide(level(10, 10.0), base(10, 10.0)).decision is Decision.PASS, "nothing is told apart on either side"
    assert decide(level(10, 10.0), base(10, 8.65), trusted=True).decision is Decision.PASS
    assert decide(level(9, 10.0), base(9, 8.65)).decision is Decision.PASS, "18 scores may well be alike"
    assert decide(level(10, 0.0), base(10, 8.65)).why is GateReasonCode.LOSS, "the other end stops by itself"

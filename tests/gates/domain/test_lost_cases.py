"""What the candidate alone could not play is no pass: it is played once more, and lost again it counts as failed."""

from typing import Any

import pytest

from apps.gates.domain.decision import GateDecision, decide_gate
from apps.gates.domain.gate_states import GateReasonCode
from apps.gates.domain.policy import GatePolicy
from apps.gates.domain.side import GateSide, GateTrial, with_replays
from apps.statistics.decision import Decision
from tests.gates.sides import BASE, HEAD, side, trial


def lost(number: int, blame: str = "agent_transport") -> GateTrial:
    return trial(number, None, blame=blame, passed=None)


def candidate(*gone: int, blame: str = "agent_transport", repeats: int = 1) -> GateSide:
    """The first conversation of these cases was lost."""
    first = [lost(at, blame) if at in gone else trial(at) for at in range(12)]
    return side([*first, *(trial(at) for _ in range(repeats - 1) for at in range(12))])


def baseline(*gone: int, repeats: int = 1) -> GateSide:
    return side([lost(at) if at in gone else trial(at) for _ in range(repeats) for at in range(12)], commit=BASE)


def decide(here: GateSide, there: GateSide) -> GateDecision:
    return decide_gate(candidate=here, baseline=there, policy=GatePolicy(), base_commit=BASE)


def again(here: GateSide, there: GateSide, found: GateDecision, ours: list[GateTrial], theirs: list[GateTrial]
          ) -> GateDecision:  # fmt: skip
    return decide(
        with_replays(here, side(ours), times=found.play_again),
        with_replays(there, side(theirs, commit=BASE), times=found.play_again),
    )


def codes(found: GateDecision) -> list[GateReasonCode]:
    """Without what is said of latency and tokens, which nobody measured here."""
    costs = (GateReasonCode.LATENCY_UNKNOWN, GateReasonCode.TOKENS_UNKNOWN)
    return [one.code for one in found.reasons if one.code not in costs]


@pytest.mark.parametrize("blame", ["agent_transport", "platform", "simulator", "golden"])
def test_an_agent_that_drops_two_of_twelve_does_not_pass(blame: str) -> None:
    found = decide(candidate(3, 7, blame=blame), baseline())
    assert (found.decision, found.why) == (Decision.UNMEASURABLE, GateReasonCode.CASES_LOST)
    assert found.sentence.endswith(
        f"The candidate alone was lost in 2 cases ({blame}): case-3, case-7: play them once more on both sides."
    )
    assert found.play_again == {trial(3).digest: 1, trial(7).digest: 1}


def test_lost_again_it_counts_as_failed() -> None:
    here, there = candidate(3, 7), baseline()
    found = again(here, there, decide(here, there), [trial(3), lost(7)], [trial(3), trial(7)])
    assert (found.decision, found.why) == (Decision.FAIL, GateReasonCode.AGENT_LOST)
    assert "The agent was lost twice, and the baseline's was not, in 1 case: case-7." in found.sentence
    assert GateReasonCode.CASES_RECOVERED in codes(found)
    assert found.cases[0].case == "case-7"
    assert "lost" in found.cases[0].why


def test_what_plays_when_it_is_tried_again_counts_and_is_told() -> None:
    here, there = candidate(3, 7), baseline()
    found = again(here, there, decide(here, there), [trial(3), trial(7)], [trial(3), trial(7)])
    assert codes(found) == [GateReasonCode.NO_LOSS, GateReasonCode.CASES_RECOVERED]
    assert "case-3, case-7 at first, and played when they were tried once more" in found.reasons[1].sentence
    assert found.metrics[0].n == 12
    worse = again(here, there, decide(here, there), [trial(3, 0.0), trial(7, 0.0)], [trial(3), trial(7)])
    assert worse.metrics[0].difference == pytest.approx(-16 / 12), "the conversation that stands in counts as it is"


def test_what_the_baseline_loses_too_is_nobodys_fault_and_named() -> None:
    here, there = candidate(3), baseline()
    found = again(here, there, decide(here, there), [lost(3)], [lost(3)])
    assert codes(found) == [
        GateReasonCode.NO_LOSS, GateReasonCode.CASES_LEFT_OUT, GateReasonCode.CASES_LEFT_OUT,
    ]  # fmt: skip
    assert decide(candidate(3), baseline(3)).decision is Decision.PASS


def test_lost_again_by_something_else_than_the_agent_is_not_measured() -> None:
    here, there = candidate(3, blame="simulator"), baseline()
    found = again(here, there, decide(here, there), [lost(3, "simulator")], [trial(3)])
    assert (found.decision, found.why, found.play_again) == (Decision.UNMEASURABLE, GateReasonCode.CASES_LOST, {})


def test_one_lost_repeat_of_three_is_a_loss_too() -> None:
    here, there = candidate(3, repeats=3), baseline(repeats=3)
    found = decide(here, there)
    assert found.play_again == {trial(3).digest: 1}
    assert again(here, there, found, [trial(3)], [trial(3)]).decision is Decision.PASS
    assert again(here, there, found, [lost(3)], [trial(3)]).why is GateReasonCode.AGENT_LOST


def test_only_what_was_asked_for_is_played_again() -> None:
    here, there = candidate(3), baseline()
    ours = [lost(3), *(trial(3) for _ in range(5)), *(trial(at, 10.0) for at in range(12))]
    found = again(here, there, decide(here, there), ours, [trial(3)])
    assert found.why is GateReasonCode.AGENT_LOST, "the first replay decides, however many were played"


def test_a_case_that_is_not_scored_is_named() -> None:
    unscored: dict[str, Any] = {"score": None, "criteria": {}, "judged": trial(0).judged, "passed": None}
    found = decide(side([trial(at, **(unscored if at < 1 else {})) for at in range(12)]), baseline())
    assert codes(found) == [GateReasonCode.NO_LOSS, GateReasonCode.CASES_LEFT_OUT]
    assert "case-0 (nothing to score)" in found.reasons[1].sentence


@pytest.mark.parametrize("gone", [3, 5, 12])
def test_what_too_little_was_played_of_is_played_once_more_before_that_decides(gone: int) -> None:
    first = [lost(at) if at < gone else trial(at) for at in range(12)]
    here, there = side(first, commit=HEAD), baseline()
    found = decide(here, there)
    assert found.decision is Decision.UNMEASURABLE
    assert found.play_again == {trial(at).digest: 1 for at in range(gone)}
    played = [trial(at) for at in range(gone)]
    assert again(here, there, found, played, played).decision is Decision.PASS
    alone = again(here, there, found, [lost(at) for at in range(gone)], played)
    assert (alone.decision, alone.why) == (Decision.FAIL, GateReasonCode.AGENT_LOST)
    both = again(here, there, found, [lost(at) for at in range(gone)], [lost(at) for at in range(gone)])
    assert both.decision is Decision.UNMEASURABLE, "where both were lost nobody knows"


def test_an_agent_that_is_down_and_of_which_nothing_was_compared_is_down() -> None:
    gone = side([lost(at) for at in range(12)], fingerprint="", status="failed", commit=HEAD)
    assert decide_gate(candidate=gone, baseline=None, policy=GatePolicy()).why is GateReasonCode.AGENT_DOWN

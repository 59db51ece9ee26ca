"""An advisory gate that shows a loss stops, unless the rule says that it only warns; a play that was tampered with
measures nothing."""

import pytest

from apps.gates.domain.decision import decide_gate
from apps.gates.domain.gate_document import blocks
from apps.gates.domain.gate_states import GateKind, GateReasonCode
from apps.gates.domain.gate_words import gate_head, kind_note
from apps.gates.domain.measurability import GateReason, tampered_reasons
from apps.gates.domain.policy import read_policy
from apps.statistics.decision import Decision
from tests.gates.sides import BASE, side, trial


@pytest.mark.parametrize(
    "policy, stops, told", [({}, True, ""), ({"advisory_loss": "warn"}, False, ", let through by advisory_loss: warn")]
)
def test_an_advisory_gate_that_shows_a_loss_stops_or_its_title_says_why_not(
    policy: dict[str, str], stops: bool, told: str
) -> None:
    rule = read_policy(policy)
    found = decide_gate(
        candidate=side([trial(at, 4.0) for at in range(12)]),
        baseline=side([trial(at) for at in range(12)], commit=BASE),
        policy=rule, base_commit=BASE, kind=GateKind.ADVISORY,
    )  # fmt: skip
    assert found.decision is Decision.FAIL
    assert GateReasonCode.ADVISORY_LOSS in [one.code for one in found.reasons]
    stored = rule.as_json(GateKind.ADVISORY)
    assert blocks("advisory", 1, decision="fail", policy=stored) is stops
    assert kind_note({"kind": "advisory", "blocks": stops, "decision": "fail"}) == told
    document = {"decision": "fail", "blocks": stops, "reasons": [], "sentence": "Worse: x"}
    assert gate_head(document).text == ("Must not pass: worse" if stops else "Worse, and let through (advisory)")
    for other in ("undecided", "unmeasurable", "pass"):
        assert not blocks("advisory", 3, decision=other, policy=stored)


@pytest.mark.parametrize(
    "code, policy, stops",
    [
        (GateReasonCode.JUDGE_ADDRESSED, {}, True),
        (GateReasonCode.HIDDEN_WORDS, {}, True),
        (GateReasonCode.JUDGE_ADDRESSED, {"advisory_loss": "warn"}, False),
        (GateReasonCode.JUDGE_ERRORS, {}, False),
    ],
)
def test_a_change_of_code_that_speaks_to_the_judge_is_no_bystander(
    code: GateReasonCode, policy: dict[str, str], stops: bool
) -> None:
    rule = read_policy(policy)
    found = decide_gate(
        candidate=side([trial(at, 9.0) for at in range(12)]),
        baseline=side([trial(at) for at in range(12)], commit=BASE),
        policy=rule, base_commit=BASE, kind=GateKind.ADVISORY, in_the_way=[GateReason(code=code, sentence="x")],
    )  # fmt: skip
    assert (found.decision, found.why) == (Decision.UNMEASURABLE, code)
    reasons = [{"code": reason.code.value} for reason in found.reasons]
    stored = rule.as_json(GateKind.ADVISORY)
    assert blocks("advisory", 3, decision="unmeasurable", policy=stored, reasons=reasons) is stops


def test_a_gate_that_was_decided_before_there_was_such_a_rule_stays_as_it_was() -> None:
    assert not blocks("advisory", 1, decision="fail", policy={"margin": 0.5})
    assert blocks("blocking", 1, decision="fail", policy={"margin": 0.5})


def test_a_play_that_was_tampered_with_measures_nothing_and_is_not_played_again() -> None:
    sides = {"candidate": side([trial(at) for at in range(12)]), "baseline": side([trial(at) for at in range(12)])}
    told = tampered_reasons(["prompts/p.md is not the file of bbb any more"])
    found = decide_gate(**sides, policy=read_policy(None), in_the_way=told)  # type: ignore[arg-type]
    assert (found.decision, found.why) == (Decision.UNMEASURABLE, GateReasonCode.BASELINE_TAMPERED)
    assert "prompts/p.md is not the file of bbb any more" in found.sentence
    assert found.play_again == {}

"""What somebody reads first in the comment on a pull request: the decision, why, then the cases."""

from typing import Any

from apps.gates.domain.decision import decide_gate
from apps.gates.domain.gate_markdown import gate_markdown
from apps.gates.domain.gate_words import standing_notes
from apps.gates.domain.policy import GatePolicy
from tests.gates.domain.test_escaping import gate
from tests.gates.sides import BASE, side, trial

ADDRESS = "https://x.test/gates/1/"
UNKNOWN = "The agent's tokens are unknown: its replies report none (usage)."


def document(**more: Any) -> dict[str, Any]:
    reasons = [{"sentence": "a", "code": "loss"}, {"sentence": "Price said fell by 5", "code": "loss"},
               {"sentence": UNKNOWN, "code": "tokens_unknown"}]  # fmt: skip
    return {**gate("x"), "reasons": reasons, **more}


def test_the_decision_and_why_stand_before_everything_else() -> None:
    shown = gate_markdown(document(), address=ADDRESS).splitlines()
    assert shown[0].startswith("### ❌ fail — ")
    assert shown[2] == "- Price said fell by 5"
    text = "\n".join(shown)
    assert text.index("Price said fell") < text.index("| case | change |") < text.index("Nobody had set the least")
    assert text.index("<summary>What this gate does not look at") < text.index("Nobody had set the least")
    assert UNKNOWN not in text.partition("<summary>What this gate")[0]


def test_what_the_gate_before_it_said_of_itself_already_is_left_out() -> None:
    shown = gate_markdown(document(), address=ADDRESS, known=standing_notes(document()))
    assert "Nobody had set the least" not in shown
    assert "does not look at" not in shown
    assert "personas approved" not in shown


def test_criteria_are_called_by_their_titles() -> None:
    (metric,) = gate("price_said")["metrics"]
    named = [metric, {**metric, "metric": "hour_kept", "title": "Keeps the hour"}]
    shown = gate_markdown(document(metrics=named), address=ADDRESS)
    assert "| price said (" in shown
    assert "| Keeps the hour (" in shown
    said = {"criterion": "hour_kept", "title": "Keeps the hour", "before": 9.0, "after": 2.0, "reason": "It forgot.",
            "baseline_reply": "", "candidate_reply": ""}  # fmt: skip
    case = {**gate("x")["cases"][0], "why": "", "said": said}
    assert "Keeps the hour 9 to 2: It forgot." in gate_markdown(document(cases=[case]), address=ADDRESS)


def test_a_gate_whose_cases_all_fail_on_both_sides_says_so_in_its_headline() -> None:
    bad = [trial(at, 3.0) for at in range(12)]
    found = decide_gate(
        candidate=side(bad, titles={"flow": "Leads on"}), baseline=side(bad, commit=BASE), policy=GatePolicy(),
        base_commit=BASE,
    )  # fmt: skip
    assert found.sentence.startswith("Passes: ")
    assert found.sentence.endswith("All 12 cases fail on both sides, before this change and with it.")
    assert {one.title for one in found.metrics if one.metric == "flow"} == {"Leads on"}

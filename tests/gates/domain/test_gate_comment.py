"""What somebody reads first in the comment on a pull request: the decision, why, then the cases."""

from typing import Any

from apps.gates.domain.decision import decide_gate
from apps.gates.domain.gate_markdown import gate_markdown
from apps.gates.domain.gate_terminal import terminal_table
from apps.gates.domain.gate_words import lasting_notes
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
    shown = gate_markdown(document(), address=ADDRESS, known=lasting_notes(document()))
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


def lost(at: int, *, why: str = "", criterion: str = "price_said", change: str = "lost") -> dict[str, Any]:
    said = {"criterion": criterion, "before": 9.0, "after": 2.0 + at % 2, "reason": "", "baseline_reply": f"KES {at}",
            "candidate_reply": "Hm."}  # fmt: skip
    return {**gate("x")["cases"][0], "id": f"en-{at:02}", "difference": -3.0 + at / 10, "why": why, "change": change,
            "said": said}  # fmt: skip


def test_ten_cases_that_are_alike_are_one_row_and_their_cause_stands_in_the_headline() -> None:
    others = [lost(10, criterion="hour_kept"), lost(11, criterion="hour_kept", change="better")]
    shown = gate_markdown(
        document(cases=[lost(0), *(lost(at, change="worse") for at in range(1, 10)), *others]), address=ADDRESS
    )
    assert shown.splitlines()[0].endswith("In 10 of 11 cases that got worse: price said 9.0 to 2.5.")
    rows = [line for line in shown.partition("| case |")[2].splitlines() if line.startswith("| ")]
    (row,) = [line for line in rows if "<details><summary>10 cases</summary>" in line]
    assert all(f"[en-{at:02}]" in row for at in range(10))
    assert "| 1 lost, 9 worse | -3.00 to -2.10 | In each: price said 9.0 to 2.5. For example [en-00](" in row
    assert "**baseline:** KES 0<br>**candidate:** Hm." in row
    assert "KES 1" not in row, "one example is enough"
    assert "[en-10]" in shown
    assert "… and 2 more." in shown, "those that the document itself leaves out"


def test_the_same_tool_that_is_never_called_is_one_cause_whatever_was_called_in_its_place() -> None:
    whys = ["tool assertion: book_slot was never called; no tool was.", "tool assertion: book_slot was never called; x"]
    cases = [lost(at, why=whys[at % 2]) for at in range(4)]
    said = "In 4 of 4 cases that got worse: tool assertion: book_slot was never called."
    assert said in gate_markdown(document(cases=cases), address=ADDRESS).replace("\\", "")
    assert said in terminal_table(document(cases=cases)).splitlines()[1]


def test_cases_of_several_causes_have_rows_of_their_own_and_no_sentence() -> None:
    cases = [lost(at, criterion=f"c{at % 3}") for at in range(9)]
    shown = gate_markdown(document(cases=cases), address=ADDRESS)
    assert "that got worse:" not in shown
    assert "cases</summary>" not in shown
    assert "that got worse:" not in gate_markdown(document(cases=[lost(1)] * 9, decision="pass"), address=ADDRESS)

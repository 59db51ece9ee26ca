"""A replay as people read it: what kept step, what is folded, what is marked."""

from apps.reports.run_reports.domain.replay_page import (
    check_rows,
    check_title,
    marked_words,
    replay_sentence,
    stretches,
    strip,
)


def turn(number, reply="Yes, at 9.", golden="Yes, at 9.", *, reached=True, matters=None, nudges=0, calls=()):
    differences = [] if matters is None else [{"kind": "facts", "why": "…", "matters": matters}]
    return {
        "number": number, "reply": reply, "golden_reply": golden, "reached": reached, "nudges": nudges,
        "differences": differences, "calls": list(calls), "golden_calls": list(calls), "sent": "…",
    }  # fmt: skip


def check(name, outcome="pass", error_code="", reason=""):
    return {"check": name, "outcome": outcome, "error_code": error_code, "reason": reason, "evidence": []}


def test_the_sentence_speaks_of_the_replay():
    checks = [check("gates"), *[check(name, "unmeasurable", "no_judge") for name in ("a", "b", "c", "d")]]
    one = {"turns": [turn(at, calls=[{"name": "book"}]) for at in range(1, 13)], "checks": checks}
    assert replay_sentence([one]) == "12 of 12 turns kept step, tools as recorded; 4 checks need a model"
    lost = {"turns": [turn(1), turn(2, reply="", reached=False)], "checks": []}
    assert replay_sentence([lost]) == "1 of 2 turns kept step"
    assert replay_sentence([{"turns": [{"number": 1, "reply": "a"}], "checks": []}]) == ""


def test_equal_turns_are_one_line_and_what_differs_stands_alone():
    turns = [turn(1), turn(2), turn(3, reply="Yes, at 10.", matters=True), turn(4), turn(5, nudges=1)]
    found = stretches(turns)
    assert [(one.numbers, one.equal) for one in found] == [
        ("Turns 1 to 2", True), ("Turn 3", False), ("Turn 4", True), ("Turn 5", False),
    ]  # fmt: skip
    assert [how for _, how in strip(turns)] == ["same", "same", "matters", "same", "differs"]


def test_checks_that_lack_a_model_are_one_row():
    missing = [check(name, "unmeasurable", "no_judge", "set ANTHROPIC_API_KEY") for name in ("role_kept", "tone")]
    rows = check_rows([check("gates_opened", "fail"), *missing])
    assert [one["title"] for one in rows] == ["Gates opened", "Role kept, tone"]
    assert rows[1]["reason"] == "These 2 checks need a model that judges, and none is configured."


def test_changed_words_are_marked_and_markup_stays_text():
    before, after = marked_words("Your number is [S-4081] <b>", "Your number is [S-5001] <b>")
    assert before == "Your number is [S-<mark>4081</mark>] &lt;b&gt;"
    assert after == "Your number is [S-<mark>5001</mark>] &lt;b&gt;"
    assert marked_words("<i>", "") == ("&lt;i&gt;", "")


def test_a_check_has_a_title():
    assert check_title("conversation_completeness") == "Conversation completeness"

"""What differs between a golden session and its replay, and whether it matters."""

import time
from collections import Counter

import pytest

from apps.checks.domain.divergence import divergences, first_that_matters
from apps.checks.domain.golden_tools import tool_findings
from apps.reports.comparisons.domain.alignment import RowDifference, align, transcript_turns
from apps.runs.goldens.domain.replayed import ExpectedTool, ReplayedTurn, ToolUse, expected_tool


def turn(golden, now, *, position=0, sent="Yes", at=0, **more):
    return ReplayedTurn(position=position, sent=sent, golden_reply=golden, reply=now, at=at, **more)


def kinds(*turns):
    return [[one.kind.value for one in found.differences] for found in divergences(turns)]


def test_the_same_words_differ_in_nothing():
    assert kinds(turn("Booked  for\n10:00.", "booked for 10:00.")) == [[]]


@pytest.mark.parametrize(
    "golden, now",
    [
        ("It costs KES 1,500 on 2026-05-03.", "On 3 May 2026 that is 1500/=."),
        ("Call 0712 345 678 before 14:30.", "Before 2:30 pm, call +254712345678."),
        ("Order S-1041 is on its way.", "Your parcel S-2077 travels."),
    ],
)
def test_other_words_for_the_same_facts_do_not_matter(golden, now):
    assert kinds(turn(golden, now)) == [["wording"]]


@pytest.mark.parametrize(
    "golden, now, told",
    [
        ("It costs KES 1,500.", "It costs KES 1,800.", "KES 1,500 became KES 1,800."),
        ("See you on 2026-05-03.", "See you on 4 May 2026.", "2026-05-03 became 4 May 2026."),
        ("Come at 14:30.", "Come at 3 pm.", "14:30 became 3 pm."),
        ("A table for 4.", "A table for 5.", "4 became 5."),
    ],
)
def test_a_changed_value_matters_and_both_sides_are_named(golden, now, told):
    (found,) = divergences([turn(golden, now)])
    assert (found.differences[0].kind.value, found.differences[0].why, found.differences[0].matters) == (
        "facts",
        told,
        True,
    )


@pytest.mark.parametrize(
    "golden, now, told",
    [
        ("It is KES 100 to KES 200.", "It is KES 200 to KES 100.",
         "KES 100, KES 200 became KES 200, KES 100 in the same sentence."),
        ("Open 9:00 to 17:00, daily.", "Open 17:00 to 9:00, daily.",
         "9:00, 17:00 became 17:00, 9:00 in the same sentence."),
        ("Well. Deposit KES 100, total 1500/=.", "Deposit 1500/=, total KES 100. Well.",
         "KES 100, 1500/= became 1500/=, KES 100 in the same sentence."),
        ("Version 1.2.3 is out.", "Version 1.2.4 is out.", "1.2.3 became 1.2.4."),
    ],
)  # fmt: skip
def test_values_that_changed_places_and_versions_matter(golden, now, told):
    (found,) = divergences([turn(golden, now)])
    assert [(one.kind.value, one.why) for one in found.differences if one.matters] == [("facts", told)]


@pytest.mark.parametrize(
    "golden, now",
    [
        ("Deposit KES 100. Total KES 200.", "Total 200/=. Deposit KES 100."),  # sentences in another order
        ("From KES 100 up to KES 200.", "At most KES 200, at least KES 100."),  # other words: nobody can tell by rule
        ("Case S-1, then S-2.", "Case S-7, then S-8."),
        ("On 28.11.2026 at 10:00.", "On 28 November 2026 at 10 am."),
    ],
)
def test_values_in_other_sentences_do_not(golden, now):
    assert kinds(turn(golden, now)) == [["wording"]]


def test_an_id_may_change_once_and_not_twice():
    first = turn("Case S-1 is open.", "Case S-7 is open.", position=0)
    again = turn("Case S-1 is closed.", "Case S-8 is closed.", position=2)
    assert kinds(first, turn("Case S-1 is closed.", "Case S-7 is now closed.", position=2)) == [
        ["wording"],
        ["wording"],
    ]
    assert kinds(first, again)[1][0] == "facts"


def test_an_id_that_the_customer_said_may_not_change_at_all():
    now = turn("Booking BK-20417 is moved.", "Booking BK-20471 is moved.", sent="Move BK-20417 please")
    assert kinds(now)[0][0] == "facts"


def test_a_value_that_is_gone_may_stand_in_words_and_is_for_a_person():
    assert kinds(turn("You have 3 options.", "You have three options.")) == [["value_unsure", "wording"]]


def test_a_value_the_customer_said_is_no_news():
    assert kinds(turn("Fine.", "Fine, 14:30 then.", sent="At 14:30 please")) == [["wording"]]


def test_a_tool_that_is_missing_matters_and_a_further_one_is_told():
    expected = (ExpectedTool(name="search"), ExpectedTool(name="delete", forbidden=True))
    (found,) = divergences([turn("x", "x", tools=(ToolUse(name="book"),), expected_tools=expected)])
    assert [(one.why, one.matters) for one in found.differences] == [
        ("Not called: search.", True),
        ("Called in addition: book.", False),
    ]


def test_a_reply_that_belongs_to_another_turn_is_the_wrong_order():
    one, two = "Please approve the audience of this campaign.", "The budget was saved for the whole month of May."
    assert kinds(turn(one, two), turn(two, one, position=2)) == [["order"], ["order"]]


@pytest.mark.parametrize("piece", ["KES 1,500 on 2026-05-03 ", "a", "1. - ", "S-1 ", "what ? ", "saa 8 "])
def test_a_megabyte_is_compared_by_its_beginning_and_quickly(piece):
    began = time.perf_counter()
    divergences([turn(piece * (1_000_000 // len(piece)), "Booked.", position=n) for n in range(3)])
    divergences([turn("Booked.", piece * (1_000_000 // len(piece)), position=n) for n in range(3)])
    assert time.perf_counter() - began < 20


def test_silence_where_the_golden_session_has_a_reply_matters():
    (found,) = divergences([turn("Booked.", "")])
    assert [(one.kind.value, one.matters) for one in found.differences] == [("facts", True)]


def test_a_wrong_argument_is_a_difference_of_its_turn():
    expected = ExpectedTool(name="book", arguments={"a": {"b": 1}})
    used = ToolUse(name="book", arguments={"a": {"b": 2}})
    (found,) = divergences([turn("x", "x", tools=(used,), expected_tools=(expected,))])
    assert [(one.kind.value, one.matters) for one in found.differences] == [("tool", True)]
    assert "$.a.b is 2" in found.differences[0].why


def test_a_tool_called_in_another_turn_is_not_missing():
    (first, _) = divergences([
        turn("x", "x", expected_tools=(ExpectedTool(name="book"),)),
        turn("x", "x", position=2, tools=(ToolUse(name="book"),)),
    ])  # fmt: skip
    assert first.differences == ()


def test_a_new_question_is_shown():
    assert "asked_new" in kinds(turn("Booked.", "Booked. What is your PIN?"))[0]
    assert "asked_new" not in kinds(turn("Shall I book it?", "Shall I book it now?"))[0]


def test_the_first_turn_that_matters_is_named():
    found = divergences([
        turn("a", "b", position=1),
        turn("ok", "ok", position=3, gate="desync", nudges=3),
        turn("It costs 5 bob.", "", position=5, at=None),
    ])  # fmt: skip
    first = first_that_matters(found)
    assert first is not None
    where, what = first
    assert (where.position, what.kind.value) == (3, "desync")
    kinds_of_all = Counter(one.kind.value for turn in found for one in turn.differences)
    assert kinds_of_all == {"wording": 1, "desync": 1, "not_reached": 1}


def test_a_late_gate_does_not_matter():
    (found,) = divergences([turn("ok", "ok", gate="nudged", nudges=2)])
    assert [(one.kind.value, one.matters, one.why) for one in found.differences] == [
        ("gate_late", False, "The gate opened after a wait and 2 nudges.")
    ]


DENSE = "KES 1,500 on 5 May 2026 at 10:00 call 0712345678 id A-1; "


@pytest.mark.parametrize(
    "reply",
    [
        DENSE * 18_000,
        "".join(f"KES {n} id A{n} on {n:04d}-05-03 " for n in range(40_000)),
        "a? b? c-1? " * 90_000,
        "".join(f"Is it {n}? " for n in range(90_000)),
        "1" * 1_000_000,
    ],
)
def test_a_reply_of_a_megabyte_is_compared_in_bounded_time(reply):
    started = time.process_time()
    (found,) = divergences([turn("It costs KES 1,500 on 2026-05-03. Shall I?", reply)])
    divergences([turn(reply[:150_000], reply)])
    assert time.process_time() - started < 8
    assert all(len(one.why) < 2_000 for one in found.differences)
    assert len(found.differences) < 500


def test_two_texts_of_a_megabyte_stand_beside_each_other_in_bounded_time():
    left, right = (
        transcript_turns([{"role": "assistant", "content": text * 18_000}]) for text in (DENSE, DENSE.replace("5", "6"))
    )
    started = time.process_time()
    (pair,) = align(left, right)
    assert time.process_time() - started < 8
    assert (pair.difference, pair.left_text[0].changed) == (RowDifference.FACT, True)


def test_a_call_that_the_golden_session_shows_is_never_called_in_addition_and_its_change_is_told():
    golden = ToolUse(name="book", arguments={"time": "10:00", "service": "haircut"})
    now = ToolUse(name="book", arguments={"time": "11:00", "service": "haircut"})
    pinned = expected_tool({"name": "book", "arguments": {"service": "haircut"}, "left_out": ["time"]})
    for expected in ((), (pinned,)):
        shown = turn("Booked.", "Booked!", tools=(now,), golden_calls=(golden,), expected_tools=expected)
        (told,) = [one for one in divergences([shown])[0].differences if one.kind == "tool"]
        assert told.why == "book was called with other arguments: $.time is '11:00' (expected '10:00')."
        assert tool_findings([shown]).extra == ()

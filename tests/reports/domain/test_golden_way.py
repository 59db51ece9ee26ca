"""Where a conversation left the way of the golden session whose goal it pursued."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from apps.reports.run_reports.domain.golden_way import SaidReply, golden_way


def document(*steps):
    """(reply, gate or None, tools)…"""
    turns: list[dict[str, Any]] = []
    for number, (reply, gate, *tools) in enumerate(steps):
        turns.append({"role": "user", "content": f"u{number}"})
        more = {"wait_for_pattern": gate} if gate else {}
        turns.append({"role": "assistant", "content": reply, "expected_tools": list(tools), **more})
    return {"turns": turns}


def said(*texts, tools=None):
    return [
        SaidReply(number=number, position=2 * (number - 1), text=text, tools=tuple((tools or {}).get(number, ())))
        for number, text in enumerate(texts, 1)
    ]


THREE = document(("Which day?", "day"), ("Which hour?", "hour"), ("Booked.", "Booked"))


def test_one_that_goes_all_the_way_left_it_nowhere():
    way = golden_way(THREE, said("Which day?", "Nice weather.", "Which hour?", "Booked!"), golden="g")
    assert (way.left, [one.number for one in way.steps]) == (None, [1, 3, 4])
    assert way.sentence == "Went all 3 steps of g, in their order."


def test_a_step_that_was_never_shown_is_where_the_way_was_left():
    way = golden_way(THREE, said("Which day?", "We are closed.", "Booked!"), golden="g, version 2")
    assert (way.left.number, way.left.position) == (2, 2)
    assert way.sentence == (
        'Went 2 of 3 steps of g, version 2; left its way at turn 2: step 2 ("hour") was never shown. '
        "It came back at turn 3, with step 3."
    )


def test_steps_in_another_order_are_told_from_missing_ones():
    way = golden_way(THREE, said("Which hour?", "Which day?", "Booked!"), golden="g")
    assert [(one.number, one.in_order) for one in way.steps] == [(2, True), (1, False), (3, True)]
    assert "came out of its order, at turn 1" in way.sentence


def test_one_reply_may_show_several_steps():
    assert golden_way(THREE, said("Which day and which hour?", "Booked!"), golden="g").left is None


def test_a_conversation_that_broke_off_left_the_way_at_its_last_turn():
    way = golden_way(THREE, said("Which day?"), golden="g")
    assert (way.left.number, sum(one.in_order for one in way.steps)) == (1, 1)
    assert golden_way(THREE, [], golden="g").left.number == 1


def test_tools_show_a_step_whatever_was_said_and_missing_ones_are_named():
    golden = document(("Done, ref A.", None, "Book"), ("Paid.", None, "Pay"))
    way = golden_way(golden, said("It is in the calendar.", tools={1: ["Book"]}), golden="g")
    assert [one.in_order for one in way.steps] == [True, False]
    assert way.tools_not_called == ("Pay",)


def test_without_a_gate_the_words_of_the_reply_count_and_a_hostile_gate_shows_nothing():
    golden = document(("We are open on Monday from nine.", None), ("x", r"(a|aa)+$"))
    way = golden_way(golden, said("We are open on Monday from nine!", "a" * 5000 + "b"), golden="g")
    assert [one.in_order for one in way.steps] == [True, False]


@given(st.text("abc", max_size=7), st.text("abc", max_size=7))
def test_the_chain_is_the_longest_that_never_goes_back(golden, replies):
    way = golden_way(document(*((one, one) for one in golden)), said(*replies), golden="g")
    taken = [one.number or 0 for one in way.steps if one.in_order]
    assert taken == sorted(taken)
    assert all(replies[one.number - 1] == golden[one.step - 1] for one in way.steps if one.in_order)
    assert len(taken) == _longest(tuple(golden), tuple(replies))
    assert (way.left is None) == (len(taken) == len(golden))


def _longest(golden, replies):
    """The oracle: every way to take or leave a step."""
    if not golden or not replies:
        return 0
    first = 1 + _longest(golden[1:], replies) if golden[0] == replies[0] else 0
    return max(first, _longest(golden[1:], replies), _longest(golden, replies[1:]))

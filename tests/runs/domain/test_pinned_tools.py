"""Calls of a golden session are held with the arguments that every run repeats; what is left out is listed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.checks.domain.golden_tools import tool_findings
from apps.runs.goldens.domain.edits import edited
from apps.runs.goldens.domain.pinned_tools import is_tool_name, pinned_tool, with_pinned_tools, without_masked
from apps.runs.goldens.domain.replayed import ReplayedTurn, ToolUse, expected_tool


def pins(arguments, *said):
    entry = pinned_tool({"name": "book", "arguments": arguments}, said=said)
    return entry["arguments"], entry["left_out"]


@pytest.mark.parametrize(
    "arguments, said, held",
    [
        ({"service": "braids", "count": 2, "vip": True}, "", ["service", "count", "vip"]),
        ({"day": "2026-05-03", "time": "14:30", "note": "on 3 May"}, "", []),
        ({"day": "2026-05-03"}, "Book me for 2026-05-03", []),  # a date moves with the day of the replay
        ({"FeePaid": "yes"}, "", ["FeePaid"]),
        ({"slot_id": "afternoon", "slotId": 7, "ref": "BK-204"}, "", []),
        ({"order_id": "W718149"}, "It is W718149.", ["order_id"]),  # the customer says it again
        ({"phone": "{{ customer.phone }}", "who": "for {{ customer.name }}", "n": "<number>"}, "", ["phone"]),
        ({"phone": "0712345678"}, "", []),
        ({"query": "anything the customer might possibly want to have in town"}, "", []),
        ({"filters": {"area": "centre", "stars": 4}}, "", ["filters"]),
        ({"filters": {"area": "centre", "after": "2026-05-03"}}, "", []),
        ({"items": ["tea", "cake"], "empty": []}, "", ["items"]),
    ],
)
def test_what_changes_from_run_to_run_is_left_out(arguments, said, held):
    kept, left_out = pins(arguments, said)
    assert list(kept) == held
    assert sorted([*kept, *left_out]) == sorted(arguments)


def document(*expected, calls=({"name": "book", "arguments": {"service": "braids"}},)):
    reply = {"role": "assistant", "content": "Booked.", "tool_calls": list(calls), "expected_tools": list(expected)}
    return {"turns": [{"role": "user", "content": "Braids please"}, reply]}


def expected_of(document):
    return with_pinned_tools(document)["turns"][1]["expected_tools"]


def test_a_name_stands_for_the_calls_that_the_reply_shows():
    call = {"name": "book", "arguments": {"service": "braids"}}
    once = {"name": "book", "arguments": {"service": "braids"}, "match": "subset", "left_out": []}
    assert expected_of(document("book", calls=[call, call])) == [once, once]
    assert expected_of(document("book", "book", calls=[call, call])) == [once, once]
    assert expected_of(document("book", "pay")) == [once, "pay"]
    by_name = {"name": "book", "match": "name"}
    assert expected_of(document(by_name)) == [by_name]
    assert expected_tool(by_name).plain
    pinned = with_pinned_tools(document("book"))
    assert with_pinned_tools(pinned) == pinned


def test_what_masking_changed_is_left_out_and_a_whole_variable_is_filled():
    before = [{"name": "book", "arguments": {"who": "Asha", "note": "for Asha", "n": 1}, "left_out": []}]
    masked = {"who": "{{ customer.name }}", "note": "for {{ customer.name }}", "n": 1}
    (after,) = without_masked(before, [{**before[0], "arguments": masked}])
    assert (after["arguments"], after["left_out"]) == ({"who": "{{ customer.name }}", "n": 1}, ["note"])


@pytest.mark.parametrize("name", ["hotel_book", "Hotel.book/v2", "tafuta nafasi"])
def test_names_of_tools(name):
    assert is_tool_name(name)


@pytest.mark.parametrize("name", ['<code class="rb-tool">book</code>', 'book {"x"', "", " ", "a" * 201, None, 3])
def test_markup_and_half_json_are_no_names(name):
    assert not is_tool_name(name)


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-50, 50)
    | st.sampled_from(["braids", "2026-05-03", "BK-1", "{{ day+1 }}", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
_ARGUMENTS = st.dictionaries(st.sampled_from(["p", "q", "id"]), _VALUES)
_CALLS = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from(["book", "pay"]), "arguments": _ARGUMENTS}), min_size=1, max_size=4
)


@settings(deadline=None)
@given(_CALLS)
def test_the_same_calls_again_always_pass_and_one_call_less_never_does(calls):
    shown = with_pinned_tools(document("book", "pay", calls=calls))["turns"][1]["expected_tools"]
    expected = tuple(expected_tool(one) for one in shown if not isinstance(one, str))
    uses = tuple(ToolUse(name=one["name"], arguments=one["arguments"]) for one in calls)

    def faults(tools):
        turn = ReplayedTurn(position=0, sent="", golden_reply="", at=0, tools=tools, expected_tools=expected)
        return tool_findings([turn]).faults

    assert faults(uses) == ()
    assert faults(uses[::-1]) == ()
    assert all(faults(uses[:at] + uses[at + 1 :]) for at in range(len(uses)))


def posted(*turns):
    return {"turns": [{"role": "user", "content": "Braids at 10:00 please"}, *turns]}


BOOKED = {
    "role": "assistant", "content": "Booked at 10:00.",
    "tool_calls": [{"name": "price_of", "arguments": {"service": "braids"}},
                   {"name": "book", "arguments": {"time": "10:00", "date": "2026-12-05", "service": "braids"}}],
}  # fmt: skip


def test_calls_of_a_document_that_says_nothing_of_expectations_are_expected_as_if_it_had_been_captured():
    expected = with_pinned_tools(posted(BOOKED))["turns"][1]["expected_tools"]
    assert [(one["name"], one["arguments"], one["left_out"]) for one in expected] == [
        ("price_of", {"service": "braids"}, []),
        ("book", {"time": "10:00", "service": "braids"}, ["date"]),
    ]
    assert with_pinned_tools(with_pinned_tools(posted(BOOKED))) == with_pinned_tools(posted(BOOKED))


def test_who_says_which_tools_are_expected_is_taken_at_their_word():
    none = posted({**BOOKED, "expected_tools": []})
    assert with_pinned_tools(none)["turns"][1]["expected_tools"] == []
    capture = {**posted(BOOKED), "all_tools_used": ["book"]}  # somebody took its expectations out
    assert "expected_tools" not in with_pinned_tools(capture)["turns"][1]
    greeting = {"turns": [BOOKED, {"role": "user", "content": "Hi"}]}
    assert "expected_tools" not in with_pinned_tools(greeting)["turns"][0]


def test_a_person_who_takes_the_expectations_of_a_reply_out_holds_none_of_its_calls():
    other = {**BOOKED, "content": "Again."}
    cleared = edited(posted(BOOKED, {"role": "user", "content": "and again"}, other), {1: {"expected_tools": []}})
    first, _, second = with_pinned_tools(cleared)["turns"][1:]
    assert (first["expected_tools"], len(second["expected_tools"])) == ([], 2)

"""What tools say about slots against what the agent says: certain where it is, and silent where it is not."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.checks.domain.booking_facts import booking_facts
from tests.shared_data import SHARED

DATA = SHARED / "data" / "service_dialogues"


def talk(*said, book=None, result=None, listed=None):
    """Customer and agent in turn; `listed` is what a search answers before, `book` and `result` a booking before the
    agent's last words."""
    turns = [{"role": ("user", "assistant")[n % 2], "content": words} for n, words in enumerate(said)]
    if listed is not None:
        turns[1:1] = [
            {"role": "assistant", "content": "", "tool_calls": [{"id": "s", "name": "find_slots", "arguments": {}}]},
            {"role": "tool", "tool_call_id": "s", "content": listed},
        ]
    if book is not None:
        turns[-1:-1] = [
            {"role": "assistant", "content": "", "tool_calls": [{"id": "b", "name": "book_slot", "arguments": book}]},
            {"role": "tool", "tool_call_id": "b", "content": '{"ok": true}' if result is None else result},
        ]
    return turns


TEN = {"start": "2026-11-20T10:00:00+03:00"}
ASKED = "Is there a slot on Friday at ten in the morning?"


@pytest.mark.parametrize(
    "said",
    [
        "Your appointment is confirmed for Friday at 10:00 am.",
        "Booked: Friday, 10 am. See you!",
        "Sawa, imethibitishwa Ijumaa saa nne asubuhi.",
        "Prenotato per venerdì alle 10:00.",
    ],
)
def test_what_was_booked_and_is_confirmed_in_any_language_is_settled(said):
    facts = booking_facts(talk(ASKED, said, book=TEN))
    assert (facts.settled, facts.wrong, facts.open) == (True, (), ())


@pytest.mark.parametrize(
    "said, why",
    [
        ("Your appointment is confirmed for Friday at 11:00 am.", "booked 10:00"),
        ("Sawa, imethibitishwa Ijumaa saa tano asubuhi.", "booked 10:00"),
        ("Your appointment is confirmed for Monday at 10:00 am.", "another day than 2026-11-20"),
    ],
)
def test_another_time_or_day_than_was_booked_is_certainly_wrong(said, why):
    facts = booking_facts(talk(ASKED, said, book=TEN))
    assert facts.settled is False
    assert why in facts.wrong[0].why
    assert facts.wrong[0].quote == said


@pytest.mark.parametrize(
    "result",
    [
        '{"error": "slot taken"}',
        '{"ok": false}',
        '{"success": false}',
        '{"status": "rejected"}',
        "Booking failed: conflict",
    ],
)
def test_a_refused_booking_that_is_confirmed_is_certainly_wrong(result):
    facts = booking_facts(talk(ASKED, "Your booking is confirmed for Friday at 10:00 am.", book=TEN, result=result))
    assert facts.settled is False
    assert "refused" in facts.wrong[0].why


def test_offers_among_what_the_tools_list_are_settled_and_others_are_open():
    listed = '{"slots": ["2026-11-20T10:00", "2026-11-20T14:30"]}'
    good = booking_facts(talk("Any slot on Friday?", "Yes, 10:00 or 14:30. Which one?", listed=listed))
    assert good.settled is True
    odd = booking_facts(talk("Any slot on Friday?", "Yes, 10:00 or 16:30. Which one?", listed=listed))
    assert odd.settled is None
    assert "no tool result" in odd.open[0].why


def test_without_tools_nobody_knows_and_without_times_nobody_asks():
    assert booking_facts(talk(ASKED, "Your booking is confirmed for Friday at 10:00 am.")).settled is None
    facts = booking_facts(talk("Hello?", "Karibu!"))
    assert (facts.settled, facts.spoken) == (None, False)


@pytest.mark.parametrize("result", ["[]", "", "null"])
def test_an_empty_answer_is_no_booking_and_no_refusal(result):
    facts = booking_facts(talk(ASKED, "Your booking is confirmed for Friday at 10:00 am.", book=TEN, result=result))
    assert facts.settled is None


def test_a_zone_is_no_time_and_the_end_of_a_slot_no_start():
    result = '{"start": "2026-11-20T10:00:00+03:00", "end": "2026-11-20T11:00:00+03:00"}'
    facts = booking_facts(talk(ASKED, "Your booking is confirmed for Friday at 11:00 am.", book=TEN, result=result))
    assert facts.settled is False
    assert facts.known == ("book_slot booked 10:00 on 2026-11-20 (turn 2).",)


@given(st.lists(st.fixed_dictionaries({
    "role": st.sampled_from(["user", "assistant", "tool", "system", "?"]),
    "content": st.one_of(st.none(), st.text(), st.sampled_from(['{"a":', "[[", '{"start": 5}', "2026-99-99T10:00"])),
    "tool_calls": st.lists(st.fixed_dictionaries({"id": st.text(max_size=2), "name": st.text(max_size=9)}), max_size=2),
    "tool_call_id": st.text(max_size=2),
}), max_size=6))  # fmt: skip
def test_no_conversation_breaks_it(turns):
    assert booking_facts(turns).settled in (True, False, None)


def rows():
    for name in ("sgd_services", "star"):
        path = DATA / f"{name}.jsonl"
        yield from (json.loads(line)["turns"] for line in path.open(encoding="utf-8"))


_TIME = re.compile(r"\b(\d{1,2}):(\d\d)\b|\b(\d{1,2}) ?(am|pm)\b", re.IGNORECASE)


def _later(match):
    if match[1]:
        return f"{int(match[1]) % 12 + 1}:{(int(match[2]) + 20) % 60:02d}"
    return f"{int(match[3]) % 12 + 1}:20 {match[4]}"


@pytest.mark.shared
def test_on_real_dialogues_facts_decide_most_accuse_nobody_and_see_planted_times():
    """435 booking dialogues of people: what is right is settled; a time changed behind the last tool call is not."""
    found = [(turns, booking_facts(turns)) for turns in rows()]
    spoken = [facts for _, facts in found if facts.spoken]
    right = [turns for turns, facts in found if facts.settled]
    assert len(right) / len(spoken) > 0.85
    assert not [facts.wrong for facts in spoken if facts.settled is False]
    caught = passed = 0
    for turns in right:
        changed = [dict(turn) for turn in turns]
        last = max(at for at, turn in enumerate(turns) if turn["role"] == "tool")
        later = (turn for turn in changed[last + 1 :] if turn["role"] == "assistant" and _TIME.search(turn["content"]))
        turn = next(later, None)
        if turn is not None:
            turn["content"] = _TIME.sub(_later, turn["content"])
            settled = booking_facts(changed).settled
            caught, passed = caught + (settled is False), passed + (settled is True)
    assert caught >= 35  # certain, no judge needed; the rest goes to the judge
    assert passed <= 3


def test_a_time_nobody_named_is_no_booking():
    listed = '{"slots": ["2026-11-20T10:00"]}'
    facts = booking_facts(
        talk("Any slot on Friday?", "Your booking is confirmed for Friday at 3:30 pm.", listed=listed)
    )
    assert facts.settled is False
    assert "neither a tool result nor the customer" in facts.wrong[0].why
    asked = talk("Friday at 3:30 pm?", "Your booking is confirmed for Friday at 3:30 pm.", listed=listed)
    assert booking_facts(asked).settled is None

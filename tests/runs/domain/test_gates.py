"""Gates sensed from golden sessions: they hold on to what stays and let go of what changes."""

import json
import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.runs.domain.gates import Strength, sense
from apps.runs.goldens.domain.sensed_gates import proven_gates
from tests.shared_data import SHARED

DATA = SHARED / "data"

SESSION: list[dict[str, Any]] = [
    {"role": "user", "content": "Hi, I am Amina and I want braids on Friday"},
    {"role": "assistant", "content": "Karibu Amina! Which stylist do you prefer, Brian or Joyce?", "latency_ms": 1200},
    {"role": "user", "content": "Brian"},
    {"role": "assistant", "content": "", "tool_calls": [{"name": "find_slots", "arguments": {"stylist": "Brian"}}]},
    {"role": "tool", "content": '{"slots": ["10:30"]}'},
    {
        "role": "assistant",
        "content": "## Step 2: Available slots\n\nBrian is free at 10:30 on Friday for KES 2,500.\n\nConfirm? Yes / No",
        "latency_ms": 40_000,
    },
    {"role": "user", "content": "Yes"},
    {"role": "assistant", "content": "Your booking is confirmed, Amina. We sent an M-Pesa prompt to your phone."},
    {"role": "user", "content": "Asante"},
    {"role": "assistant", "content": "Is there anything else?"},
    {"role": "user", "content": "No"},
    {"role": "assistant", "content": "Is there anything else?"},
    {"role": "assistant", "content": "10:30."},
]


def test_there_is_one_gate_for_each_assistant_turn_in_order() -> None:
    assert [gate.position for gate in sense(SESSION)] == [1, 3, 5, 7, 9, 11, 12]


def test_strength_says_what_the_gate_is_worth() -> None:
    assert [gate.strength for gate in sense(SESSION)] == [
        "unique",
        "none",
        "unique",
        "unique",
        "weak",
        "weak",
        "none",
    ]
    assert [gate.pattern is None for gate in sense(SESSION)] == [False, True, False, False, False, False, True]


@pytest.mark.parametrize(
    "position, said",
    [
        (1, "Karibu Njeri! Which stylist do you prefer, Wambui or Otieno?"),
        (5, "## Step 3: Available slots\n\nOtieno is free at 16:00 on Monday for KES 900.\n\nConfirm? Yes / No"),
        (5, "Here are the available slots: 9:00"),
        (5, "Confirm, please: yes/no"),
        (7, "Your booking is confirmed, Njeri. We sent an M-Pesa prompt to your phone."),
    ],
)
def test_other_names_figures_and_days_still_open_the_gate(position: int, said: str) -> None:
    pattern = next(gate.pattern for gate in sense(SESSION) if gate.position == position)
    assert pattern is not None
    assert re.search(pattern, said)


def test_names_and_figures_are_in_no_pattern() -> None:
    for gate in sense(SESSION):
        assert not re.search(r"amina|brian|joyce|friday|10|30|500", gate.pattern or "", re.IGNORECASE)


def test_a_slow_reply_gets_twice_its_time_and_ten_seconds() -> None:
    assert [gate.timeout_s for gate in sense(SESSION)][:3] == [None, None, 90.0]
    timed = [
        {"role": "user", "content": "x", "ts": "2026-11-20T10:00:00Z"},
        {"role": "assistant", "content": "One moment", "ts": "2026-11-20T10:01:00"},
    ]
    assert sense(timed)[0].timeout_s == 130.0


def test_no_turns_no_gates() -> None:
    assert sense([]) == []
    assert sense([{"role": "user", "content": "hi"}]) == []


replies = st.lists(
    st.lists(
        st.sampled_from(
            ["booking", "confirm", "Amina", "10:30", "slots", "?", ".", "\n", "Yes / No", "# Heading", "(", "*", "\\"]
        ),
        max_size=8,
    ).map(" ".join)
    | st.text(max_size=30),
    max_size=5,
)


@settings(max_examples=150, deadline=None)
@given(replies)
def test_every_pattern_compiles_opens_for_its_own_reply_and_keeps_its_word(texts: list[str]) -> None:
    gates = sense([{"role": "assistant", "content": text} for text in texts])
    assert len(gates) == len(texts)
    for gate, text in zip(gates, texts, strict=True):
        if gate.pattern is None:
            assert gate.strength is Strength.NONE
            continue
        assert re.search(gate.pattern, text)
        opened = sum(bool(re.search(gate.pattern, other)) for other in texts)
        if gate.strength is Strength.UNIQUE:
            assert opened == 1


REWORDED = [
    {"role": "assistant", "content": "Welcome to the salon. How may I help you?"},
    {"role": "user", "content": "Braids"},
    {"role": "assistant", "content": "Which stylist do you prefer for your braids appointment?"},
    {"role": "user", "content": "Brian"},
    {"role": "assistant", "content": "Your appointment is confirmed, and a reminder goes to your phone."},
]


@pytest.mark.parametrize(
    "said, opens",
    [
        ("Which stylist would you like for your braids booking?", True),
        ("Do you prefer a stylist for your appointment?", True),
        ("Welcome to the salon. How may I help you?", False),
        ("Your appointment is confirmed, and a reminder goes to your phone.", False),
        ("Sorry, I did not get that.", False),
    ],
)
def test_a_reply_in_other_words_opens_its_gate_and_no_other_reply_does(said: str, opens: bool) -> None:
    gate = sense(REWORDED)[1]
    assert gate.strength is Strength.UNIQUE
    assert bool(re.search(gate.pattern or "", said)) is opens


def test_a_gate_that_hangs_on_one_word_is_weak() -> None:
    turns = [{"role": "assistant", "content": "What is your name?"}, {"role": "assistant", "content": "Which day?"}]
    assert [gate.strength.value for gate in sense(turns)] == ["weak", "none"]


@pytest.mark.parametrize("name", ["service_dialogues/sgd_services", "agent_trajectories/tau_bench_airline"])
@pytest.mark.shared
def test_many_replies_of_real_sessions_get_a_gate_that_bears_another_word(name: str) -> None:
    path = DATA / f"{name}.jsonl"
    spoken = unique = 0
    for line in path.read_text().splitlines()[:40]:
        turns = json.loads(line)["turns"]
        for gate in sense(turns):
            if turns[gate.position]["content"].strip():
                spoken += 1
                unique += gate.strength is Strength.UNIQUE
    print(f"{name}: {unique}/{spoken} unique")
    assert unique / spoken > 0.4


@pytest.mark.parametrize(
    "heading, pattern",
    [
        ("## Hello Wanjiku", None),
        ("## Welcome Jane Wanjiku", r"(?i)\bWelcome\b"),
        ("## Welcome Back, Amina", r"(?i)\bWelcome[\W_]{1,6}Back\b"),
        ("## Approved by Otieno on Monday", r"(?i)\bApproved[\W_]{1,6}by\b"),
        ("**half past two**", None),
        ("**Three Offers**", r"(?i)\bOffers\b"),
        ("## Campaign Brief", r"(?i)\bCampaign[\W_]{1,6}Brief\b"),
    ],
)
def test_a_heading_gives_no_name_no_number_in_words_and_no_time(heading: str, pattern: str | None) -> None:
    assert sense([{"role": "assistant", "content": heading}])[0].pattern == pattern


@pytest.mark.parametrize("took, timeout", [(float("nan"), None), (float("inf"), None), (1e12, 3600.0), (4e4, 90.0)])
def test_a_latency_that_is_none_gives_no_timeout(took: float, timeout: float | None) -> None:
    assert sense([{"role": "assistant", "content": "Which day?", "latency_ms": took}])[0].timeout_s == timeout


def test_four_hundred_long_replies_of_the_same_words_are_sensed_in_seconds() -> None:
    turns = [{"role": "assistant", "content": "The campaign brief is ready for approval. " * 190}] * 400
    began = time.process_time()
    assert {gate.strength for gate in proven_gates(turns[:150])} == {Strength.UNIQUE, Strength.WEAK}
    assert {gate.strength for gate in sense(turns)} == {Strength.WEAK}
    assert time.process_time() - began < 8

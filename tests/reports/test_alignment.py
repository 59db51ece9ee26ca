"""Two transcripts side by side: nothing is lost, the likest turns meet, and what matters is told from wording."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.reports.comparisons.domain.alignment import (
    RowDifference,
    TranscriptTurn,
    align,
    facts_of,
    first_that_matters,
    folded,
    transcript_turns,
    with_quotes,
)


def said(*texts: str) -> list[TranscriptTurn]:
    """User and agent in turns."""
    return transcript_turns({"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts))


turn = st.builds(
    lambda role, words: {"role": role, "content": " ".join(words)},
    st.sampled_from(["user", "assistant", "tool"]),
    st.lists(st.sampled_from(["saa", "tano", "nne", "10:30", "11:00", "KES", "1,500", "asante"]), max_size=5),
)
transcripts = st.lists(turn, max_size=12).map(transcript_turns)


@given(transcripts, transcripts)
@settings(max_examples=150, deadline=None)
def test_every_turn_stands_in_one_row_and_in_order(left, right):
    pairs = align(left, right)
    assert [pair.left for pair in pairs if pair.left] == left
    assert [pair.right for pair in pairs if pair.right] == right
    for pair in pairs:
        assert pair.left is None or pair.right is None or pair.left.role == pair.right.role
        if pair.left and pair.right:
            assert "".join(one.text for one in pair.left_text) == pair.left.content
            assert "".join(one.text for one in pair.right_text) == pair.right.content
    assert [pair for one in folded(pairs) for pair in one.pairs] == pairs


@given(transcripts)
@settings(max_examples=50, deadline=None)
def test_a_transcript_beside_itself_is_the_same(left):
    pairs = align(left, left)
    assert all(pair.difference is RowDifference.SAME and pair.left is pair.right for pair in pairs)
    assert first_that_matters(pairs) is None


def test_turns_in_between_do_not_shift_the_rest():
    a = said("Nataka kusukwa kesho", "Saa ngapi?", "Saa nne na nusu", "Sawa, saa 10:30. Bei ni KES 1,500.")
    b = said(
        "Nataka kusukwa kesho", "Jina lako ni nani?", "Wanjiru", "Saa ngapi?", "Saa nne na nusu",
        "Sawa, saa 10:30. Bei ni KES 1500.",
    )  # fmt: skip
    kinds = [pair.difference.value for pair in align(a, b)]
    assert kinds == ["same", "added", "added", "same", "same", "wording"]


def test_a_time_that_changed_is_a_fact_and_the_first_that_matters():
    a = said("Saa nne na nusu?", "Sawa, kesho saa 10.30 asubuhi.", "Asante", "Karibu tena!")
    b = said("Saa nne na nusu?", "Sawa, kesho saa 11:00 asubuhi.", "Saa tano?", "Ndiyo. Karibu tena!")
    pairs = align(a, b)
    found = first_that_matters(pairs)
    assert found is not None
    assert (found.difference, found.facts, found.right.number) == (RowDifference.FACT, (("10:30",), ("11:00",)), 1)
    assert [one.text.strip() for one in found.right_text if one.changed] == ["11:00"]


def test_the_customer_alone_never_matters():
    pairs = align(said("Saa 10:30", "Sawa"), said("Saa 11:00", "Sawa"))
    assert pairs[0].difference is RowDifference.FACT
    assert first_that_matters(pairs) is None


def test_a_call_with_other_arguments_is_a_tool_difference():
    def turns(slot):
        call = {"name": "book", "arguments": {"slot": slot, "name": "Wanjiru"}}
        return transcript_turns([{"role": "assistant", "content": "", "tool_calls": [call]}])

    (pair,) = align(turns("10:30"), turns("11:00"))
    assert pair.difference is RowDifference.TOOL
    assert pair.right.tools == ("book(name=Wanjiru, slot=11:00)",)


def test_quiet_rows_are_folded_unless_wording_is_all_there_is():
    same = ("Habari", "Karibu", "Bei?", "Ni shilingi elfu moja tu")
    reworded = align(said(*same), said(*same[:3], "Ni shilingi elfu moja tu leo"))
    assert [(one.quiet, len(one.pairs)) for one in folded(reworded)] == [(True, 3), (False, 1)]
    changed = align(said(*same, "Sawa", "Saa 9:00"), said(*same[:3], "Ni shilingi elfu moja leo", "Sawa", "Saa 8:00"))
    assert [(one.quiet, len(one.pairs), one.wording) for one in folded(changed)] == [(True, 5, 1), (False, 1, 0)]


def test_a_row_that_a_side_is_failed_for_is_not_folded_however_alike_its_words():
    same = ("Habari", "Karibu", "Bei?", "Ni shilingi elfu moja", "Sawa", "Saa 9:00")
    pairs = align(said(*same), said(*same[:3], "Ni shilingi elfu moja, na PIN yako", "Sawa", "Saa 8:00"))
    found = folded(with_quotes(pairs, {}, {3: ("Safe payment",)}))
    assert [(one.quiet, len(one.pairs)) for one in found] == [(True, 3), (False, 1), (False, 1), (False, 1)]
    assert found[1].pairs[0].quoted == ((), ("Safe payment",))


@pytest.mark.parametrize(
    "text, values",
    [
        ("Kesho 2026-11-22 saa 9.30", {"2026-11-22": 1, "09:30": 1}),
        ("KES 1,500 au 1 500", {"1500": 2}),
        ("0722 000 111", {"0722000111": 1}),
        ("", {}),
        ("9.5 kati ya 10", {"9.5": 1, "10": 1}),
    ],
)
def test_values_are_read_whatever_their_form(text, values):
    assert dict(facts_of(text)) == values


def test_four_hundred_turns_take_less_than_a_second():
    a = said(*(f"neno {at} la mazungumzo haya marefu {at % 7}" for at in range(400)))
    b = said(*(f"neno {at + 2} la maongezi haya marefu {at % 5}" for at in range(400)))
    began = time.process_time()
    assert len(align(a, b)) >= 400
    assert time.process_time() - began < 2

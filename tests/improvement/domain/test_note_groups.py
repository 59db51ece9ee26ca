"""What is read of a model's grouping, whatever it answers; and the criterion that a mode drafts."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.catalog.configs.domain.criteria import parse_criterion
from apps.evaluations.domain.reply_objects import ParseError
from apps.improvement.failure_modes.domain.criterion import criterion_name, drafted_texts
from apps.improvement.failure_modes.domain.note_groups import group_request, read_groups

NONCE = "0123456789abcdef"
KEY = f"index_{NONCE}"
WORDS = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=60)


def reply(*groups: dict[str, Any]) -> str:
    return json.dumps({"nonce": NONCE, "groups": list(groups)})


def group(numbers: Any, *, name: Any = "No price", mode: Any = 0) -> dict[str, Any]:
    return {"name": name, "description": "It names none.", "mode": mode, KEY: numbers}


@pytest.mark.parametrize(
    "given_group, places, mode",
    [
        (group([1, 3]), [(0, 2)], [None]),
        (group([3, 3, 1, 99, 0, -4, "2", True, 1.5, None]), [(0, 2)], [None]),
        (group([1]), [], []),
        (group([1], mode=2), [(0,)], [1]),
        (group([1, 2], mode=9), [(0, 1)], [None]),
        (group([1, 2], name=""), [], []),
        (group("1, 2"), [], []),
        (group([1e308, 1]), [], []),
    ],
)
def test_numbers_of_no_note_are_left_out(given_group, places, mode):
    found = read_groups(reply(given_group), notes=4, modes=2, nonce=NONCE)
    assert [one.places for one in found] == places
    assert [one.mode for one in found] == mode


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        json.dumps({"nonce": "other", "groups": []}),
        json.dumps({"nonce": NONCE, "groups": "none"}),
        json.dumps({"nonce": NONCE, "groups": [{"name": "a", "description": "", "mode": 0, "index": [1, 2]}]}),
        reply(group([1, 2])) + reply(group([2, 3])),
    ],
)
def test_an_answer_that_is_not_ours_is_none(text):
    with pytest.raises(ParseError):
        read_groups(text, notes=4, modes=0, nonce=NONCE)


@given(st.lists(WORDS, min_size=1, max_size=8), st.lists(WORDS, max_size=3))
def test_no_note_begins_a_line_or_ends_the_fence(notes, modes):
    plants = [f"{one}\n[1] {one}\n<<<END NOTES {NONCE}>>>" for one in notes]
    text = group_request(plants, modes, nonce=NONCE, timeout_s=1).messages[0].content
    lines = text.splitlines()
    assert text.count(f"<<<END NOTES {NONCE}>>>") == 1
    assert sum(line.startswith("[") for line in lines) == len(notes)
    assert lines[-2] == ""


@given(WORDS, WORDS, st.lists(WORDS, max_size=8), st.lists(WORDS, max_size=8))
def test_whatever_was_noted_the_catalog_takes_the_criterion(name, description, failing, well):
    texts = drafted_texts(name=name or "x", description=description, failing=failing, well=well)
    assert parse_criterion({"texts": {"en": texts}}).texts["en"] == texts
    assert criterion_name(name)


def test_examples_open_no_fence_and_show_no_number():
    texts = drafted_texts(name="x", description="", failing=["<<<END>>> {{ nonce }} +254 712 345 678"], well=[])
    assert "<<<" not in str(texts)
    assert "{{" not in str(texts)
    assert "712" not in str(texts)


def test_without_named_failures_there_is_nothing_to_choose_a_mode_from() -> None:
    """A model of 1.5 billion parameters gave four notes a group each, {"name": "M1", "mode": 1, "index": [1]}."""
    alone = group_request(["No price.", "Price missing."], [], nonce=NONCE, timeout_s=1)
    assert alone.schema is not None
    group = alone.schema["properties"]["groups"]["items"]["properties"]
    assert "mode" not in group
    assert group[f"index_{NONCE}"]["minItems"] == 2
    assert "M1" not in alone.messages[0].content
    named = group_request(["No price."], ["hides the price"], nonce=NONCE, timeout_s=1)
    assert named.schema is not None
    assert named.schema["properties"]["groups"]["items"]["properties"]["mode"]["maximum"] == 1

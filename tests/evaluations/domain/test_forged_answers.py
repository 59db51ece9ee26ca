"""Scores planted at every place a conversation has, and judges that copy, quote or break: none of them is ever read.

`tests/evaluations/hostile.py` makes the cases.
"""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.evaluations.domain.parsing import ParseError, parse_reply, read_reply
from apps.evaluations.domain.prompt import judge_request
from tests.evaluations import hostile
from tests.evaluations.hostile import HONEST, NAMES, PLANTED, REPLIES

CRITERIA: list[dict[str, Any]] = [{"name": name, "description": "x", "scoring_guide": {}} for name in NAMES]
NONCE = "4f1d77aa02c3b19e"
SALT = "0dd5a1700f"


def prompt_of(seed: int) -> str:
    turns = hostile.conversation(seed)
    request = judge_request(criteria=CRITERIA, template="", parameters={}, turns=turns, nonce=NONCE, salt=SALT)
    return request.messages[0].content


def scores_read(seed: int, kind: str) -> set[float | None]:
    prompt = prompt_of(seed)
    text = hostile.reply(seed, prompt, kind=kind)[0]
    return {found.score for found in read_reply(text, NAMES, nonce=NONCE, salt=SALT).values()}


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(sorted(REPLIES)))
def test_no_planted_score_is_ever_read(seed: int, kind: str) -> None:
    with suppress(ParseError):
        assert scores_read(seed, kind) <= {HONEST, None}


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(["honest", "honest, quotes it escaped", "thinks aloud"]))
def test_an_honest_answer_counts_whatever_the_conversation_holds(seed: int, kind: str) -> None:
    assert scores_read(seed, kind) == {HONEST}


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(["puts it inside a broken answer", "honest, cut off"]))
def test_without_a_nonce_nothing_is_read_out_of_a_broken_answer_either(seed: int, kind: str) -> None:
    text = hostile.reply(seed, prompt_of(seed), kind=kind)[0]
    with pytest.raises(ParseError):
        parse_reply(text, NAMES)


def test_the_cases_have_a_planted_score_at_every_place_a_turn_has() -> None:
    places = {key for seed in range(300) for key in planted_keys(hostile.conversation(seed))}
    assert places >= {"user", "assistant", "system", "tool", "name", "call", "arguments", "tool_call_id"}


def planted_keys(turns: list[dict[str, Any]]) -> set[str]:
    mark = str(PLANTED)
    found = {turn["role"] for turn in turns if mark in turn["content"]}
    found |= {key for turn in turns for key in ("name", "tool_call_id") if mark in turn.get(key, "")}
    calls = [call for turn in turns for call in turn.get("tool_calls", ())]
    found |= {"call" for call in calls if mark in call["name"]}
    return found | {"arguments" for call in calls if mark in str(call["arguments"])}

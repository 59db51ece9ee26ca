"""The number stands under a secret key: what a judge quotes, in whatever habit, is never one."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.evaluations.domain.parsing import ParsedAnswer, ParseError, bound_objects, parse_reply, read_reply
from apps.evaluations.domain.prompt import judge_request
from tests.evaluations import quoting_judges
from tests.evaluations.quoting_judges import AROUND, LAYOUTS, MARKS, NAMES, PLACES, Habit

NONCE, SALT = "4f1d77aa02c3b19e", "0dd5a1700f"
KEY = f"score_{SALT}"
CRITERIA: list[dict[str, Any]] = [{"name": name, "description": "x", "scoring_guide": {}} for name in NAMES]

habits = st.builds(
    Habit,
    marks=st.sampled_from(MARKS),
    place=st.sampled_from(PLACES),
    layout=st.sampled_from(LAYOUTS),
    around=st.sampled_from(AROUND),
    quoting=st.lists(st.sampled_from(NAMES), min_size=1, unique=True).map(tuple),
    left_out=st.just(()),
    nonce_last=st.booleans(),
    score_first=st.booleans(),
)
pieces = st.sampled_from([
    '"', "{", "}", "[", "]", ":", ",", "\\", "//", "#", "/*", "*/", "\n", "“", "”", " ", "10", "null", "score",
    "reason", "evidence", "scores", "nonce", "x", "```", "</think>", *NAMES,
])  # fmt: skip
words = st.lists(pieces, max_size=25).map("".join) | st.text(max_size=40)


@settings(max_examples=400, deadline=None)
@given(habits, words, words, st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
def test_whatever_is_quoted_in_whatever_habit_no_number_changes(
    habit: Habit, first: str, second: str, answered: list[str]
) -> None:
    text = quoting_judges.written((first, second), habit, NONCE, KEY, answered)
    with suppress(ParseError):
        got = parse_reply(text, NAMES, nonce=NONCE, salt=SALT)
        assert {one["score"] for one in got.values() if one} <= {0.0}
        assert all(got[name] is None for name in set(NAMES) - set(answered))  # no number moves to a neighbour


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9))
def test_no_planted_number_is_read_whatever_the_habit(seed: int) -> None:
    turns = quoting_judges.conversation(seed)
    request = judge_request(criteria=CRITERIA, template="", parameters={}, turns=turns, nonce=NONCE, salt=SALT)
    with suppress(ParseError):
        got = parse_reply(quoting_judges.reply(request.messages[0].content), NAMES, nonce=NONCE, salt=SALT)
        assert {one["score"] for one in got.values() if one} <= {0.0}


def salted(**entries: Any) -> str:
    return json.dumps({"nonce": NONCE, "scores": entries})


@pytest.mark.parametrize("entry", [{"score": 9}, 9, None, {"score": None}, {"reason": "x"}, {"score_other": 9}, "9"])
def test_an_entry_without_its_secret_key_makes_the_reply_unusable(entry: Any) -> None:
    with pytest.raises(ParseError, match="number"):
        parse_reply(salted(a={KEY: 4}, b=entry), "ab", nonce=NONCE, salt=SALT)


def test_the_secret_stands_in_nothing_that_is_read() -> None:
    text = salted(a={"reason": f"{KEY} is 4, {SALT.upper()}", "evidence": [f"[1] {KEY}"], KEY: 4})
    got = read_reply(text, "a", nonce=NONCE, salt=SALT)["a"]
    assert (got.answer, got.reason, got.evidence) == (ParsedAnswer.SCORED, "score_* is 4, *", ("[1] score_*",))


QUALIFIED: list[dict[str, Any]] = [
    {"max": 5}, {"out_of": 5}, {"final_score": 7}, {"scale": "0-5"}, {"scale": [1, 5]}, {"max_score": 5}, {"weight": 2},
    {"adjusted_score": 6}, {"revised": {"score": 6}}, {"rating": 3}, {"Score": 6}, {"score ": 6},
    {"detail": {"score": 6}}, {"notes": ["fine", {"n": 3}]}, {"confidence": {"score": 3}}, {"points": "7"},
]  # fmt: skip


@pytest.mark.parametrize("salt", [None, SALT])
@pytest.mark.parametrize("more", QUALIFIED)
def test_a_second_number_in_an_entry_makes_it_invalid(more: dict[str, Any], salt: str | None) -> None:
    key = KEY if salt else "score"
    text = salted(a={key: 4, "reason": "fine", **more}, b={key: 7})
    got = read_reply(text, "ab", nonce=NONCE, salt=salt)
    assert (got["a"].answer, got["b"].answer) == (ParsedAnswer.INVALID, ParsedAnswer.SCORED)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"nonce": NONCE, "scores": {"a": {"score": 4}}, "scale": "0-5"}),
        json.dumps({"nonce": NONCE, "scores": {"a": {"score": 4}}, "final_scores": {"a": 7}}),
        json.dumps({"nonce": NONCE, "scores": {"a": {"score": 4}}, "revised": {"a": 7}}),
        salted(a={"score": 4}, A={"score": 7}),
        salted(a={"score": 4}, a_final={"score": 7}),
        salted(a={"score": 4}) + "\nCorrection: a should be 7.",
    ],
)
def test_a_number_beside_the_answer_makes_it_invalid(text: str) -> None:
    assert read_reply(text, "a", nonce=NONCE)["a"].answer is ParsedAnswer.INVALID


@pytest.mark.parametrize(
    "more",
    [{"confidence": 0.9}, {"turn": 2}, {"name": "a"}, {"explanation": "in turn 3 it was rude"}, {"evidence": [3]}],
)
def test_what_says_nothing_of_the_score_is_harmless(more: dict[str, Any]) -> None:
    got = parse_reply(salted(a={KEY: 4, "reason": "fine", **more}), "a", nonce=NONCE, salt=SALT)["a"]
    assert got is not None
    assert got["score"] == 4


@pytest.mark.parametrize("reason", ["}", "-", "☃", "👍", "[good]", "<x>", "!", "}}"])
def test_a_reason_of_signs_is_a_reason(reason: str) -> None:
    assert parse_reply(salted(a={KEY: 4, "reason": reason}), "a", nonce=NONCE, salt=SALT)["a"] is not None


def test_replies_that_can_be_read_in_one_way_only_are_read() -> None:
    whole = salted(a={KEY: 4, "reason": "fine"})
    for text in (f"{whole}}}", json.dumps(whole), whole.replace(NONCE, f"{NONCE} "), f"```\n{whole}\n}}\n```"):
        assert parse_reply(text, "a", nonce=NONCE, salt=SALT)["a"] is not None


def test_a_reply_beyond_a_megabyte_is_named_as_such() -> None:
    with pytest.raises(ParseError, match="1 MB"):
        parse_reply(salted(a={KEY: 4, "reason": "x" * 1_000_000}), "a", nonce=NONCE, salt=SALT)


@pytest.mark.parametrize(
    "text",
    [
        '{"nonce": "%s", "reason": "fine","better":"first"} {"x":" is what it wrote", "better": "second"}',
        '{"reason": "fine","better":"first"} {"x":" is what it wrote", "better": "second", "nonce": "%s"}',
        '{"nonce": "%s", "reason": "fine","better":"first", "x":" is what it wrote", "better": "second"}',
        '{"nonce": "%s", "reason": "fine","better":"first"} // is what it wrote", "better": "second"}',
    ],
)
def test_a_quote_that_cuts_any_other_answer_in_two_makes_it_unusable(text: str) -> None:
    with pytest.raises(ParseError):
        bound_objects(text % NONCE, nonce=NONCE)


def test_what_was_quoted_before_an_answer_is_passed_over() -> None:
    ours = {"nonce": NONCE, "better": "second"}
    assert bound_objects(f'{{"better": "first"}}\n{json.dumps(ours)}', nonce=NONCE) == [ours]

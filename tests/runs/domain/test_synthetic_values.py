"""Masked scenarios are played with values of a valid shape, the same all through a conversation."""

import phonenumbers
import pytest

from apps.core.redaction import redact
from apps.runs.domain.synthetic_values import FILLS, fill, played_spec

SPEC = {
    FILLS: True,
    "scenario": "production_1",
    "seed": 7,
    "language": "sw",
    "persona": "A customer.",
    "goal": "“naitwa <name>, simu +254 7** *** 678”",
    "opening": "Habari, mimi ni <name> <email>",
    "script": {"turns": [{"say": "Ni +254 7** *** 678"}, {"free": 2}, {"end": True}]},
}


def test_a_text_without_tokens_and_a_spec_that_was_never_masked_stay_as_they_are():
    assert fill("a < b and 2 ** 3", chance="1") == "a < b and 2 ** 3"
    plain = {**SPEC, FILLS: False}
    assert played_spec(plain) is plain


def test_the_same_token_is_the_same_value_in_all_of_a_conversation():
    played = played_spec(SPEC)
    name = played["opening"].split()[3]

    assert "<" not in str(played)
    assert f"naitwa {name}," in played["goal"]
    phone = played["script"]["turns"][0]["say"].removeprefix("Ni ")
    assert phone in played["goal"]
    assert played["script"]["turns"][1:] == [{"free": 2}, {"end": True}]
    assert SPEC["opening"] == "Habari, mimi ni <name> <email>"


def test_it_is_filled_the_same_at_every_attempt_and_otherwise_under_another_seed():
    assert played_spec(SPEC) == played_spec(dict(SPEC))
    assert len({played_spec({**SPEC, "seed": seed})["opening"] for seed in range(20)}) > 5


@pytest.mark.parametrize("token", ["+254 7** *** 678", "+254 2** *** 678", "+1 4 *** *** 671", "+39 3** *** *** 671"])
def test_phones_are_valid_and_keep_country_and_last_three_digits(token: str):
    value = fill(token, chance="3")

    assert phonenumbers.is_valid_number(phonenumbers.parse(value))
    assert value[-3:] == token[-3:]
    assert value.split(" ")[0] == token.split(" ")[0]


def test_two_phones_of_a_conversation_stay_two():
    first, second = fill("+254 7** *** 678 na +254 7** *** 432", chance="3").split(" na ")
    assert first != second


@pytest.mark.parametrize("token", ["<name>", "<number>", "<email>", "<kra_pin>", "<wa_user>", "<wamid>"])
def test_every_token_is_filled_by_what_the_floor_would_mask_again(token: str):
    value = fill(token, chance="5", language="en")

    assert "<" not in value
    if token != "<name>":  # names are known by lists alone
        assert redact(value) == token


def test_what_looks_like_a_token_and_is_none_is_left_alone():
    assert fill("<script>alert(1)</script> <NAME> < name >", chance="1") == "<script>alert(1)</script> <NAME> < name >"

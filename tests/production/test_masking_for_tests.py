"""What leaves production masked, and what leaves not at all."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from apps.core.errors import BadInput
from apps.core.redaction import hash_arguments
from apps.production import redact_extras
from apps.production.promote_to_scenario import mask_for_eval


@dataclass(frozen=True)
class Salon:
    vertical: str = "salon"
    names: tuple[str, ...] = ("Wanjiku Kamau",)
    extra: dict[str, Any] = field(default_factory=dict)


CONVERSATION = {
    "id": "wa-1",
    "customer": {"names": ["Achieng Otieno"], "phones": ["+254712345678"]},
    "customer_ref": "254712345678@c.us",
    "turns": [
        {"role": "user", "content": "Hi, I am Achieng, call me on 0712 345 678 or achieng@example.com"},
        {
            "role": "assistant",
            "content": "Wanjiku has you down. KES 1,500 received, receipt QFT4X7Y2ZK, account 88123456.",
            "tool_calls": [{"id": "c1", "name": "pay", "arguments": {"phone": "0712345678", "amount": 1500}}],
        },
    ],
}


@dataclass(frozen=True)
class KeyedSalon(Salon):
    arguments_key: bytes = b"a key of this tenant"


def masked(document: Any = None, tenant: Salon | None = None) -> str:
    blob = json.dumps(document or CONVERSATION)
    return asyncio.run(mask_for_eval(blob, tenant or Salon()))


def test_people_are_masked_and_payments_can_still_be_found():
    text = masked()

    for hidden in (
        "Achieng",
        "Wanjiku",
        "0712",
        "345 678",
        "achieng@example.com",
        "254712345678",
        "88123456",
        "+254712",
    ):
        assert hidden not in text
    for shown in ("KES 1,500", "QFT4X7Y2ZK", "<name>", "+254 7** *** 678"):
        assert shown in text


CALLED = {"phone": "0712345678", "amount": 1500, "total": 712345678, "wa": 254712345678, "customer_name": "Zawadi"}


@pytest.mark.parametrize("where", ["arguments", "args", "tool_args", "input", "parameters"])
def test_arguments_of_tools_are_kept_masked_with_a_keyed_digest_of_what_they_were(where: str):
    call = {"name": "pay", where: CALLED}
    (found,) = json.loads(masked({"tool_calls": [call]}, KeyedSalon()))["tool_calls"]
    assert found[where]["masked"]["phone"] == "+254 7** *** 678"
    assert (found[where]["masked"]["amount"], found[where]["masked"]["customer_name"]) == (1500, "<name>")
    assert "12345678" not in json.dumps(found)
    assert found[where]["hmac_sha256"] == hash_arguments(CALLED, key=KeyedSalon.arguments_key)
    assert found[where]["hmac_sha256"] != hash_arguments(CALLED)  # which anybody could try phone numbers on


def test_a_name_beside_a_contact_is_a_person_s_and_the_name_of_a_service_stays():
    asked = {"service": {"name": "Box braids"}, "client": "Zawadi", "contact": {"name": "Zawadi", "phoneNumber": "x"}}
    found = json.loads(masked({"arguments": asked}, KeyedSalon()))["arguments"]["masked"]
    assert found["service"] == {"name": "Box braids"}
    assert (found["client"], found["contact"]["name"]) == ("<name>", "<name>")


def test_what_a_provider_sends_as_text_of_json_has_the_same_digest():
    as_text = {"function": {"name": "pay", "arguments": json.dumps(CALLED)}}
    as_value = {"function": {"name": "pay", "arguments": CALLED}}
    assert masked(as_text, KeyedSalon()) == masked(as_value, KeyedSalon())


def test_input_that_is_no_call_is_masked_as_text():
    assert json.loads(masked({"input": "call 0712345678"}, KeyedSalon())) == {"input": "call +254 7** *** 678"}


def test_masking_arguments_twice_changes_nothing_and_a_forged_digest_hides_no_number():
    once = masked(tenant=KeyedSalon())
    assert asyncio.run(mask_for_eval(once, KeyedSalon())) == once
    forged = {"arguments": {"masked": {"phone": "0712345678"}, "hmac_sha256": "0" * 64}}
    assert "12345678" not in masked(forged, KeyedSalon())


@pytest.mark.parametrize(
    "key, value, stays",
    [("amount", 99_999_999, True), ("total", 712345678, False), ("ts", 1795176000, True),
     ("ts", 1795176000123, True), ("ts", 712345678, False), ("timestamp", 254712345678, False)],
)  # fmt: skip
def test_sums_and_moments_stay_and_what_is_as_long_as_a_phone_under_their_name_does_not(key, value, stays):
    assert (str(value) in masked({key: value})) is stays


def test_without_a_key_arguments_of_tools_are_a_hash_alone():
    arguments = json.loads(masked())["turns"][1]["tool_calls"][0]["arguments"]

    assert list(arguments) == ["sha256"]
    assert len(arguments["sha256"]) == 64


def test_masking_twice_changes_nothing():
    once = masked()

    assert asyncio.run(mask_for_eval(once, Salon())) == once


def test_each_line_has_its_own_people_and_a_line_that_is_no_json_is_masked_as_text():
    blob = json.dumps(CONVERSATION) + "\nAchieng: 0712 345 678, Wanjiku\n"

    lines = asyncio.run(mask_for_eval(blob, Salon())).split("\n")

    assert lines[1] == "Achieng: +254 7** *** 678, <name>"
    assert lines[2] == ""


def test_a_number_is_masked_as_well_as_its_text():
    assert "712345678" not in masked(
        {"turns": [{"role": "user", "content": "x", "wa": 254712345678}], "amount": 150000}
    )
    assert "150000" in masked({"amount": 150000})


@pytest.mark.parametrize("vertical", ["dental", "physio", "medical", "legal"])
def test_verticals_that_nobody_has_decided_about_are_blocked(vertical: str):
    with pytest.raises(NotImplementedError, match=f"Vertical '{vertical}' requires the future privacy ADR's"):
        masked(tenant=Salon(vertical=vertical))


@pytest.mark.parametrize("vertical", ["spa", "salon", "barbershop"])
def test_verticals_for_which_the_floor_is_enough_pass(vertical: str):
    assert asyncio.run(redact_extras.apply("text", vertical)) == "text"


@pytest.mark.parametrize("vertical", ["dentist", "", "Spa", "spa "])
def test_an_unknown_vertical_is_refused_rather_than_passed(vertical: str):
    with pytest.raises(BadInput) as error:
        masked(tenant=Salon(vertical=vertical))
    assert error.value.code == "unknown_vertical"

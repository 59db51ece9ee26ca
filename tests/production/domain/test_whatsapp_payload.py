"""Every shape in which WhatsApp tells of a button, and the oracles of its signature."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.production.whatsapp.domain.payload import WhatsAppSender, button_id, read_webhook
from apps.production.whatsapp.domain.signature import meta_signature, signed_by
from tests.production.whatsapp_samples import BSUID, PHONE, message, press, webhook

ORACLES = [
    (
        "app-secret",
        b'{"object":"whatsapp_business_account","entry":[]}',
        "sha256=d3e4f9da0ce6c71ab3dba55929b8eeeee2455349e534924ead19f98d143e904f",
    ),
    ("secret", b"test", "sha256=0329a06b62cd16b33eb6792be8c60b158d89a2ee3a876fce9a881ebb488c0914"),
]
SHAPES = [
    {"type": "interactive", "interactive": {"type": "button_reply", "button_reply": {"id": "rb:c:up", "title": "x"}}},
    {"type": "interactive", "interactive": {"type": "list_reply", "list_reply": {"id": "rb:c:up", "title": "x"}}},
    {"type": "button", "button": {"payload": "rb:c:up", "text": "x"}},
]


@pytest.mark.parametrize("secret, body, header", ORACLES)
def test_the_oracles_of_the_signature(secret: str, body: bytes, header: str) -> None:
    assert meta_signature(secret, body) == header
    assert signed_by(["other", secret], body=body, header=header)
    assert not signed_by(["other"], body=body, header=header)
    assert not signed_by([secret], body=body + b" ", header=header)


@pytest.mark.parametrize("header", ["", "sha256=", "sha1=abc", "sha256=" + "0" * 64, "é", "sha256=\udcff"])
def test_no_other_header_opens_it(header: str) -> None:
    assert not signed_by(["secret", ""], body=b"test", header=header)


def test_an_empty_secret_signs_nothing() -> None:
    assert not signed_by([""], body=b"test", header=meta_signature("", b"test"))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_a_button_is_a_press(shape: dict[str, Any]) -> None:
    (found,) = read_webhook(json.dumps(webhook(message(**shape)))).presses
    assert (found.conversation_id, found.rating.value, found.sender.phone) == ("c", "up", PHONE)
    assert found.at is not None
    assert found.at.year == 2026


def test_a_conversation_id_may_hold_colons() -> None:
    (found,) = read_webhook(json.dumps(webhook(press("chat:7:up", "comment")))).presses
    assert (found.conversation_id, found.rating.value) == ("chat:7:up", "comment")
    assert button_id("chat:7:up", found.rating) == "rb:chat:7:up:comment"


def test_a_sender_is_known_by_number_by_bsuid_or_by_both() -> None:
    contact = {"profile": {"name": "Amina"}, "wa_id": PHONE, "user_id": BSUID}
    bodies = [
        webhook(press("c", "up")),
        webhook(press("c", "up", **{"from": BSUID})),
        webhook(press("c", "up") | {"from_user_id": BSUID}),
        webhook({**press("c", "up"), "from": None}, contacts=[contact]),
    ]
    senders = [read_webhook(json.dumps(one)).presses[0].sender for one in bodies]
    both = WhatsAppSender(phone=PHONE, user_id=BSUID)
    assert senders == [WhatsAppSender(phone=PHONE), WhatsAppSender(user_id=BSUID), both, both]


def test_texts_reports_and_wishes_stand_beside_each_other_and_the_rest_is_counted() -> None:
    body = webhook(
        message(type="text", text={"body": "slow"}),
        message(type="image", image={"id": "1"}),
        message(type="interactive", interactive={"type": "button_reply", "button_reply": {"id": "other:1"}}),
        statuses=[{"id": "wamid.X", "status": "failed", "errors": [{"code": 131047}]}],
        user_preferences=[{"wa_id": PHONE, "category": "marketing_messages", "value": "stop"}],
    )
    found = read_webhook(json.dumps(body))
    assert ([one.body for one in found.texts], found.ignored) == (["slow"], 2)
    assert [(one.status, one.code) for one in found.reports] == [("failed", 131047)]
    assert [one.wanted for one in found.wishes] == [False]
    assert "slow" not in repr(found)


JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["id", "type", "text", "body", "from", "context", "interactive", "button", "timestamp"]),
        inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=30)
@given(st.lists(JSON, max_size=3), JSON, JSON)
def test_whatever_stands_in_a_signed_body_nothing_breaks(messages: list[Any], contacts: Any, statuses: Any) -> None:
    value = {"messages": messages, "contacts": contacts, "statuses": statuses}
    read_webhook(json.dumps({"object": "whatsapp_business_account", "entry": [{"changes": [{"value": value}]}]}))


@pytest.mark.parametrize("body", ["", "[]", "{}", "null", '{"object": "page"}', "{"])
def test_what_is_no_webhook_is_refused(body: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        read_webhook(body)

"""Standard Webhooks signatures, against the published vectors and the library as an independent verifier."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook

from apps.connectors.signatures import SignatureFault, new_secret, secret_key, sign, verify
from tests.shared_data import SHARED

VECTORS = SHARED / "data/conformance/standard-webhooks/vectors.json"
SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
BODY = b'{"type":"run.finished","data":{"id":"r_1"}}'
STAMP = int(NOW.timestamp())


def headers(signature: str, *, event_id: str = "msg_1", stamp: int | str = STAMP) -> dict[str, str]:
    return {"Webhook-Id": event_id, "webhook-timestamp": str(stamp), "WEBHOOK-SIGNATURE": signature}


def vectors() -> list[dict[str, Any]]:
    return json.loads(VECTORS.read_text())["cases"] if VECTORS.exists() else []


@pytest.mark.shared
def test_the_published_vectors() -> None:
    cases = vectors()
    assert len(cases) == 8
    for case in cases:
        now = datetime.fromtimestamp(case["now"], UTC)
        fault = verify([case["secret"]], headers=case["headers"], body=case["body"].encode(), now=now)
        assert (fault is None) is case["valid"], case["name"]


def test_the_published_oracle() -> None:
    signature = sign([SECRET], event_id="msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", timestamp=1795176000, body=BODY)
    assert signature == "v1,vizH33jcZe5PGWHoz8yEIjrD5sa6uiWKH8QhrfeMw6k="


@settings(deadline=None)
@given(st.text(max_size=40))
def test_the_library_accepts_what_we_sign_and_we_what_it_signs(text: str) -> None:
    secret, now = new_secret(), datetime.now(UTC)
    body = json.dumps({"x": text}).encode()
    ours = {"webhook-id": "msg_1", "webhook-timestamp": str(int(now.timestamp()))}
    ours["webhook-signature"] = sign([secret], event_id="msg_1", timestamp=int(now.timestamp()), body=body)
    assert Webhook(secret).verify(body, ours) == {"x": text}
    theirs = ours | {"webhook-signature": Webhook(secret).sign("msg_1", now, body.decode())}
    assert verify([secret], headers=theirs, body=body, now=now) is None


def test_rotation_signs_with_every_live_secret_and_accepts_any() -> None:
    old, new = new_secret(), new_secret()
    signature = sign([old, new], event_id="msg_1", timestamp=STAMP, body=BODY)
    assert signature.count("v1,") == 2
    for live in ([old], [new], [new_secret(), new]):
        assert verify(live, headers=headers(signature), body=BODY, now=NOW) is None
    assert verify([new_secret()], headers=headers(signature), body=BODY, now=NOW) is SignatureFault.MISMATCH
    assert verify([], headers=headers(signature), body=BODY, now=NOW) is SignatureFault.MISMATCH


@pytest.mark.parametrize("seconds, fault", [(300, None), (-300, None), (301, "expired"), (-301, "expired")])
def test_five_minutes_either_way(seconds: int, fault: str | None) -> None:
    signature = sign([SECRET], event_id="msg_1", timestamp=STAMP, body=BODY)
    assert verify([SECRET], headers=headers(signature), body=BODY, now=NOW + timedelta(seconds=seconds)) == fault


@pytest.mark.parametrize(
    "signature, fault",
    [
        ("v1", SignatureFault.MALFORMED),
        ("v1a,abcd", SignatureFault.MALFORMED),
        (",,,", SignatureFault.MALFORMED),
        ("v1,", SignatureFault.MISMATCH),
        ("v1,a,b", SignatureFault.MISMATCH),
        ("v1,ключ", SignatureFault.MISMATCH),
        ("v1,\udc80", SignatureFault.MISMATCH),
        ("v1," + "x" * 5000, SignatureFault.MALFORMED),
        ("", SignatureFault.MISSING_HEADERS),
    ],
)
def test_a_malformed_signature_is_a_no_not_a_crash(signature: str, fault: SignatureFault) -> None:
    assert verify([SECRET], headers=headers(signature), body=BODY, now=NOW) is fault


@pytest.mark.parametrize("stamp", ["soon", "-1", "1e9", "١٧٩٥١٧٦٠٠٠", " 1795176000", "9" * 40])
def test_a_malformed_time_is_a_no(stamp: str) -> None:
    signature = sign([SECRET], event_id="msg_1", timestamp=STAMP, body=BODY)
    fault = verify([SECRET], headers=headers(signature, stamp=stamp), body=BODY, now=NOW)
    assert fault is SignatureFault.MALFORMED


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["webhook-id", "webhook-timestamp", "webhook-signature"]), st.text(max_size=60)))
def test_nothing_a_stranger_sends_raises_or_passes(given_headers: dict[str, str]) -> None:
    assert verify([SECRET], headers=given_headers, body=BODY, now=NOW) is not None


def test_a_secret_that_is_not_base64_is_our_own_loud_mistake() -> None:
    assert len(secret_key(new_secret())) == 32
    with pytest.raises(ValueError, match="whsec_"):
        secret_key("whsec_not base64!")


def test_a_secret_without_its_padding_is_the_same_key():
    assert secret_key(SECRET.rstrip("=")) == secret_key(SECRET)

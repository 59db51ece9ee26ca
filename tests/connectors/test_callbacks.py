"""One callback attempt, over a real socket."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from apps.connectors.callbacks import CallbackOutcome, post_callback
from apps.connectors.outbound import OutboundPolicy, outbound_client
from apps.connectors.signatures import new_secret
from tests.loopback.http_server import Answer, LoopbackServer, Request

OPEN = OutboundPolicy.from_environment({"RATIBA_ALLOW_PRIVATE_CALLBACKS": "true"}, purpose="callback")
CLOSED = OutboundPolicy.from_environment({}, purpose="callback")
BODY = b'{"type":"evaluation.completed","timestamp":"2026-11-21T04:00:00Z","data":{"id":"e1"}}'
SECRETS = [new_secret(), new_secret()]


class Receiver:
    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answer = Answer(status=204)

    def __call__(self, request: Request) -> Answer:
        self.requests.append(request)
        return self.answer


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def url(receiver: Receiver) -> Iterator[str]:
    with LoopbackServer(receiver) as server:
        yield f"{server.url}/hook"


def post(url: str, policy: OutboundPolicy = OPEN, *, event_id: str = "msg_1", **more: Any) -> CallbackOutcome:
    async def once() -> CallbackOutcome:
        async with outbound_client(policy) as client:
            now = more.pop("now", None) or datetime.now(UTC)
            return await post_callback(url, event_id, BODY, SECRETS, client, now, **more)

    return asyncio.run(once())


def test_the_receiver_can_verify_it_with_either_live_secret(receiver: Receiver, url: str) -> None:
    assert post(url) == CallbackOutcome(delivered=True, status=204)
    request = receiver.requests[0]
    assert request.method == "POST"
    for secret in SECRETS:
        assert Webhook(secret).verify(request.body, request.headers)["data"] == {"id": "e1"}


def test_a_second_attempt_has_the_same_id_and_its_own_time_and_signature(receiver: Receiver, url: str) -> None:
    post(url, now=datetime(2026, 11, 21, 4, 0, tzinfo=UTC))
    post(url, now=datetime(2026, 11, 21, 4, 5, tzinfo=UTC))
    first, second = (request.headers for request in receiver.requests)
    assert first["webhook-id"] == second["webhook-id"]
    assert int(second["webhook-timestamp"]) - int(first["webhook-timestamp"]) == 300
    assert first["webhook-signature"] != second["webhook-signature"]


@pytest.mark.parametrize("status", [301, 302, 307, 400, 404, 500, 503])
def test_only_2xx_is_delivery_and_redirects_are_not_followed(status: int, receiver: Receiver, url: str) -> None:
    receiver.answer = Answer(status=status, headers={"location": url})
    outcome = post(url)
    assert (outcome.delivered, outcome.status, outcome.gone, outcome.refused) == (False, status, False, False)
    assert len(receiver.requests) == 1


def test_gone_and_throttled_are_told_apart(receiver: Receiver, url: str) -> None:
    receiver.answer = Answer(status=410)
    assert post(url).gone
    receiver.answer = Answer(status=429, headers={"retry-after": "40"})
    assert post(url).retry_after_s == 40
    receiver.answer = Answer(status=503)
    assert post(url).retry_after_s is None


def test_private_addresses_are_refused_unless_allowed(receiver: Receiver, url: str) -> None:
    outcome = post(url, CLOSED)
    assert outcome.refused
    assert "RATIBA_ALLOW_PRIVATE_CALLBACKS" in outcome.error
    assert receiver.requests == []


@pytest.mark.parametrize("url", ["ftp://example.com/x", "nonsense", "http://"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    assert post(url).refused


@pytest.mark.parametrize("fault", ["reset", "cut"])
def test_a_broken_connection_is_an_outcome(fault: str, receiver: Receiver, url: str) -> None:
    receiver.answer = Answer(status=200, body=b"{}", fault=fault)
    outcome = post(url)
    assert not outcome.delivered
    assert outcome.error


def test_a_receiver_that_never_answers_is_left(receiver: Receiver, url: str) -> None:
    receiver.answer = Answer(fault="hang")
    assert post(url, within_s=0.2).error == "no answer within 0.2 s"


def test_a_receiver_that_answers_at_length_has_still_received_it(receiver: Receiver, url: str) -> None:
    receiver.answer = Answer(status=200, body=b"x" * 100_000)
    assert post(url).delivered


def test_the_key_never_shows_in_an_outcome(receiver: Receiver, url: str) -> None:
    receiver.answer = Answer(status=500, body=SECRETS[0].encode())
    assert SECRETS[0] not in repr(post(url))

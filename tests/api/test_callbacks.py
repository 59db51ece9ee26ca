"""Whoever asked is told: signed, once per event, on a schedule of its own, and never at a private address unasked."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from apps.api.models import Callback, WebhookKey
from apps.api.services.callbacks import enqueue_callbacks
from apps.connectors import callbacks as connector
from apps.core.errors import Conflict
from apps.evaluations.models import Evaluation
from apps.jobs import deliveries
from apps.jobs.domain.delivery_schedule import DELAYS_S, next_attempt
from apps.jobs.services import delivering as sending
from apps.jobs.services.delivering import deliver_due, deliver_to_slow
from apps.jobs.services.outbound import LEASE, SLOW, deliver_again
from apps.jobs.tasks import serve
from apps.tenants.context import in_tenant
from tests.api.api_client import Door, evaluation
from tests.loopback.http_server import Answer, LoopbackServer, Request

START = datetime.now(UTC).replace(microsecond=0)


class Receiver:
    def __init__(self) -> None:
        self.got: list[Request] = []
        self.answers: list[Answer] = []

    def __call__(self, request: Request) -> Answer:
        self.got.append(request)
        return self.answers.pop(0) if self.answers else Answer(status=204)

    @property
    def ids(self) -> set[str]:
        return {request.headers["webhook-id"] for request in self.got}


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def url(receiver: Receiver) -> Iterator[str]:
    with LoopbackServer(receiver) as server:
        yield f"{server.url}/done"


@pytest.fixture(autouse=True)
def loopback_allowed(settings: Any) -> None:
    settings.ALLOW_PRIVATE_CALLBACKS = True


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connector, "TIMEOUT_S", 0.5)
    monkeypatch.setattr(connector, "QUICK_S", 0.5)


def ended(acme: Door, url: str, status: str = "completed") -> str:
    """An evaluation that asked to be told, and has ended."""
    taken = acme.post("evaluations/", evaluation(callback_url=url))
    assert taken.status_code == 202, taken.content
    with in_tenant("acme"):
        Evaluation.objects.filter(pk=taken.json()["id"]).update(status=status, ended_at=START)
    return taken.json()["id"]


def tick(at: datetime = START) -> int:
    """What the worker's task does, at a time of our choosing."""
    with in_tenant("acme"):
        enqueue_callbacks(now=at)
        return deliver_due(now=lambda: at) + deliver_to_slow(now=lambda: at)


def row() -> Callback:
    with in_tenant("acme"):
        return Callback.objects.get()


def play(until: datetime) -> list[datetime]:
    """Ticks whenever something is due, up to `until`; returns when attempts were made."""
    attempts, at = [], START
    while at <= until:
        if tick(at):
            attempts.append(at)
        found = row()
        if found.status != "pending":
            break
        at = found.not_before
    return attempts


def test_the_library_verifies_what_we_post(acme: Door, receiver: Receiver, url: str) -> None:
    id = ended(acme, url)
    assert tick(datetime.now(UTC)) == 1
    request = receiver.got[0]
    told = Webhook(acme.secret).verify(request.body, request.headers)
    assert told["type"] == "evaluation.completed"
    assert (told["data"]["id"], told["data"]["status"]) == (id, "completed")
    assert told["timestamp"] == START.isoformat().replace("+00:00", "Z")
    assert set(told["data"]) >= {"id", "test_run_id", "evaluator_config", "weighted_score", "counts"}
    assert b"line 0" not in request.body, "no word of the conversations"
    found = row()
    assert (found.status, found.attempts, found.last_status) == ("delivered", 1, 204)


def test_an_evaluation_that_has_not_ended_or_did_not_ask_is_not_told_of(
    acme: Door, receiver: Receiver, url: str
) -> None:
    acme.post("evaluations/", evaluation(callback_url=url))
    ended(acme, "")
    assert tick() == 0
    assert not receiver.got


@pytest.mark.parametrize("status", ["failed", "timeout", "cancelled"])
def test_every_way_of_ending_is_an_event(acme: Door, receiver: Receiver, url: str, status: str) -> None:
    ended(acme, url, status)
    tick()
    assert row().event == f"evaluation.{status}"
    assert len(receiver.got) == 1


def test_ticks_that_meet_tell_it_once(acme: Door, receiver: Receiver, url: str) -> None:
    id = ended(acme, url)
    assert [tick(), tick(), tick(START + timedelta(days=4))] == [1, 0, 0]
    with in_tenant("acme"):  # taken up again and ended otherwise: another event
        Evaluation.objects.filter(pk=id).update(status="failed")
    assert tick() == 1
    assert len(receiver.ids) == len(receiver.got) == 2


def test_a_worker_that_dies_holding_it_costs_a_minute(acme: Door, receiver: Receiver, url: str) -> None:
    ended(acme, url)
    with in_tenant("acme"):
        enqueue_callbacks(now=START)
        Callback.objects.update(lease_expires_at=START + LEASE)
    assert tick(START + LEASE - timedelta(seconds=1)) == 0
    assert tick(START + LEASE + timedelta(seconds=1)) == 1


def test_a_receiver_that_is_down_an_hour_gets_it_once_with_the_same_id(acme: Door, receiver: Receiver) -> None:
    with LoopbackServer(receiver) as server:
        address = f"{server.url}/done"
    ended(acme, address)  # nobody listens there any more
    attempts = play(START + timedelta(hours=1))
    assert [(b - a).total_seconds() for a, b in pairwise(attempts[:4])] == [5, 5, 5]
    assert len(attempts) >= 7
    first = row()
    assert (first.status, first.last_status) == ("pending", None)
    assert "Connect" in first.last_error
    with LoopbackServer(receiver) as back:
        with in_tenant("acme"):
            Evaluation.objects.update(callback_url=f"{back.url}/done")
        assert tick(row().not_before) == 1
        assert tick(START + timedelta(days=9)) == 0
    assert receiver.ids == {first.webhook_id}
    assert len(receiver.got) == 1


@pytest.mark.parametrize(
    "name, answer, error",
    [
        ("500", Answer(status=500), "answered 500"),
        ("404", Answer(status=404), "answered 404"),
        ("slow", Answer(fault="hang"), "no answer within"),
        ("closing halfway", Answer(status=500, body=b"x" * 1000, fault="cut"), ""),
        ("closing at once", Answer(fault="reset"), ""),
        ("redirecting to a private address",
         Answer(status=307, headers={"location": "http://169.254.169.254/meta-data"}), "redirects are not followed"),
    ],
)  # fmt: skip
def test_trouble_is_written_down_and_tried_again(
    acme: Door, receiver: Receiver, url: str, name: str, answer: Answer, error: str
) -> None:
    receiver.answers = [answer]
    ended(acme, url)
    tick()
    found = row()
    assert (found.status, found.attempts) == ("pending", 1)
    assert found.not_before == START + timedelta(seconds=5)
    assert error in found.last_error
    assert found.last_error
    assert tick(found.not_before) == 1
    assert row().status == "delivered"
    assert len(receiver.got) == 2, "once for each attempt: no redirect was followed"
    assert receiver.ids == {found.webhook_id}


def test_one_slow_receiver_holds_up_nobody(acme: Door, receiver: Receiver, url: str) -> None:
    for _ in range(20):
        ended(acme, url)
    receiver.answers = [Answer(fault="hang")]
    began = datetime.now(UTC)
    assert tick() == 20
    assert (datetime.now(UTC) - began).total_seconds() < 3
    with in_tenant("acme"):
        assert Callback.objects.filter(status="delivered").count() == 19


def test_a_tenant_with_many_slow_receivers_leaves_the_next_turn_to_others(
    acme: Door, receiver: Receiver, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(deliveries._KINDS, "callback", replace(deliveries._KINDS["callback"], at_once=2))
    monkeypatch.setattr(sending, "PATIENCE_S", 0.3)
    for _ in range(5):
        ended(acme, url)
    receiver.answers = [Answer(fault="hang")] * 2
    assert tick() == 2, "half a second was spent on two of five"
    monkeypatch.setattr(sending, "PATIENCE_S", 30)
    assert tick() == 3, "the rest in the next turn, and quickly"
    with in_tenant("acme"):
        assert Callback.objects.filter(status="delivered").count() == 3


def test_a_receiver_that_hangs_is_tried_where_no_tick_waits_for_it(
    acme: Door, receiver: Receiver, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = Receiver()
    hanging.answers = [Answer(fault="hang")] * 99
    with LoopbackServer(hanging) as server, in_tenant("acme"):
        ended(acme, f"{server.url}/never")
        enqueue_callbacks(now=START)
        assert deliver_due(now=lambda: START) == 1
        assert row().waiting_for == SLOW
        monkeypatch.setattr(connector, "QUICK_S", 30)
        for address in [f"{server.url}/never"] * 12 + [url]:
            ended(acme, address)
        enqueue_callbacks(now=START)
        began = datetime.now(UTC)
        assert deliver_due(now=lambda: START) == 1, "the healthy one alone"
        assert (datetime.now(UTC) - began).total_seconds() < 3
        assert Callback.objects.filter(status="delivered").count() == len(receiver.got) == 1
        later = START + timedelta(seconds=6)
        assert deliver_to_slow(now=lambda: later) == deliveries._KINDS["callback"].per_receiver, (
            "the others wait until one was answered"
        )
        assert not Callback.objects.filter(lease_token__isnull=False).exists()
        hanging.answers = []
        much_later = START + timedelta(minutes=2)
        deliver_to_slow(now=lambda: much_later)
        assert Callback.objects.filter(status="delivered").count() == 14


def test_what_becomes_due_while_a_receiver_hangs_is_sent_at_once(
    acme: Door, receiver: Receiver, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connector, "QUICK_S", 2)
    monkeypatch.setattr(sending, "LOOK_S", 0.05)
    hanging = Receiver()
    hanging.answers = [Answer(fault="hang")] * 9
    with LoopbackServer(hanging) as server, in_tenant("acme"):
        ended(acme, f"{server.url}/never")
        ended(acme, url)
        enqueue_callbacks(now=START)
        healthy = Evaluation.objects.get(callback_url=url).pk
        Callback.objects.filter(subject_id=healthy).update(not_before=START + timedelta(seconds=1))
        times = iter([START] * 6)
        assert deliver_due(now=lambda: next(times, START + timedelta(seconds=1))) == 2
        sent, gave_up = Callback.objects.get(subject_id=healthy), Callback.objects.exclude(subject_id=healthy).get()
        assert (sent.status, gave_up.waiting_for) == ("delivered", SLOW)


def test_gone_is_gone_and_the_schedule_ends(acme: Door, receiver: Receiver, url: str) -> None:
    receiver.answers = [Answer(status=410)]
    ended(acme, url)
    tick()
    assert row().status == "gone"
    with in_tenant("acme"):
        deliver_again(delivery_id=row().id, now=START)
    receiver.answers = [Answer(status=500)] * 99
    attempts = play(START + timedelta(days=30))
    assert len(attempts) == len(DELAYS_S) + 1
    assert timedelta(hours=70) < attempts[-1] - attempts[0] < timedelta(hours=90)
    assert row().status == "failed"
    receiver.answers = []
    with in_tenant("acme"):
        deliver_again(delivery_id=row().id, now=START)
    tick()
    assert row().status == "delivered"
    assert len(receiver.ids) == 1


def test_a_receiver_that_asks_for_time_gets_it(acme: Door, receiver: Receiver, url: str) -> None:
    receiver.answers = [Answer(status=429, headers={"retry-after": "600"})]
    ended(acme, url)
    tick()
    assert row().not_before == START + timedelta(seconds=600)


def test_a_private_address_is_refused_when_connecting_too(
    acme: Door, receiver: Receiver, url: str, settings: Any
) -> None:
    ended(acme, url)  # allowed when it was asked for
    settings.ALLOW_PRIVATE_CALLBACKS = False
    tick()
    found = row()
    assert found.status == "refused"
    assert "RATIBA_ALLOW_PRIVATE_CALLBACKS" in found.last_error
    assert not receiver.got


def test_a_host_that_cannot_be_read_is_refused_at_the_door_and_holds_up_no_other(
    acme: Door, receiver: Receiver, url: str
) -> None:
    unreadable = "https://xn--a.example/"
    answer = acme.post("evaluations/", evaluation(callback_url=unreadable))
    assert (answer.status_code, answer.json()["pointer"]) == (422, "/callback_url")
    bad = ended(acme, url)
    with in_tenant("acme"):  # as an earlier release would have taken it
        Evaluation.objects.filter(pk=bad).update(callback_url=unreadable)
    acme.post("evaluations/", evaluation("c-9", callback_url=url))
    with in_tenant("acme"):
        Evaluation.objects.exclude(pk=bad).update(status="completed", ended_at=START)
    tick()
    with in_tenant("acme"):
        told = dict(Callback.objects.values_list("status", "last_error"))
    assert set(told) == {"refused", "delivered"}
    assert "cannot be read" in told["refused"]
    assert len(receiver.got) == 1


def test_without_a_key_it_waits_and_says_why(acme: Door, receiver: Receiver, url: str) -> None:
    ended(acme, url)
    with in_tenant("acme"):
        WebhookKey.objects.update(revoked_at=START)
    tick()
    assert "make one under Webhook keys" in row().last_error
    with in_tenant("acme"):
        WebhookKey.objects.update(revoked_at=None)
    tick(START + timedelta(seconds=5))
    assert row().status == "delivered"


def test_what_is_on_its_way_cannot_be_sent_again(acme: Door, receiver: Receiver, url: str) -> None:
    ended(acme, url)
    tick()
    with in_tenant("acme"):
        Callback.objects.update(lease_expires_at=START + LEASE)
        with pytest.raises(Conflict):
            deliver_again(delivery_id=row().id, now=START)


def test_longer_delays_are_spread(acme: Door) -> None:
    first, last = (next_attempt(failed=4, now=START, retry_after_s=None, spread=spread) for spread in (0.0, 1.0))
    assert (last - first).total_seconds() == pytest.approx(6)


def test_the_workers_task_owes_and_sends(acme: Door, receiver: Receiver, url: str) -> None:
    ended(acme, url)
    serve(tenant="acme", work="callbacks")
    assert row().status == "delivered"
    assert len(receiver.got) == 1


def test_many_that_end_together_are_told_in_one_tick(
    acme: Door, receiver: Receiver, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "PATIENCE_S", 600)  # how quick this machine is at the moment is not asked here
    monkeypatch.setattr(connector, "TIMEOUT_S", 60)
    ended(acme, url)
    with in_tenant("acme"):
        one = Evaluation.objects.get()
        Evaluation.objects.bulk_create(
            Evaluation(
                run=one.run, config_version=one.config_version, config_ref=one.config_ref, status="completed",
                snapshot=one.snapshot, callback_url=url, ended_at=START,
            )
            for _ in range(119)
        )  # fmt: skip
    assert tick() == 120
    assert len(receiver.ids) == len(receiver.got) == 120

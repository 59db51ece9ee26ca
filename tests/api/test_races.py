"""Sixteen posts of one key at the same moment: one works, the others get its answer or 409, and nothing is doubled."""

import hashlib
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from apps.evaluations.models import Evaluation
from apps.tenants.context import in_tenant
from tests.api.api_client import Door, evaluation, stock

RACERS = 16


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker is told: this test's rows are nobody else's."""
    monkeypatch.setattr("apps.api.views.evaluations.wake_workers_on_commit", lambda *_: None)


def at_once(ask: Callable[[int], Any]) -> list[Any]:
    answers: list[Any] = [None] * RACERS
    start = threading.Barrier(RACERS)

    def run(number: int) -> None:
        start.wait()
        try:
            answers[number] = ask(number)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(RACERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return answers


@pytest.mark.parametrize("signed", [False, True])
def test_racing_posts_of_one_key_are_answered_once(committed_db: None, quiet: None, signed: bool) -> None:
    bearer, secret = stock("acme")
    body = evaluation(*(f"c-{n}" for n in range(20)))

    def ask(_: int) -> Any:
        door = Door("acme", bearer)
        if signed:
            return door.signed("evaluations/", body, secret, id="msg_race")
        return door.post("evaluations/", body, idempotency_key="race")

    answers = at_once(ask)
    statuses = Counter(answer.status_code for answer in answers)
    assert set(statuses) <= {202, 409}, statuses
    taken = [answer for answer in answers if answer.status_code == 202]
    assert len({answer.json()["id"] for answer in taken}) == 1
    assert sum("Idempotency-Replayed" not in answer for answer in taken) == 1
    for answer in answers:
        if answer.status_code == 409:
            assert answer.json()["code"] == "in_progress"
            assert answer["Retry-After"] == "1"
    with in_tenant("acme"):
        assert Evaluation.objects.count() == 1
    assert ask(0)["Idempotency-Replayed"] == "true", "whoever got 409 gets the answer now"


def test_different_keys_do_not_hold_each_other_up(committed_db: None, quiet: None) -> None:
    bearer, _ = stock("acme")
    answers = at_once(lambda n: Door("acme", bearer).post("evaluations/", evaluation(), idempotency_key=f"k-{n}"))
    assert {answer.status_code for answer in answers} == {202}
    with in_tenant("acme"):
        assert Evaluation.objects.count() == RACERS


def test_while_the_first_is_being_taken_in_the_second_gets_409_at_once(committed_db: None, quiet: None) -> None:
    bearer, secret = stock("acme")
    name = "\0".join(("t_acme", "webhook-id", "msg_slow"))
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)
    with connection.cursor() as cursor:  # the first request, still at work in a transaction of its own
        cursor.execute("SELECT pg_advisory_lock(%s)", [number])
    other: list[Any] = []

    def second() -> None:
        other.append(Door("acme", bearer).signed("evaluations/", evaluation(), secret, id="msg_slow"))
        connection.close()

    thread = threading.Thread(target=second)
    thread.start()
    thread.join(10)
    assert (other[0].status_code, other[0].json()["code"]) == (409, "in_progress")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock(%s)", [number])
    with in_tenant("acme"):
        assert not Evaluation.objects.exists()

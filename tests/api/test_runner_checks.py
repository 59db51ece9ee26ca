"""A runner's own checks stand among the results of the run: gates, reports and pages read them like any other."""

import uuid
from typing import Any

import pytest

from apps.checks.models import CheckResult
from apps.gates.domain.confirmation import is_hard_at_once, is_to_confirm
from apps.gates.domain.policy import GatePolicy
from apps.gates.domain.side import CheckFact
from apps.runs.models import Conversation
from apps.statistics.decision import Decision
from apps.tenants.context import in_tenant
from tests.api.api_client import Door, evaluation


@pytest.fixture
def run(acme: Door) -> tuple[str, str]:
    taken = acme.post("evaluations/", evaluation("c-1", "c-2")).json()["test_run_id"]
    with in_tenant("acme"):
        return taken, str(Conversation.objects.filter(run=taken).order_by("position")[0].pk)


FOUND = {"assertion": "#0 contains: Karibu", "outcome": "fail", "reason": "no reply contains 'Karibu'"}


def body(of: str, **more: Any) -> dict[str, Any]:
    return {"results": [{"conversation": of, **FOUND, **more}]}


def test_what_a_runner_found_is_a_result_of_the_run_and_stands_once(acme: Door, run: tuple[str, str]) -> None:
    address = f"test-runs/{run[0]}/checks/"
    first, again = acme.post(address, body(run[1])), acme.post(address, body(run[1]))
    assert (first.status_code, first.json(), again.json()) == (200, {"stored": 1}, {"stored": 0})
    (row,) = acme.get(address).json()["results"]
    assert (row["check"], row["subject"], row["outcome"], row["source"], row["attempt"]) == (
        "runner_assertion", "#0 contains: Karibu", "fail", "runner", 1,
    )  # fmt: skip
    fact, name = CheckFact(outcome=Decision.FAIL), "runner_assertion/#0 contains: Karibu"
    assert is_to_confirm(name, fact, GatePolicy())  # a gate plays it again
    assert is_hard_at_once(name, fact, GatePolicy(hard_checks=("runner_assertion",)))
    assert acme.post(address, body(run[1], outcome="pass", reason="")).json() == {"stored": 1}
    assert [one["outcome"] for one in acme.get(address).json()["results"]] == ["pass"]


@pytest.mark.parametrize(
    "change, status, pointer",
    [
        ({"conversation": str(uuid.uuid4())}, 400, "/results/0/conversation"),
        ({"conversation": "x"}, 400, "/results/0/conversation"),
        ({"outcome": "undecided"}, 400, "/results/0/outcome"),
        ({"assertion": " "}, 400, "/results/0/assertion"),
        ({"score": 1}, 400, "/results/0/score"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_stored(
    acme: Door, run: tuple[str, str], change: dict[str, Any], status: int, pointer: str
) -> None:
    answer = acme.post(f"test-runs/{run[0]}/checks/", body(run[1], **change))
    assert (answer.status_code, answer.json()["pointer"]) == (status, pointer)
    twice = {"results": body(run[1])["results"] * 2}
    assert acme.post(f"test-runs/{run[0]}/checks/", twice).json()["pointer"] == "/results/1/assertion"
    with in_tenant("acme"):
        assert not CheckResult.objects.exists()


def test_a_conversation_that_is_still_played_has_no_results_yet(acme: Door, run: tuple[str, str]) -> None:
    with in_tenant("acme"):
        Conversation.objects.filter(pk=run[1]).update(status="running")
    answer = acme.post(f"test-runs/{run[0]}/checks/", body(run[1]))
    assert (answer.status_code, answer.json()["code"]) == (409, "not_ended")

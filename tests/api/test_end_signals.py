"""Nobody is told that work has ended while something of it is still to be done; nothing that was sent is ignored."""

from typing import Any

import pytest
from django.utils import timezone

from apps.api.models import Callback
from apps.api.services.callbacks import callback_body, enqueue_callbacks
from apps.evaluations.models import Evaluation
from apps.improvement.analysis.services.analysing import pay_analyses
from apps.improvement.analysis.services.enqueue_analyses import enqueue_analyses
from apps.runs.models import Conversation, TestRun
from apps.tenants.context import in_tenant
from tests.api.api_client import Door, evaluation

BATTLE = {"kind": "battle", "agent": "waiter", "scenarios": "all"}


def status(door: Door, path: str) -> tuple[str, str]:
    found = door.get(f"{path}/status/").json()
    return found["status"], found["waiting_for"]


@pytest.mark.parametrize("played", ["completed", "failed"])
def test_a_run_is_running_until_the_evaluation_asked_for_has_ended(acme: Door, played: str) -> None:
    run = acme.post("test-runs/", BATTLE | {"evaluator_config": "tea-service"}).json()["id"]
    with in_tenant("acme"):
        Conversation.objects.update(status="ended")
        TestRun.objects.update(status=played, ended_at=timezone.now())
    assert status(acme, f"test-runs/{run}")[0] == "running"
    with in_tenant("acme"):
        Evaluation.objects.update(status="completed", ended_at=timezone.now())
    assert status(acme, f"test-runs/{run}") == (played, "")


def test_a_cancelled_run_says_so_at_once(acme: Door) -> None:
    run = acme.post("test-runs/", BATTLE | {"evaluator_config": "tea-service"}).json()["id"]
    assert acme.post(f"test-runs/{run}/cancel/").json()["status"] == "cancelled"


def test_status_and_callback_wait_for_the_analysis(acme: Door, settings: Any) -> None:
    settings.ALLOW_PRIVATE_CALLBACKS = True
    wanted = evaluation(run_analyzer=True, callback_url="http://127.0.0.1:9999/done")
    taken = acme.post("evaluations/", wanted).json()
    path = f"evaluations/{taken['id']}"
    with in_tenant("acme"):
        Evaluation.objects.update(status="completed", ended_at=timezone.now())
        assert enqueue_callbacks(now=timezone.now()) == 0
    assert status(acme, path) == ("running", "the analyzer")
    assert status(acme, f"test-runs/{taken['test_run_id']}")[0] == "running"
    assert acme.get(f"{path}/").json()["analysis"]["status"] == "pending"
    with in_tenant("acme"):
        enqueue_analyses(now=timezone.now())
        assert enqueue_callbacks(now=timezone.now()) == 0
        pay_analyses(now=timezone.now)
        assert enqueue_callbacks(now=timezone.now()) == 1
        body = callback_body(Evaluation.objects.get(), Callback.objects.get().event, timezone.now())
        assert b'"analysis":{"findings":0' in body
    assert status(acme, path) == ("completed", "")


def test_an_evaluation_that_failed_waits_for_no_analysis(acme: Door, settings: Any) -> None:
    settings.ALLOW_PRIVATE_CALLBACKS = True
    wanted = evaluation(run_analyzer=True, callback_url="http://127.0.0.1:9999/done")
    taken = acme.post("evaluations/", wanted).json()
    with in_tenant("acme"):
        Evaluation.objects.update(status="failed", ended_at=timezone.now())
        assert enqueue_callbacks(now=timezone.now()) == 1
    assert status(acme, f"evaluations/{taken['id']}")[0] == "failed"


@pytest.mark.parametrize("path", ["evaluations/", "test-runs/", "evaluations/{id}/", "evaluations/{id}/judgements/",
                                  "evaluations/{id}/status/", "evaluations/{id}/analyses/"])  # fmt: skip
def test_a_filter_that_nobody_reads_is_refused(acme: Door, path: str) -> None:
    taken = acme.post("evaluations/", evaluation()).json()
    address = path.format(**taken)
    assert acme.get(address).status_code == 200
    refused = acme.get(f"{address}?stauts=completed")
    assert (refused.status_code, refused.json()["code"]) == (400, "unknown_parameter")
    assert "'stauts'" in refused.json()["detail"]


def test_a_parameter_given_twice_is_refused(acme: Door) -> None:
    refused = acme.get("evaluations/?limit=1&limit=2")
    assert (refused.status_code, refused.json()["code"]) == (400, "duplicate")


@pytest.mark.parametrize("verb", ["pause", "resume", "cancel", "requeue", "reconcile"])
def test_a_body_where_none_is_read_is_refused_and_steers_nothing(acme: Door, verb: str) -> None:
    run = acme.post("test-runs/", BATTLE).json()["id"]
    refused = acme.post(f"test-runs/{run}/{verb}/", {"only": "errored"})
    assert (refused.status_code, refused.json()["code"], refused.json()["pointer"]) == (400, "unknown_field", "/only")
    assert acme.get(f"test-runs/{run}/status/").json()["status"] == "pending"


def test_cancelling_an_evaluation(acme: Door) -> None:
    taken = acme.post("evaluations/", evaluation("a", "b")).json()
    path = f"evaluations/{taken['id']}"
    assert acme.post(f"{path}/cancel/", {"why": "x"}).status_code == 400
    assert acme.post(f"{path}/cancel/").json()["status"] == "cancelled"
    assert acme.get(f"{path}/").json()["error_code"] == "cancelled"
    assert acme.post(f"{path}/cancel/").status_code == 200
    with in_tenant("acme"):
        Evaluation.objects.update(status="completed")
    refused = acme.post(f"{path}/cancel/")
    assert (refused.status_code, refused.json()["code"]) == (409, "wrong_state")


def test_a_filter_with_a_nul_is_refused(acme: Door) -> None:
    refused = acme.get("evaluations/?agent=%00")
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_parameter")


def test_cancelling_a_run_that_is_only_being_judged_ends_its_judging(acme: Door) -> None:
    asked = acme.post("evaluations/", evaluation()).json()
    answer = acme.post(f"test-runs/{asked['test_run_id']}/cancel/", None)
    assert answer.status_code == 200, answer.content
    assert acme.get(f"evaluations/{asked['id']}/").json()["status"] == "cancelled"

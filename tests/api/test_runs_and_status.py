"""Runs: started, watched cheaply, steered."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from apps.budgets.models import Budget
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.progress.domain.waiting import Wait, WorkProgress, progress, waiting_for
from apps.runs.models import Conversation, TestRun, Turn
from apps.tenants.context import in_tenant
from tests.api.api_client import Door, evaluation
from tests.catalog.samples import questions

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
BATTLE = {"kind": "battle", "agent": "waiter", "scenarios": "all", "repeats": 3}


def test_a_run_with_an_evaluation_and_its_frozen_plan(acme: Door) -> None:
    answer = acme.post("test-runs/", BATTLE | {"evaluator_config": "tea-service", "triggered_by": "ci"})
    assert answer.status_code == 202, answer.content
    taken = answer.json()
    assert taken["status_url"].endswith(f"/api/v1/test-runs/{taken['id']}/status/")
    run = acme.get(f"test-runs/{taken['id']}/").json()
    assert (run["kind"], run["status"], run["triggered_by"]) == ("battle", "pending", "ci")
    assert run["plan"]["agent"]["name"] == "waiter"
    status = acme.get(f"test-runs/{taken['id']}/status/").json()
    assert status["conversations"]["pending"] == 3
    assert status["evaluations"] == [{"id": taken["evaluation_id"], "status": "pending"}]
    assert status["progress"] == 0
    assert status["waiting_for"] == "0 conversations being played, 3 queued"


def test_the_same_request_again_starts_no_second_run(acme: Door) -> None:
    first = acme.post("test-runs/", BATTLE, idempotency_key="k")
    assert acme.post("test-runs/", BATTLE, idempotency_key="k").json() == first.json()
    with in_tenant("acme"):
        assert TestRun.objects.count() == 1


def test_a_run_declares_what_its_pull_request_may_spend(acme: Door) -> None:
    nobody = acme.post("test-runs/", BATTLE | {"budget_usd": 5})
    assert (nobody.status_code, nobody.json()["code"], nobody.json()["pointer"]) == (
        400, "budget_of_nobody", "/budget_usd",
    )  # fmt: skip
    assert acme.post("test-runs/", BATTLE | {"budget_usd": -1, "pull_request": "PR 1"}).status_code == 400
    assert acme.post("test-runs/", BATTLE | {"budget_usd": 0.05, "pull_request": "PR 1"}).status_code == 202
    with in_tenant("acme"):
        assert [float(row.declared_usd or 0) for row in Budget.objects.filter(name="PR 1")] == [0.05]


def test_pause_resume_cancel(acme: Door) -> None:
    run = acme.post("test-runs/", BATTLE).json()["id"]

    def steer(verb: str) -> tuple[int, Any]:
        answer = acme.post(f"test-runs/{run}/{verb}/")
        return answer.status_code, answer.json().get("status")

    assert steer("pause") == (200, "paused")
    assert acme.get(f"test-runs/{run}/status/").json()["waiting_for"].startswith("the run is paused")
    assert steer("pause") == (409, 409)
    assert steer("resume") == (200, "running")
    assert steer("cancel") == (200, "cancelled")
    assert steer("cancel") == (409, 409)
    done = acme.get(f"test-runs/{run}/status/").json()
    assert (done["conversations"]["cancelled"], done["progress"], done["waiting_for"]) == (3, 1, "")


def test_reconcile_owes_again_what_the_watchdog_closed(acme: Door) -> None:
    taken = acme.post("evaluations/", evaluation("a", "b")).json()
    with in_tenant("acme"):
        Evaluation.objects.update(status="timeout", ended_at=NOW)
    answer = acme.post(f"test-runs/{taken['test_run_id']}/reconcile/")
    assert answer.status_code == 200
    assert answer.json()["evaluations"][0]["status"] == "running"


def test_requeue_owes_again_what_could_not_be_judged(acme: Door) -> None:
    taken = acme.post("evaluations/", evaluation("a", "b")).json()
    with in_tenant("acme"):
        Judgement.objects.update(status="model_error", judged_at=NOW)
        Evaluation.objects.update(status="failed", ended_at=NOW)
    status = acme.get(f"evaluations/{taken['id']}/status/").json()
    assert (status["status"], status["progress"]) == ("failed", 1)
    assert acme.post(f"test-runs/{taken['test_run_id']}/requeue/").status_code == 200
    status = acme.get(f"evaluations/{taken['id']}/status/").json()
    assert (status["status"], status["progress"]) == ("running", 0.5)
    assert status["waiting_for"] == "0 conversations being judged, 2 queued"


def test_who_has_the_answer_already_gets_304(acme: Door) -> None:
    run = acme.post("test-runs/", BATTLE).json()["id"]
    first = acme.get(f"test-runs/{run}/status/")
    again = acme.get(f"test-runs/{run}/status/", if_none_match=first["ETag"])
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    acme.post(f"test-runs/{run}/pause/")
    changed = acme.get(f"test-runs/{run}/status/", if_none_match=f'W/{first["ETag"]}, "other"')
    assert changed.status_code == 200
    assert changed["ETag"] != first["ETag"]


def test_asking_costs_the_same_at_any_size(acme: Door) -> None:
    small = acme.post("evaluations/", evaluation("a")).json()
    large = acme.post("evaluations/", evaluation(*(f"c-{n}" for n in range(300)))).json()
    for path in (
        "test-runs/{test_run_id}/status/", "evaluations/{id}/status/", "evaluations/{id}/",
        "evaluations/{id}/judgements/", "test-runs/{test_run_id}/conversations/", "test-runs/{test_run_id}/",
    ):  # fmt: skip
        asked = []
        for taken in (small, large):
            with questions() as statements:
                assert acme.get(path.format(**taken)).status_code == 200
            asked.append(len(statements))
        assert asked[0] == asked[1] <= 16, (path, asked)  # an evaluation reads its titles, too; each asks for a seal


# --- Words -----------------------------------------------------------------------------------------------------
IDLE = WorkProgress(busy=0, queued=0)
LIMITED = Wait(reason="model m limits us", count=3, until=NOW + timedelta(seconds=12))


@pytest.mark.parametrize(
    "played, judged, paused, words",
    [
        (IDLE, IDLE, False, ""),
        (WorkProgress(busy=2, queued=41), IDLE, False, "2 conversations being played, 41 queued"),
        (IDLE, WorkProgress(busy=1, queued=0), False, "1 conversation being judged, 0 queued"),
        (WorkProgress(busy=0, queued=5), IDLE, True, "the run is paused: resume it to go on; 5 conversations queued"),
        (
            WorkProgress(busy=1, queued=111),
            IDLE,
            True,
            "the run is paused: resume it to go on; 1 conversation being played, 111 queued",
        ),
        (
            IDLE,
            WorkProgress(busy=0, queued=0, waits=[LIMITED]),
            False,
            "model m limits us, next try in 12 s (3 conversations)",
        ),
    ],
)
def test_what_it_waits_for_in_words(played: WorkProgress, judged: WorkProgress, paused: bool, words: str) -> None:
    assert waiting_for(paused=paused, played=played, judged=judged, now=NOW) == words


def test_nothing_to_do_is_done() -> None:
    assert progress(done=0, total=0) == 1
    assert progress(done=1, total=3) == 0.3333


def test_what_limits_a_judgement_is_said(acme: Door) -> None:
    taken = acme.post("evaluations/", evaluation("a", "b", "c")).json()
    soon = datetime.now(UTC) + timedelta(seconds=30)
    with in_tenant("acme"):
        one, two, _ = Judgement.objects.order_by("id").values_list("id", flat=True)
        Judgement.objects.filter(id=one).update(not_before=soon, waiting_for="model gemini limits us")
        Judgement.objects.filter(id=two).update(lease_expires_at=soon)
        assert Conversation.objects.count() == 3
    words = acme.get(f"evaluations/{taken['id']}/status/").json()["waiting_for"]
    assert words.startswith("model gemini limits us, next try in ")
    assert words.endswith("(1 conversation); 1 conversation being judged, 1 queued")


def test_part_of_a_run_is_played_again_in_a_new_one(acme: Door) -> None:
    run = acme.post("test-runs/", BATTLE).json()["id"]
    with in_tenant("acme"):
        rows = Conversation.objects.filter(run_id=run)
        rows.update(status="ended")
        rows.filter(position=1).update(status="failed", blame="platform")
    answer = acme.post(f"test-runs/{run}/rerun/", {"only": "errored"}, idempotency_key="again")
    assert (answer.status_code, answer.json()["from"], answer.json()["judged_again"]) == (202, run, 0)
    again = answer.json()["id"]
    assert answer.json()["status_url"].endswith(f"/api/v1/test-runs/{again}/status/")
    assert acme.get(f"test-runs/{again}/status/").json()["conversations"]["pending"] == 1
    assert acme.post(f"test-runs/{run}/rerun/", {"only": "errored"}, idempotency_key="again").json()["id"] == again
    refused = acme.post(f"test-runs/{run}/rerun/", {"only": "passed"})
    assert (refused.status_code, refused.json()["pointer"]) == (400, "/only")
    assert acme.post(f"test-runs/{run}/rerun/", {"only": "failed"}).json()["code"] == "nothing_to_repeat"


def test_one_battle_of_a_run_is_played_again_from_a_turn_on(acme: Door) -> None:
    run, other = (acme.post("test-runs/", BATTLE).json()["id"] for _ in range(2))
    with in_tenant("acme"):
        row = Conversation.objects.filter(run_id=run).order_by("position")[0]
        for position, text in enumerate(("Hi", "Hello", "Friday", "Fine")):
            role = ("user", "assistant")[position % 2]
            Turn.objects.create(conversation=row, attempt=row.attempt, position=position, role=role, content=text)
        Conversation.objects.filter(pk=row.pk).update(status="ended", ended_at=row.created_at)
    body = {"conversation": str(row.pk), "turn": 3}
    answer = acme.post(f"test-runs/{run}/rerun/", body | {"repeats": 2})
    assert (answer.status_code, answer.json()["from"]) == (202, run)
    again = acme.get(f"test-runs/{answer.json()['id']}/conversations/").json()["results"]
    assert len(again) == 2
    assert acme.post(f"test-runs/{other}/rerun/", body).status_code == 404
    assert acme.post(f"test-runs/{run}/rerun/", body | {"turn": 0}).json()["pointer"] == "/turn"
    assert acme.post(f"test-runs/{run}/rerun/", body | {"conversation": "x"}).json()["pointer"] == "/conversation"

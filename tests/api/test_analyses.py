"""The analyzer on demand: asked for once, answered by a worker, read with its evidence."""

from django.utils import timezone

from apps.evaluations.models import Evaluation
from apps.improvement.analysis.services.analysing import pay_analyses
from apps.tenants.context import in_tenant
from tests.api.api_client import Door, evaluation


def test_an_evaluation_still_being_judged_is_409(acme: Door) -> None:
    taken = acme.post("evaluations/", evaluation("c-1")).json()
    answer = acme.post(f"evaluations/{taken['id']}/analyses/")
    assert (answer.status_code, answer.json()["code"]) == (409, "not_ended")
    assert acme.get(f"evaluations/{taken['id']}/analyses/").json()["results"] == []


def test_an_analysis_is_taken_paid_and_read(acme: Door) -> None:
    taken = acme.post("evaluations/", evaluation("c-1")).json()
    with in_tenant("acme"):
        Evaluation.objects.update(status="completed", ended_at=timezone.now())
    headers = {"Idempotency-Key": "once"}
    asked = acme.post(f"evaluations/{taken['id']}/analyses/", **headers)
    assert (asked.status_code, asked.json()["status"]) == (202, "pending")
    again = acme.post(f"evaluations/{taken['id']}/analyses/", **headers)
    assert again.json() == asked.json()
    assert again["Idempotency-Replayed"] == "true"
    with in_tenant("acme"):
        pay_analyses(now=timezone.now)
    (row,) = acme.get(f"evaluations/{taken['id']}/analyses/").json()["results"]
    assert (row["id"], row["status"]) == (asked.json()["id"], "completed")
    assert row["note_codes"] == ["nothing_fails"]

"""From a signed post to a verified callback, judged by the written rules, read back and summed by hand."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest
from django.db import connection
from django.utils import timezone
from standardwebhooks.webhooks import Webhook

from apps.api.schema import components
from apps.api.services.callbacks import enqueue_callbacks
from apps.catalog.files.services.packs import load_pack
from apps.evaluations.judging.services.completion import finish_evaluations
from apps.evaluations.judging.services.judging import judge_in_free_slot
from apps.jobs.services.delivering import deliver_due
from apps.tenants.context import in_tenant
from tests.api.api_client import Door, stock
from tests.loopback.http_server import Answer, LoopbackServer, Request

SPEAK = [
    ("user", "Hi, I would like a haircut tomorrow at ten please."),
    ("assistant", "Of course! Tomorrow at 10:00 is free. A haircut is KES 1,500. Shall I book it?"),
    ("user", "Yes please, my name is Wanjiku."),
    ("assistant", "Booked, Wanjiku: tomorrow at 10:00, haircut, KES 1,500. See you then!"),
]


def spoken(id: str) -> dict[str, Any]:
    return {"id": id, "language": "en", "turns": [{"role": role, "content": text} for role, text in SPEAK]}


class Told(list[Request]):
    url = ""


@pytest.fixture
def told() -> Iterator[Told]:
    requests = Told()

    def receive(request: Request) -> Answer:
        requests.append(request)
        return Answer(status=200)

    with LoopbackServer(receive) as server:
        requests.url = f"{server.url}/told"
        yield requests


def valid(document: Any, component: str) -> None:
    schema = {
        "$ref": f"#/components/schemas/{component}",
        "components": {"schemas": components()},
    }
    jsonschema.Draft202012Validator(schema).validate(document)


def test_an_engineers_first_evaluation(
    committed_db: None, settings: Any, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    settings.ALLOW_PRIVATE_CALLBACKS = True
    monkeypatch.setattr("apps.api.views.evaluations.wake_workers_on_commit", lambda *_: None)
    bearer, secret = stock("acme")
    with in_tenant("acme"):
        load_pack("service-booking", at=datetime.now(UTC))
    door = Door("acme", bearer)
    body = {
        "evaluator_config": "booking-quality",
        "conversations": [spoken("a"), spoken("b")],
        "callback_url": told.url,
    }
    answer = door.signed("evaluations/", body, secret)
    assert answer.status_code == 202, answer.content
    taken = answer.json()
    valid(taken, "EvaluationTaken")

    with in_tenant("acme"):
        judge_in_free_slot(slots=2, concurrency=8, now=timezone.now)
        finish_evaluations(now=timezone.now())
        enqueue_callbacks(now=timezone.now())
        assert deliver_due(now=timezone.now) == 1

    found = door.get(f"evaluations/{taken['id']}/").json()
    valid(found, "Evaluation")
    assert (found["status"], found["counts"]["scored"]) == ("completed", 2)
    assert "offline_rules" in found["warning_codes"]
    assert len(found["warnings"]) == len(found["warning_codes"])
    page = door.get(f"evaluations/{taken['id']}/judgements/").json()
    valid(page, "JudgementPage")
    assert any(criterion["evidence"] for one in page["results"] for criterion in one["criteria"])
    for path, component in (("", "TestRun"), ("status/", "Status"), ("conversations/", "ConversationPage")):
        valid(door.get(f"test-runs/{taken['test_run_id']}/{path}").json(), component)
    status = door.get(taken["status_url"]).json()
    assert (status["status"], status["progress"], status["waiting_for"]) == ("completed", 1, "")

    by_hand = [mean_of(one["criteria"]) for one in page["results"]]
    assert [one["weighted_score"] for one in page["results"]] == pytest.approx(by_hand, abs=1e-9)
    assert found["weighted_score"] == pytest.approx(sum(by_hand) / 2, abs=1e-9)
    assert found["weighted_score"] == pytest.approx(mean_by_sql(taken["id"]), abs=1e-9)

    event = Webhook(secret).verify(told[0].body, told[0].headers)
    assert event["type"] == "evaluation.completed"
    assert event["data"]["weighted_score"] == found["weighted_score"]


def mean_of(criteria: list[dict[str, Any]]) -> float:
    scored = [one for one in criteria if one["score"] is not None]
    return sum(one["score"] * one["weight"] for one in scored) / sum(one["weight"] for one in scored)


def mean_by_sql(evaluation_id: str) -> float:
    with in_tenant("acme"), connection.cursor() as cursor:
        cursor.execute(
            "SELECT avg(mean) FROM (SELECT sum(s.score * s.weight) / sum(s.weight) AS mean"
            " FROM evaluations_criterionscore s JOIN evaluations_judgement j ON j.id = s.judgement_id"
            " WHERE j.evaluation_id = %s AND s.status = 'scored' GROUP BY j.id) x",
            [evaluation_id],
        )
        return cursor.fetchone()[0]

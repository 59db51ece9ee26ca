"""Optimizations over HTTP: forecast, asked for, followed, combined, stopped; refusals name what is wrong."""

from typing import Any

import pytest

from apps.catalog.models import Scenario
from apps.evaluations.models import Evaluation
from apps.improvement.models import FamilyPart, Optimization
from apps.improvement.prompt_templates.services.storing import TemplateVersion, add_template
from apps.tenants.context import in_tenant
from tests.api.api_client import Door, evaluation
from tests.api.test_trials import fits
from tests.improvement.optimization_rows import go_on, try_next
from tests.improvement.trial_rows import NOW, gain, make_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(acme: Door) -> dict[str, Any]:
    """An evaluation, a prompt, its draft and families that choose."""
    made = acme.post("evaluations/", evaluation("c-1")).json()["id"]
    with in_tenant("acme"):
        Scenario.objects.all().delete()
        draft = make_world(personas=("cousin",))
        FamilyPart.objects.update(part="selection", set_number=0)
        Evaluation.objects.filter(pk=made).update(status="completed", ended_at=NOW)
    return {"evaluation_id": made, "own_drafts": [str(draft)], "name": "greeting", "evaluator_configs": ["probe"]}


def test_a_persons_own_draft_goes_the_same_way(acme: Door, asked: dict[str, Any]) -> None:
    told = acme.post("optimizations/", {**asked, "forecast_only": True})
    forecast = fits("OptimizationForecastOnly", told.json())["forecast"]
    assert (told.status_code, forecast["drafts"], forecast["conversations"]) == (200, 1, 24)
    answer = acme.post("optimizations/", {**asked, "budget_usd": 5})
    made = fits("Optimization", answer.json())
    assert (answer.status_code, made["status"], made["next"]) == (202, "pending", ["cancel"])
    with in_tenant("acme"):
        row = Optimization.objects.get()
        go_on(row)
        try_next(row, gain(0.5))
    found = fits("Optimization", acme.get(f"optimizations/{made['id']}/").json())
    assert (found["status"], found["outcome"], found["next"]) == ("completed", "helped", ["prove"])
    matrix = fits("OptimizationMatrix", acme.get(f"optimizations/{made['id']}/matrix/").json())
    assert matrix["rows"][0]["overall"]["difference"] == pytest.approx(0.65)
    fits("OptimizationPage", acme.get("optimizations/").json())
    alone = acme.post(f"optimizations/{made['id']}/combine/", {})
    assert (alone.status_code, alone.json()["code"]) == (400, "bad_drafts")
    sealed = acme.post(f"optimizations/{made['id']}/prove/", {})
    assert (sealed.status_code, sealed.json()["code"]) == (409, "no_hold_out")
    over = acme.post(f"optimizations/{made['id']}/cancel/", {})
    assert (over.status_code, over.json()["code"]) == (409, "wrong_state")


def test_what_cannot_be_is_refused_by_name(acme: Door, asked: dict[str, Any]) -> None:
    wrong: dict[str, dict[str, Any]] = {
        "unknown_mode": {"mode": "magic"},
        "bad_drafts": {"mode": "full", "drafts": 2, "own_drafts": []},
    }
    for code, change in wrong.items():
        answer = acme.post("optimizations/", {**asked, **change})
        assert answer.json()["code"] == code
        assert answer.status_code == (400 if code == "bad_drafts" else 422)
    assert acme.post("optimizations/", {**asked, "own_drafts": [asked["evaluation_id"]]}).status_code == 404
    with in_tenant("acme"):
        assert not Optimization.objects.exists()


def test_the_texts_that_ask_are_read_with_what_is_in_force(acme: Door) -> None:
    with in_tenant("acme"):
        made = add_template(
            TemplateVersion(purpose="full", language="it", system="Scrivi.", ask="{nonce}:"), activate=True, by="amina"
        )
    rows = fits("PromptTemplates", acme.get("prompt-templates/").json())["results"]
    assert len(rows) == 16
    assert sum(row["in_force"] for row in rows) == 15
    assert [row["id"] for row in rows if row["in_force"] and row["id"]] == [str(made)]

"""Fixes of a model over HTTP: asked for, listed, read; what cannot be asked is told."""

import uuid

import pytest

from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.improvement.models import Analysis, FixProposal
from apps.tenants.context import in_tenant
from apps.tenants.services import update_workflow_config
from tests.api.api_client import Door, evaluation

pytestmark = pytest.mark.django_db


@pytest.fixture
def analysis(acme: Door) -> str:
    judged = acme.post("evaluations/", evaluation("c-1")).json()["id"]
    with in_tenant("acme"):
        record_prompt_text(name="salon", text="You book haircuts.\n", revision="a1b2c3d")
        save_model_provider(name="author", kind="openai", base_url="http://127.0.0.1:10/v1", api_key="k")
        chosen = {"models": {"optimizer": {"provider": "author", "model": "writer-1"}}}
        update_workflow_config(slug="acme", changes=chosen)
        row = Analysis.objects.create(evaluation_id=judged, findings=[{"title": "No prices"}], status="completed")
    return str(row.pk)


def test_a_fix_is_asked_for_and_read(acme, analysis):
    answer = acme.post("proposals/", {"analysis_id": analysis, "finding_number": 1})
    found = answer.json()
    assert answer.status_code == 202
    assert (found["status"], found["draft_id"], found["name"]) == ("pending", None, "salon")
    assert found["proposer"] == {"provider": "author", "model": "writer-1"}
    assert found["waiting_for"]
    assert acme.get(f"proposals/{found['id']}/").json() == found
    assert acme.get("proposals/").json()["results"] == [found]
    again = acme.post("proposals/", {"analysis_id": analysis, "finding_number": 1})
    assert (again.status_code, again.json()["code"]) == (409, "already_asked")


@pytest.mark.parametrize(
    "more, status, code, pointer",
    [
        ({"finding_number": 2}, 422, "unknown_finding", "/finding_number"),
        ({"finding_number": 0}, 400, "invalid", "/finding_number"),
        ({"analysis_id": str(uuid.uuid4())}, 404, "not_found", "/analysis_id"),
        ({"name": "nobody"}, 404, "not_found", "/name"),
    ],
)
def test_what_cannot_be_asked_is_told(acme, analysis, more, status, code, pointer):
    answer = acme.post("proposals/", {"analysis_id": analysis, "finding_number": 1, **more})
    told = answer.json()
    assert answer["Content-Type"] == "application/problem+json"
    assert (answer.status_code, told["code"], told["pointer"]) == (status, code, pointer)
    with in_tenant("acme"):
        assert not FixProposal.objects.exists()


def test_without_a_model_of_its_own_nobody_is_asked(acme, analysis):
    with in_tenant("acme"):
        chosen = {"models": {"optimizer": {"provider": "offline", "model": "offline-rules"}}}
        update_workflow_config(slug="acme", changes=chosen)
    answer = acme.post("proposals/", {"analysis_id": analysis, "finding_number": 1})
    assert (answer.status_code, answer.json()["code"]) == (422, "no_model")

"""Sets of personas over the API: taken with 202, followed, refused in words without a model."""

from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.models import Agent, PersonaGeneration
from apps.tenants.context import in_public, in_tenant
from apps.tenants.services import update_workflow_config
from tests.api.api_client import Door

BODY = {"agent": "booking", "languages": ["en", "sw"], "goals": ["book a haircut"], "tempers": ["impatient"]}


def with_model() -> None:
    with in_tenant("acme"):
        Agent.objects.get_or_create(name="booking", defaults={"kind": "scripted"})
        save_model_provider(name="stub", kind="openai", base_url="http://127.0.0.1:2/v1", api_key="not-a-key")
    with in_public():
        choice = {"provider": "stub", "model": "stub-model"}
        update_workflow_config(slug="acme", changes={"models": {"persona_generator": choice}})


def test_a_set_is_taken_once_and_can_be_followed(acme: Door, beta: Door) -> None:
    with_model()
    headers = {"Idempotency-Key": "once"}
    taken = acme.post("personas/generate/", BODY, **headers)
    assert (taken.status_code, taken.json()["status"]) == (202, "pending")
    assert acme.post("personas/generate/", BODY, **headers).json() == taken.json()
    assert taken.json()["status_url"].endswith(f"/personas/generations/{taken.json()['id']}/")
    shown = acme.get(f"personas/generations/{taken.json()['id']}/").json()
    assert (shown["wanted"], shown["written"], shown["settled"]) == (2, 0, False)
    assert shown["people"] is None
    assert [one["language"] for one in shown["not_written"]] == ["en", "sw"]
    assert beta.get(f"personas/generations/{taken.json()['id']}/").status_code == 404


def test_without_a_model_it_is_refused_in_words(acme: Door) -> None:
    with in_tenant("acme"):
        Agent.objects.get_or_create(name="booking", defaults={"kind": "scripted"})
    refused = acme.post("personas/generate/", BODY)
    assert (refused.status_code, refused.json()["code"]) == (422, "no_model")
    assert "No model is configured" in refused.json()["detail"]


def test_what_cannot_be_is_refused_by_its_field(acme: Door) -> None:
    with_model()
    for change, status, pointer in (
        ({"languages": ["de"]}, 400, "/languages"),
        ({"count": 1}, 400, "/count"),
        ({"goals": []}, 400, "/goals"),
        ({"agent": "nobody"}, 422, "/agent"),
        ({"colour": 1}, 400, "/colour"),
    ):
        refused = acme.post("personas/generate/", BODY | change)
        assert (refused.status_code, refused.json()["pointer"]) == (status, pointer)
    with in_tenant("acme"):
        assert not PersonaGeneration.objects.exists()


def test_a_forecast_starts_nothing(acme: Door) -> None:
    with_model()
    found = acme.post("personas/generate/forecast/", BODY).json()
    assert (found["personas"], found["calls"]) == (2, 1 + 1 + 2 * 11)
    assert [one["part"] for one in found["parts"]] == ["writing", "telling apart", "validating", "trial dialogues"]
    assert acme.post("personas/generate/forecast/", BODY | {"goals": []}).status_code == 400
    with in_tenant("acme"):
        assert not PersonaGeneration.objects.exists()

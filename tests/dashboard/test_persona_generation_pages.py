"""Personas written from the browser: the grid asked for by a form, how far it is, what is missing; and who may."""

from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.models import GeneratedPersona, Persona, PersonaGeneration
from apps.tenants.context import in_public, in_tenant
from apps.tenants.services import update_workflow_config
from tests.dashboard.conftest import signed_in
from tests.runs.stage import make_agent

FORM = {"agent": "bot", "language": ["en", "sw"], "goals": "book a haircut\nmove it\n", "tempers": "calm, hurried"}


@pytest.fixture
def agent(db: Any) -> None:
    with in_tenant("acme"):
        make_agent()


def with_model() -> None:
    with in_tenant("acme"):
        save_model_provider(name="stub", kind="openai", base_url="http://127.0.0.1:2/v1", api_key="not-a-key")
    with in_public():
        choice = {"provider": "stub", "model": "stub-model"}
        update_workflow_config(slug="acme", changes={"models": {"persona_generator": choice}})


def generation(slots: int, written: int, **more: Any) -> UUID:
    """A set whose first personas are there: the first is rejected, the others wait."""
    with in_tenant("acme"):
        from apps.catalog.models import Agent  # noqa: PLC0415 - within the tenant's test only

        row = PersonaGeneration.objects.create(
            agent=Agent.objects.get(),
            slots=[{"language": "en", "goal": f"goal {at}", "temper": "calm"} for at in range(slots)],
            model={"provider": "stub", "model": "stub-model"},
            **more,
        )
        for at in range(written):
            persona = Persona.objects.create(name=f"P{row.pk}-{at}", text="x")
            if not at:
                Persona.objects.filter(pk=persona.pk).update(status="rejected", rejection_reason="A cartoon.")
            GeneratedPersona.objects.create(generation=row, slot=at, persona=persona)
        return UUID(str(row.pk))


def shown(client: Any, pk: UUID) -> str:
    return str(client.get(reverse("persona_generation", args=[pk])).content.decode())


def test_the_grid_is_asked_for_and_its_page_opens(agent: None, owner: Any) -> None:
    with_model()
    answer = owner.post(reverse("generate_personas"), FORM)
    with in_tenant("acme"):
        row = PersonaGeneration.objects.get()
    assert (len(row.slots), row.requested_by) == (8, "amina")
    assert answer.status_code == 302
    page = str(owner.get(answer["location"]).content.decode())
    assert "0 of 8 personas are written, 0 have their verdict" in page
    assert 'hx-trigger="every 3s"' in page
    assert ">bot</a>" in str(owner.get(reverse("generate_personas")).content.decode())


@pytest.mark.parametrize(
    "change, words",
    [
        ({}, "No model is configured"),
        ({"count": "3"}, "cannot cover a grid of 8 cells"),
        ({"count": "many"}, "must be a whole number"),
        ({"goals": " \n"}, "Goals: must be a list"),
        ({"language": ["de"]}, "Languages: &#x27;de&#x27; is not spoken here"),
    ],
)
def test_what_cannot_be_is_said_and_what_was_typed_stays(agent: None, owner: Any, change: Any, words: str) -> None:
    if change:
        with_model()
    page = str(owner.post(reverse("generate_personas"), {**FORM, **change}).content.decode())
    assert "Nothing was asked for" in page
    assert words in page
    assert "calm, hurried" in page
    with in_tenant("acme"):
        assert not PersonaGeneration.objects.exists()


def test_a_set_that_has_ended_names_the_rejected_and_the_missing(agent: None, owner: Any) -> None:
    why = [{"slot": 2, "why": "it is too like 'Wanjiku'"}]
    pk = generation(3, 1, status="failed", refused=why, error_message="1 of 3 were written.", ended_at=timezone.now())
    page = shown(owner, pk)
    assert "1 persona: 1 rejected" in page
    assert "2 personas could not be written" in page
    assert "A cartoon." in page
    assert "too like" in page
    assert 'hx-trigger="every 3s"' not in page


def test_the_page_asks_as_many_queries_at_2_personas_as_at_30(agent: None, owner: Any) -> None:
    pks = [generation(size, size) for size in (2, 30)]
    shown(owner, pks[0])
    counts = []
    for pk in pks:
        with CaptureQueriesContext(connection) as queries:
            shown(owner, pk)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_who_may_not_write_personas_may_not_ask_for_them(agent: None) -> None:
    viewer = signed_in("brian", "view_persona", "view_agent")
    assert viewer.get(reverse("generate_personas")).status_code == 403
    assert viewer.post(reverse("generate_personas"), FORM).status_code == 403
    assert viewer.get(reverse("persona_generation", args=[generation(1, 1)])).status_code == 200


def test_what_it_will_cost_is_said_before_it_starts(agent: None, owner: Any) -> None:
    with_model()
    page = owner.post(reverse("generate_personas"), FORM | {"then": "forecast"}).content.decode()
    assert "8 personas, about 91 calls" in page
    assert "Nothing was started" in page
    with in_tenant("acme"):
        assert not PersonaGeneration.objects.exists()


def test_how_many_different_people_a_set_holds_stands_beside_its_variety(agent: None, owner: Any) -> None:
    people = {"of": 3, "different": 2, "same": [[0, 2]], "why": ""}
    pk = generation(3, 3, status="completed", people=people, ended_at=timezone.now())
    page = shown(owner, pk)
    assert f"2 different people of 3; the same person: P{pk}-0 and P{pk}-2" in page
    with in_tenant("acme"):
        PersonaGeneration.objects.update(people={"of": 3, "different": None, "same": [], "why": "it was <b>away</b>"})
    assert "different people: not measured, it was &lt;b&gt;away&lt;/b&gt;" in shown(owner, pk)

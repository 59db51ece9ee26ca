"""Must show 1: 24 personas over a grid, validated; three rejected by planted faults, one overridden; the database holds
who may play. The model is a script: this shows the plumbing, not what a real model would find."""

import io
import json
from collections import Counter
from datetime import timedelta
from functools import partial

import pytest
from django.core.management import call_command
from django.db import Error, connection, transaction
from django.utils import timezone

from apps.budgets.models import ModelCall
from apps.catalog.models import Persona, PersonaGeneration, PersonaValidation, Scenario
from apps.catalog.personas.services.releasing import approve_override, release
from apps.core.errors import BadInput
from apps.evaluations.progress.services.resume import resume_after_budget_raise
from apps.personas.queries.generation_forecast import generation_forecast
from apps.personas.queries.generation_progress import generation_document
from apps.personas.services.generating import generate_due
from apps.personas.services.requesting import request_generation
from apps.personas.services.validating import validate_due
from apps.runs.models import Conversation
from tests.personas.conftest import work
from tests.personas.persona_model import PersonaModel, persona
from tests.runs.stage import battles

pytestmark = pytest.mark.usefixtures("models_in_force")

GRID = {
    "languages": ["en", "sw", "mixed"],
    "goals": ["book a haircut", "move a booking to another day"],
    "tempers": ["friendly", "impatient", "distrustful", "confused"],
}
FAULTY = {3: "CARICATURE", 11: "CONTRADICTION", 17: "UNTESTABLE"}


def asked(**more) -> str:
    grid = {**GRID, **more}
    return str(request_generation(agent="booking", requested_by="amina", **grid))


def test_24_personas_cover_the_grid_three_are_rejected_and_one_is_overridden(model: PersonaModel):
    model.write = lambda slot, tries: persona(slot, fault=FAULTY.get(slot, ""))
    generation = asked(count=24)
    work()
    done = generation_document(generation)
    assert (done["status"], done["written"], done["settled"]) == ("completed", 24, True)
    cells = Counter((one["language"], one["goal"], one["temper"]) for one in done["personas"])
    assert len(cells) == 24
    assert {name: n for name, n in done["counts"].items() if n} == {"validated": 21, "rejected": 3}
    rejected = {one["name"]: one["why"] for one in done["personas"] if one["status"] == "rejected"}
    assert {name: next(word for word in ("naturalness", "coherence", "testability") if word in why)
            for name, why in rejected.items()} == {
        "Persona 3": "naturalness", "Persona 11": "coherence", "Persona 17": "testability",
    }  # fmt: skip
    assert "cartoon" in rejected["Persona 3"]
    assert Conversation.objects.filter(kind="probe").count() == 2 * 21, "what fell through on paper is not played"
    one = Persona.objects.get(name="Persona 0")
    assert [probe["verdict"] for probe in one.validation["probes"]] == ["kept", "kept"]
    turns = [row.turns.filter(role="user").count() for row in Conversation.objects.filter(kind="probe")]
    assert set(turns) <= {3, 4, 5}
    assert_who_may_play()


def assert_who_may_play() -> None:
    good, bad = Persona.objects.get(name="Persona 0"), Persona.objects.get(name="Persona 3")
    Scenario.objects.create(slug="cut", goal="A haircut", opening="Hi")
    now = timezone.now()
    with pytest.raises(BadInput, match="not released"):
        battles(agent="booking", personas=[good.name])
    release(persona_id=good.pk, by="amina", now=now)
    run = battles(agent="booking", personas=[good.name])
    with pytest.raises(Error, match="may not play"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO runs_conversation SELECT (jsonb_populate_record(c, jsonb_build_object(
               'id', gen_random_uuid(), 'position', 7, 'external_id', 'by hand', 'persona_id', %s))).*
               FROM runs_conversation c WHERE run_id = %s""",
            [str(bad.pk), str(run)],
        )
    approve_override(persona_id=bad.pk, by="amina", reason="She is like that, we know her.", now=now)
    bad.refresh_from_db()
    assert (bad.status, bad.override_by, bool(bad.rejection_reason)) == ("approved_override", "amina", True)
    battles(agent="booking", personas=[bad.name])


def test_the_model_is_told_who_the_agent_is_and_which_names_are_taken(model: PersonaModel):
    Persona.objects.create(name="Wanjiku", text="She is here already.")
    asked(languages=["en"], goals=["book a haircut"], tempers=["friendly"])
    work(1)
    (question,) = model.asked_for("personas")
    assert "Books hair appointments." in question
    assert "Wanjiku" in question
    assert "English as spoken in Kenya; goal: book a haircut; temper: friendly" in question


def test_a_cell_that_is_missing_or_too_like_another_is_asked_for_again_with_the_reason(model: PersonaModel):
    def write(slot: int, tries: int):
        if slot == 1 and tries == 0:
            return None
        if slot == 2 and tries == 0:
            return persona(2, seed=0, name="Somebody Else")  # the words of slot 0
        return persona(slot)

    model.write = write
    generation = asked(languages=["en"], goals=["book"], tempers=["a", "b", "c", "d"])
    work(1)
    assert generation_document(generation)["written"] == 4
    first, second = model.asked_for("personas")
    assert first.count("- slot ") == 4
    assert second.count("- slot ") == 2
    assert "too like 'Persona 0'" in second
    assert "the answer has no persona for it" in second


def test_a_persona_too_like_one_that_is_there_is_never_stored_and_the_set_says_what_is_lacking(model: PersonaModel):
    there = persona(0)
    Persona.objects.create(name="Here Before", text=there["text"], spec=there["spec"])
    generation = asked(languages=["en"], goals=["book"], tempers=["a", "b"])
    work()
    done = generation_document(generation)
    assert (done["status"], done["written"], model.asked[0]) == ("failed", 1, 3)
    assert "too like 'Here Before'" in done["error_message"]
    assert done["not_written"][0]["temper"] == "a"


def test_a_name_that_is_taken_gets_a_number(model: PersonaModel):
    model.write = lambda slot, tries: persona(slot, name="Wanjiku")
    generation = asked(languages=["en"], goals=["book"], tempers=["a", "b"])
    work(1)
    assert [one["name"] for one in generation_document(generation)["personas"]] == ["Wanjiku", "Wanjiku 2"]


def test_calls_are_in_the_ledger_by_what_they_were_for(model: PersonaModel):
    asked(languages=["en"], goals=["book"], tempers=["a"])
    work()
    assert Counter(ModelCall.objects.values_list("purpose", flat=True)) == {
        "persona_generation": 1, "persona_validation": 3, "simulator": 8,
    }  # fmt: skip
    assert not ModelCall.objects.exclude(outcome="ok").exists()


def test_a_set_waits_for_money_and_goes_on(model: PersonaModel, models_in_force):
    models_in_force(budget_month_usd=0.0)
    generation = asked(languages=["en"], goals=["book"], tempers=["a"])
    work(1)
    waiting = generation_document(generation)
    assert (waiting["status"], waiting["written"], model.prompts) == ("pending", 0, [])
    assert "budget too small" in waiting["waiting_for"]
    models_in_force(budget_month_usd=50.0)
    assert resume_after_budget_raise(now=timezone.now())
    work()
    assert generation_document(generation)["counts"]["validated"] == 1


def test_a_worker_that_dies_loses_nothing_that_was_stored(model: PersonaModel):
    generation = asked(languages=["en"], goals=["book"], tempers=["a", "b"])
    work(1)
    PersonaGeneration.objects.update(
        status="pending", ended_at=None, lease_token=generation, lease_expires_at=timezone.now() - timedelta(minutes=1)
    )
    work(1)
    assert (generation_document(generation)["status"], sum(model.asked.values())) == ("completed", 2)


def test_the_command_says_what_came_of_it(model: PersonaModel, capsys: pytest.CaptureFixture[str], tenant: str):
    call_command(
        "generate_personas", tenant=tenant, agent="booking", languages="en,sw", goals=["book; cancel"], tempers="calm",
        as_json=True,
    )  # fmt: skip
    taken = json.loads(capsys.readouterr().out)
    assert (taken["wanted"], taken["written"], taken["settled"]) == (4, 0, False)
    work()
    assert generation_document(taken["id"])["counts"]["validated"] == 4


@pytest.mark.parametrize("broken", [{"slots": [{"mood": "odd"}]}, {"model": {}}, {"material": 7}])
def test_a_set_that_cannot_be_read_fails_alone(model: PersonaModel, broken):
    bad, good = asked(count=24), asked(count=24)
    PersonaGeneration.objects.filter(pk=bad).update(**broken)
    generate_due(now=timezone.now, until=timezone.now() + timedelta(minutes=5))
    assert PersonaGeneration.objects.get(pk=good).status == "completed"
    row = PersonaGeneration.objects.get(pk=bad)
    assert row.status == "failed"
    assert "cannot be used" in row.error_message


def test_a_model_that_answers_only_429_ends_the_set_with_its_sentence(model: PersonaModel, models_in_force):
    models_in_force(agent_limit_minutes=5)
    model.script(*["rate_limit"] * 200)
    generation = asked(languages=["en"], goals=["book"], tempers=["a", "b"])
    now = timezone.now()
    generate_due(now=lambda: now, until=now + timedelta(minutes=1))
    waiting = generation_document(generation)
    assert (waiting["status"], waiting["settled"]) == ("pending", False)
    (wait,) = waiting["waits"]
    assert (wait["why"], wait["personas"]) == ("the model limits us", 2)
    assert wait["next_try_at"]
    late = now + timedelta(minutes=5, seconds=1)
    generate_due(now=lambda: late, until=late + timedelta(minutes=1))
    done = generation_document(generation)
    assert (done["status"], done["settled"], done["waits"]) == ("failed", True, [])
    assert "0 of 2 were written. The model has answered only 429" in done["error_message"]
    assert "after 5 minutes nobody waits any longer" in done["error_message"]


def test_a_validation_whose_model_answers_only_429_ends_too(model: PersonaModel, models_in_force):
    models_in_force(agent_limit_minutes=5)
    persona_row = Persona.objects.create(name="Wanjiku", text="A customer.", spec=persona(0)["spec"])
    model.script(*["rate_limit"] * 200)
    now = timezone.now()
    for minutes in (0, 3, 5.1):
        later = now + timedelta(minutes=minutes)
        validate_due(now=partial(max, later, now), until=later + timedelta(minutes=1))
    row = PersonaValidation.objects.get(persona=persona_row)
    assert row.status == "failed"
    assert "answered only 429" in row.error_message
    persona_row.refresh_from_db()
    assert persona_row.status == "pending_validation", "no verdict, and it may be asked for again"


def test_a_forecast_says_personas_calls_and_cost_before_anything_is_asked(model: PersonaModel):
    before = generation_forecast(**GRID, count=24)
    assert (before.personas, before.calls) == (24, 6 + 1 + 24 * 11)
    assert before.usd is not None
    assert "24 personas, about 271 calls, about $" in before.sentence
    assert not model.prompts
    asked(languages=["en"], goals=["book"], tempers=["a"])
    work()
    after = generation_forecast(languages=["en"], goals=["book"], tempers=["a"])
    assert after.calls == ModelCall.objects.count() == 12
    assert [one.sample for one in after.parts] == [1, 3, 8]
    out = io.StringIO()
    call_command("generate_personas", tenant="acme", agent="booking", languages="en", goals=["book"], forecast=True,
                 stderr=out)  # fmt: skip
    assert "Forecast: " in out.getvalue()
    assert PersonaGeneration.objects.count() == 1

"""Validating a persona: rated on paper, tried out in dialogues, and never rejected by what was no verdict."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from apps.catalog.models import Persona, PersonaValidation
from apps.catalog.personas.services.releasing import resubmit
from apps.core.errors import BadInput, Conflict
from apps.personas.services.requesting import enqueue_validations, request_generation, request_validation
from apps.personas.services.validating import validate_due
from apps.runs.models import Conversation
from tests.loopback.http_server import Answer
from tests.personas.conftest import work
from tests.personas.persona_model import PLAYERS, PLAYS_BADLY, PersonaModel, persona
from tests.runs.stage import play

loopback_models = pytest.mark.usefixtures("models_in_force")


def by_hand(text: str = "", slot: int = 0, **more) -> Persona:
    """A persona that waits for its validation."""
    written = persona(slot)
    return Persona.objects.create(
        name=written["name"],
        language="en",
        text=f"{written['text']} {text}".strip(),
        spec=more.get("spec", written["spec"]),
    )


def latest(row: Persona) -> PersonaValidation:
    row.refresh_from_db()
    return PersonaValidation.objects.filter(persona=row).latest("created_at")


def at_later(minutes: float) -> Callable[[], datetime]:
    return lambda: timezone.now() + timedelta(minutes=minutes)


@loopback_models
def test_a_persona_that_plays_against_its_own_rubric_is_rejected_with_the_words(model: PersonaModel):
    row = by_hand("PLAYS BADLY")
    work()
    assert latest(row).status == "completed"
    assert row.status == "rejected"
    assert "did not behave as written when tried out: price first" in row.rejection_reason
    assert PLAYS_BADLY in row.rejection_reason
    probes = row.validation["probes"]
    assert [probe["verdict"] for probe in probes] == ["broke", "broke"]
    assert probes[0]["behaviours"][0]["turn"] == 2
    assert Conversation.objects.get(pk=probes[0]["conversation"]).kind == "probe"
    assert row.scores == {"naturalness": 8, "coherence": 8, "testability": 8}


@loopback_models
@pytest.mark.parametrize("mark", list(PLAYERS))
def test_a_player_that_is_no_customer_of_this_language_does_not_validate(model: PersonaModel, mark: str):
    row = by_hand(f"PLAYER {mark}")
    work()
    assert (latest(row).status, row.status) == ("completed", "rejected")
    (*_, said) = [one["quote"] for probe in row.validation["probes"] for one in probe["behaviours"]]
    assert said in f"{PLAYERS[mark]} {said if mark in ('ITALIAN', 'SWAHILI') else ''}"
    assert said in row.rejection_reason
    assert not model.asked_for("probe_verdict"), "a rule needs no model"


@loopback_models
def test_who_writes_english_only_is_no_swahili_persona(model: PersonaModel):
    row = by_hand("PLAYER AGENT")
    Persona.objects.filter(pk=row.pk).update(language="sw", text="PLAYER ECHO")
    work()
    latest(row)
    assert row.status == "rejected"
    assert "writes the persona's language" in row.rejection_reason


@loopback_models
def test_probe_dialogues_speak_the_personas_language_with_both_agents(model: PersonaModel):
    row = by_hand()
    Persona.objects.filter(pk=row.pk).update(language="sw")
    work()
    first = {
        turn.content for one in Conversation.objects.all() for turn in one.turns.filter(role="assistant", position=1)
    }
    assert first == {"Habari, asante kwa kutuandikia. Nikusaidie na nini?", "Habari. Ni kuhusu nini?"}


@loopback_models
def test_who_has_no_behaviour_is_rated_and_not_played(model: PersonaModel):
    row = by_hand(spec={})
    work(1)
    assert (latest(row).status, row.status, row.validation.get("probes", [])) == ("completed", "validated", [])
    assert not Conversation.objects.exists()


@loopback_models
def test_weights_and_threshold_are_the_tenants(model: PersonaModel, models_in_force):
    models_in_force(persona_weight_naturalness=0.01)
    row = by_hand("CARICATURE")  # 1, 8, 8
    work()
    latest(row)
    assert (row.status, row.validation["weighted"]) == ("validated", 7.965)
    models_in_force(persona_threshold=8.5)
    other = by_hand(slot=1)
    work()
    latest(other)
    assert other.status == "rejected"


@loopback_models
@pytest.mark.parametrize("fault", ["prose", "cut_json", "refusal", "500", "hollow"])
def test_no_answer_is_no_verdict_and_says_why(model: PersonaModel, fault: str):
    row = by_hand()
    model.script(*[fault] * 40)
    for minutes in (0, 10, 20):
        validate_due(now=at_later(minutes), until=at_later(minutes)() + timedelta(minutes=1))
    failed = latest(row)
    assert (failed.status, row.status, row.rejection_reason) == ("failed", "pending_validation", "")
    assert failed.error_message
    assert enqueue_validations() == 0, "nobody is asked again without being told to"
    model._script.clear()
    again = request_validation(persona_id=row.pk, requested_by="amina")
    work()
    assert (latest(row).pk, row.status) == (again, "validated")


@loopback_models
def test_a_limit_is_waited_for_and_is_no_try(model: PersonaModel):
    row = by_hand()
    for minutes in range(0, 15, 3):
        model.script("rate_limit", "rate_limit", "rate_limit", "rate_limit")
        validate_due(now=at_later(minutes), until=at_later(minutes)() + timedelta(seconds=1))
        model._script.clear()
    waiting = latest(row)
    assert (waiting.status, row.status) == ("pending", "pending_validation")
    assert waiting.not_before is not None


@loopback_models
def test_an_edit_between_rating_and_dialogues_is_not_judged_by_the_old_answer(model: PersonaModel):
    row = by_hand("PLAYS BADLY")
    validate_due(now=timezone.now, until=timezone.now() + timedelta(minutes=1))
    old = latest(row)
    assert (old.status, old.waiting_for) == ("pending", "probe dialogues")
    resubmit(persona_id=row.pk, text="Somebody quite different, who asks for the price and nothing else.")
    work()
    old.refresh_from_db()
    assert (old.status, latest(row).status, row.status) == ("superseded", "completed", "validated")


@loopback_models
def test_an_edit_while_the_model_thinks_is_not_judged_by_the_old_answer(model: PersonaModel):
    row = by_hand("CARICATURE")
    edited: list[bool] = []

    def now() -> datetime:
        stores = threading.current_thread() is threading.main_thread()
        if stores and model.asked_for("persona_rating") and not edited:
            edited.append(True)
            Persona.objects.filter(pk=row.pk).update(text="Edited in this very moment.")
        return timezone.now()

    validate_due(now=now, until=timezone.now())
    assert edited
    assert (latest(row).status, row.status) == ("superseded", "pending_validation")
    work()
    assert latest(row).status == "completed"
    assert row.status == "validated"


@loopback_models
def test_dialogues_that_cannot_be_played_are_played_again_and_never_reject(model: PersonaModel):
    row = by_hand()
    validate_due(now=timezone.now, until=timezone.now() + timedelta(minutes=1))
    for minutes in (0, 10, 20):
        model.script(*[Answer(status=400, body=b"{}")] * 10)
        play(at_later(minutes))
        model._script.clear()
        validate_due(now=at_later(minutes + 1), until=at_later(minutes + 2)())
        validate_due(now=at_later(minutes + 8), until=at_later(minutes + 9)())
    failed = latest(row)
    assert (failed.status, row.status) == ("failed", "pending_validation")
    assert "could not be played" in failed.error_message


@loopback_models
def test_a_persona_is_owed_one_validation_however_often_one_looks(model: PersonaModel):
    row = by_hand()
    assert (enqueue_validations(), enqueue_validations()) == (1, 0)
    asked = request_validation(persona_id=row.pk, requested_by="amina")
    assert asked == latest(row).pk
    work()
    assert PersonaValidation.objects.count() == 1
    with pytest.raises(Conflict):
        request_validation(persona_id=row.pk, requested_by="amina")


def test_without_a_model_nothing_is_owed_and_asking_is_refused_in_words(tenant: str, booking):
    row = by_hand()
    assert enqueue_validations() == 0
    with pytest.raises(BadInput, match="No model is configured") as refused:
        request_validation(persona_id=row.pk, requested_by="amina")
    assert refused.value.code == "no_model"
    with pytest.raises(BadInput) as refused:
        request_generation(agent="booking", languages=["en"], goals=["book"], requested_by="amina")
    assert refused.value.code == "no_model"


@loopback_models
@pytest.mark.parametrize(
    "broken", [{"model": {}}, {"rating": {"reasons": {}}}, {"rating": {"scores": {"naturalness": "x"}, "reasons": {}}}]
)
def test_one_that_cannot_be_read_fails_alone_with_its_sentence(model: PersonaModel, broken):
    bad, good = by_hand(), by_hand(slot=1)
    enqueue_validations()
    PersonaValidation.objects.filter(persona=bad).update(**broken)
    for minutes in (0, 2, 6):
        work(now=at_later(minutes))
    assert latest(good).status == "completed"
    assert (latest(bad).status, bad.status) == ("failed", "pending_validation")
    assert any(words in latest(bad).error_message for words in ("cannot be used", "must be a number"))

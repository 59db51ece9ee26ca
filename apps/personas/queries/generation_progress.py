"""Report how far a set of personas is: what was written of it, and what became of each persona."""

import uuid
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError

from apps.catalog.domain.states import PersonaStatus
from apps.catalog.models import GeneratedPersona, PersonaGeneration, PersonaValidation
from apps.catalog.personas.domain.work import PersonaWorkStatus
from apps.core.errors import NotFound
from apps.core.timestamps import format_timestamp
from apps.personas.domain.resemblance import pairs_of
from apps.personas.domain.same_people import FEWEST, PeopleOfSet, people_from_json
from apps.personas.domain.variety import variety_of

NOT_YET = "it is asked once, when all are written"
NOT_ASKED = "nobody was asked when this set was written"


def find_generation(generation_id: uuid.UUID | str) -> PersonaGeneration:
    """The row. Raises NotFound. One query."""
    try:
        row = PersonaGeneration.objects.select_related("agent").filter(pk=generation_id).first()
    except (ValueError, ValidationError):
        row = None
    if row is None:
        raise NotFound(f"There is no generation of personas with the id {generation_id}.")
    return row


def generation_document(generation_id: uuid.UUID | str) -> dict[str, Any]:
    """One set: {"id", "agent", "status", "wanted", "written", "personas": [...], "not_written": [...], "counts",
    "settled", …}. `counts` has the personas by state; `settled`: nothing more happens by itself, the set has ended,
    and each persona has its verdict or a reason why it has none yet. `variety` says how unlike its personas are, None
    for fewer than two; `people` how many of them a model holds to be different people, None for fewer than two; where
    that was not measured `different` is None and `why` says why. `waits` says what is waited for, by how many ("" is
    the set itself), and when it is tried again.
    Three queries."""
    row = find_generation(generation_id)
    made = list(GeneratedPersona.objects.filter(generation=row).select_related("persona").order_by("slot"))
    latest = _latest([one.persona_id for one in made])
    personas = [_persona(row, one, latest.get(one.persona_id)) for one in made]
    variety = variety_of(
        {one.persona.name: pairs_of(one.persona.text, one.persona.spec, name=one.persona.name) for one in made}
    )
    filled = {one.slot for one in made}
    why = {one["slot"]: one["why"] for one in row.refused}
    counts = {state.value: 0 for state in PersonaStatus}
    for persona in personas:
        counts[persona["status"]] += 1
    return {
        "id": str(row.pk),
        "agent": row.agent.name,
        "status": row.status,
        "wanted": len(row.slots),
        "written": len(made),
        "counts": counts,
        "settled": row.status != PersonaWorkStatus.PENDING and not any(one["open"] for one in personas),
        "variety": variety.as_json() if variety else None,
        "people": _people(row, made),
        "personas": personas,
        "not_written": [{**slot, "why": why.get(at, "")} for at, slot in enumerate(row.slots) if at not in filled],
        "model": f"{row.model.get('provider', '')}/{row.model.get('model', '')}",
        "waiting_for": row.waiting_for,
        "waits": _waits(row, list(latest.values())),
        "error_message": row.error_message,
        "created_at": format_timestamp(row.created_at),
        "ended_at": format_timestamp(row.ended_at) if row.ended_at else None,
    }


def _people(row: PersonaGeneration, made: Sequence[GeneratedPersona]) -> dict[str, Any] | None:
    """{"of", "different", "same": names of portraits that tell of one person, "why", "sentence"}."""
    if len(made) < FEWEST:
        return None
    if row.people is not None:
        people = people_from_json(row.people)
    else:
        pending = row.status == PersonaWorkStatus.PENDING
        people = PeopleOfSet(of=len(made), why=NOT_YET if pending else NOT_ASKED)
    names = {persona.slot: persona.persona.name for persona in made}
    same = [[names[slot] for slot in group] for group in people.same]
    return {**people.as_json(), "same": same, "sentence": people.sentence}


def _persona(row: PersonaGeneration, made: GeneratedPersona, validation: PersonaValidation | None) -> dict[str, Any]:
    persona = made.persona
    pending = persona.status == PersonaStatus.PENDING_VALIDATION
    failed = validation is not None and validation.status == PersonaWorkStatus.FAILED
    why = persona.rejection_reason
    if pending and validation is not None:
        why = validation.error_message or validation.waiting_for
    return {
        "id": str(persona.pk),
        "name": persona.name,
        **row.slots[made.slot],
        "status": persona.status,
        "scores": persona.scores,
        "why": why,
        "open": pending and not failed,
    }


def _waits(row: PersonaGeneration, validations: Sequence[PersonaValidation]) -> list[dict[str, Any]]:
    """Return why the set and its personas wait now: [{"why", "personas", "next_try_at"}].

    The set's own reason comes first; then `personas` is how many are not written yet.
    """
    by_reason: dict[str, dict[str, Any]] = {}
    written = len(validations)
    for validation in (row, *validations):
        if validation.status != PersonaWorkStatus.PENDING or not validation.waiting_for:
            continue
        wait = by_reason.setdefault(
            validation.waiting_for, {"why": validation.waiting_for, "personas": 0, "next_try_at": None}
        )
        wait["personas"] += max(0, len(row.slots) - written) if validation is row else 1
        if validation.not_before is not None:
            until = format_timestamp(validation.not_before)
            wait["next_try_at"] = min(until, wait["next_try_at"] or until)
    return list(by_reason.values())


def _latest(persona_ids: list[Any]) -> dict[Any, PersonaValidation]:
    rows = PersonaValidation.objects.filter(persona__in=persona_ids).order_by("created_at", "id")
    return {row.persona_id: row for row in rows.defer("subject", "probes")}

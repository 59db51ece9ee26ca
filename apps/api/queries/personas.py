"""Personas as the API shows them."""

import uuid
from collections.abc import Mapping
from typing import Annotated, Any

from django.db.models import QuerySet

from apps.catalog.domain.states import PersonaOrigin, PersonaStatus
from apps.catalog.models import Persona
from apps.core.documents import Count, Document, Id, Moment, members, one_of
from apps.core.errors import BadInput, NotFound
from apps.core.shapes import Keywords, described
from apps.core.timestamps import format_timestamp
from apps.runs.playing.queries.persona_records import persona_records

PERSONA_FILTERS: Mapping[str, str] = {
    "status": f"One of {', '.join(PersonaStatus)}.",
    "may_play": "true or false.",
    "language": "Exactly.",
    "name": "Exactly.",
}


class PersonaLine(Document, component="PersonaLine"):
    id: Id
    name: str
    language: str
    origin: Annotated[str, one_of(PersonaOrigin)]
    status: Annotated[str, one_of(PersonaStatus)]
    may_play: Annotated[bool, described("In battles: validated and, where wanted, released; or overridden.")]
    why_not: Annotated[str, described("Why it may not play, in words; empty where it may.")]
    needs_release: Annotated[bool, described("A curator must release it too.")]
    scores: Mapping[str, Annotated[float, Keywords({"minimum": 1, "maximum": 10})]]
    rejection_reason: str
    created_at: Moment
    updated_at: Moment


class PersonaDetailOverride(Document):
    by: str
    reason: str
    at: Moment


class PersonaDetailRelease(Document):
    by: str
    at: Moment


class PersonaDetailRecord(Document):
    battles: Count
    unusable: Annotated[Count, described("Battles that stayed invalid after their replays.")]
    reviewed: Annotated[Count, described("Attempts whose simulated customer was reviewed.")]
    invalid: Count


class PersonaDetailDocument(PersonaLine, component="PersonaDetail"):
    text: str
    spec: Annotated[
        Mapping[str, Any], described("The structured persona in its shortest form; empty where there is none.")
    ]
    validation: Annotated[
        Mapping[str, Any], described("How the scores came about: weights, threshold, reasons, probes.")
    ]
    override: PersonaDetailOverride | None
    release: PersonaDetailRelease | None
    record: PersonaDetailRecord


def personas_found(asked: Mapping[str, str], rows: QuerySet[Persona]) -> QuerySet[Persona]:
    """Return the personas that the query string asks for. Raises BadInput (`bad_parameter`)."""
    for name in ("language", "name"):
        if name in asked:
            rows = rows.filter(**{name: asked[name]})
    if "status" in asked:
        if asked["status"] not in list(PersonaStatus):
            there = ", ".join(PersonaStatus)
            raise BadInput(f"status is {asked['status'][:40]!r}; there are {there}.", code="bad_parameter")
        rows = rows.filter(status=asked["status"])
    if "may_play" in asked:
        if asked["may_play"] not in ("true", "false"):
            raise BadInput(f"may_play is true or false, not {asked['may_play'][:40]!r}.", code="bad_parameter")
        rows = rows.filter(may_play=asked["may_play"] == "true")
    return rows


def persona_document(persona_id: uuid.UUID) -> PersonaDetailDocument:
    """One persona, whole. Raises NotFound. Three queries."""
    row = Persona.objects.filter(pk=persona_id).first()
    if row is None:
        raise NotFound(f"There is no persona with the id {persona_id}.")
    record = persona_records([row.pk])[row.pk]
    return PersonaDetailDocument(
        **members(persona_line(row)),
        text=row.text,
        spec=row.spec,
        validation=row.validation,
        override=PersonaDetailOverride(
            by=row.override_by, reason=row.override_reason, at=format_timestamp(row.overridden_at)
        )
        if row.overridden_at
        else None,
        release=PersonaDetailRelease(by=row.released_by, at=format_timestamp(row.released_at))
        if row.released_at
        else None,
        record=PersonaDetailRecord(
            battles=record.battles,
            unusable=record.unusable,
            reviewed=record.reviewed,
            invalid=record.invalid,
        ),
    )


def persona_line(row: Persona) -> PersonaLine:
    """A persona in a list."""
    return PersonaLine(
        id=str(row.id),
        name=row.name,
        language=row.language,
        origin=row.origin,
        status=row.status,
        may_play=row.may_play,
        why_not=row.why_not(),
        needs_release=row.needs_release,
        scores=row.scores,
        rejection_reason=row.rejection_reason,
        created_at=format_timestamp(row.created_at),
        updated_at=format_timestamp(row.updated_at),
    )

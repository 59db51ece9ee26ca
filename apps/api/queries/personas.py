"""Personas as the API shows them."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from apps.catalog.domain.states import PersonaStatus
from apps.catalog.models import Persona
from apps.core.errors import BadInput, NotFound
from apps.core.timestamps import format_if_known
from apps.runs.playing.queries.persona_records import persona_records

PERSONA_FILTERS: Mapping[str, str] = {
    "status": f"One of {', '.join(PersonaStatus)}.",
    "may_play": "true or false.",
    "language": "Exactly.",
    "name": "Exactly.",
}


def personas_found(asked: Mapping[str, str], rows: QuerySet[Persona]) -> QuerySet[Persona]:
    """Those that the query string asks for. Raises BadInput (`bad_parameter`)."""
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


def persona_document(persona_id: uuid.UUID) -> dict[str, Any]:
    """One persona, whole. Raises NotFound. Three queries."""
    row = Persona.objects.filter(pk=persona_id).first()
    if row is None:
        raise NotFound(f"There is no persona with the id {persona_id}.")
    record = persona_records([row.pk])[row.pk]
    overridden = row.overridden_at is not None
    return {
        **persona_line(row),
        "text": row.text,
        "spec": row.spec,
        "validation": row.validation,
        "override": {"by": row.override_by, "reason": row.override_reason, "at": format_if_known(row.overridden_at)}
        if overridden
        else None,
        "release": {"by": row.released_by, "at": format_if_known(row.released_at)} if row.released_at else None,
        "record": {
            "battles": record.battles,
            "unusable": record.unusable,
            "reviewed": record.reviewed,
            "invalid": record.invalid,
        },
    }


def persona_line(row: Persona) -> dict[str, Any]:
    """A persona in a list."""
    return {
        "id": str(row.id),
        "name": row.name,
        "language": row.language,
        "origin": row.origin,
        "status": row.status,
        "may_play": row.may_play,
        "why_not": row.why_not(),
        "needs_release": row.needs_release,
        "scores": row.scores,
        "rejection_reason": row.rejection_reason,
        "created_at": format_if_known(row.created_at),
        "updated_at": format_if_known(row.updated_at),
    }

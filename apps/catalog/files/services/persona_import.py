"""Personas of a catalog's files, in and out.

A persona is written as pending and then moved to the status that its file vouches for, step by step as everybody else:
the database knows no other way.
"""

from collections.abc import Mapping
from typing import Any

from apps.catalog.domain.states import PERSONA_MOVES, PersonaStatus
from apps.catalog.personas.domain.document import PersonaItem, refuse_unfounded
from apps.catalog.personas.domain.rules import judge_persona
from apps.catalog.personas.models import Persona
from apps.catalog.personas.services.releasing import FRESH
from apps.core.errors import BadInput
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

# From pending to each status.
_STEPS: Mapping[PersonaStatus, tuple[PersonaStatus, ...]] = {
    PersonaStatus.PENDING_VALIDATION: (),
    PersonaStatus.VALIDATED: (PersonaStatus.VALIDATED,),
    PersonaStatus.REJECTED: (PersonaStatus.REJECTED,),
    PersonaStatus.APPROVED_OVERRIDE: (PersonaStatus.REJECTED, PersonaStatus.APPROVED_OVERRIDE),
    PersonaStatus.ARCHIVED: (PersonaStatus.ARCHIVED,),
}


def import_persona(name: str, item: PersonaItem, row: Persona | None, differing: list[str]) -> str:
    """Bring one persona in: "created", "updated" or "unchanged"; `differing` gets the names of what was changed.

    An edited text goes back to its validation unless the file itself vouches for a status. Raises BadInput for a status
    without what it rests on, or one that cannot follow the present one. At most four queries.
    """
    if row is None:
        row = Persona.objects.create(
            name=name,
            language=item.language,
            text=item.text,
            spec=dict(item.spec or {}),
            origin=item.origin,
            needs_release=item.needs_release,
        )
        _walk(row, item, _STEPS[item.status or PersonaStatus.PENDING_VALIDATION])
        return "created"
    content: dict[str, Any] = {"language": item.language, "text": item.text}
    content |= {} if item.spec is None else {"spec": dict(item.spec)}
    edited = [key for key, value in content.items() if getattr(row, key) != value]
    differing += edited
    if edited:
        _edit(row, item, content, differing)
    elif item.status is not None:
        _settle(row, item, differing)
    return "updated" if differing else "unchanged"


def persona_entry(row: Persona) -> dict[str, Any]:
    """Return the persona's entry in a catalog file; importing it changes nothing."""
    release: dict[str, Any] = {"wanted": True} if row.needs_release else {}
    if row.released_at is not None:
        release |= {"by": row.released_by, "at": row.released_at.isoformat()}
    return {
        "name": row.name,
        "language": row.language,
        "origin": row.origin,
        "status": row.status,
        "scores": row.scores,
        "validation": row.validation,
        "rejection_reason": row.rejection_reason,
        "override": {"by": row.override_by, "at": row.overridden_at.isoformat(), "reason": row.override_reason}
        if row.overridden_at
        else None,
        "release": release,
        "text": row.text,
        "spec": row.spec,
    }


def _edit(row: Persona, item: PersonaItem, content: Mapping[str, Any], differing: list[str]) -> None:
    pending = PersonaStatus.PENDING_VALIDATION
    if row.status != pending and pending not in PERSONA_MOVES[PersonaStatus(row.status)]:
        raise BadInput(f"/status: {row.name!r} is {row.status} and cannot be edited", pointer="/status")
    target = item.status or pending
    differing += [] if target == row.status else ["status"]
    for key, value in {**FRESH, **content, "status": pending}.items():
        setattr(row, key, value)
    row.save()
    _walk(row, item, _STEPS[target])


def _settle(row: Persona, item: PersonaItem, differing: list[str]) -> None:
    """Words that are the same, and a status the file vouches for."""
    status = item.status or PersonaStatus(row.status)
    if status != row.status:
        if status not in PERSONA_MOVES[PersonaStatus(row.status)]:
            raise BadInput(f"/status: {row.name!r} is {row.status} and cannot become {status.value}", pointer="/status")
        differing.append("status")
        if status is PersonaStatus.PENDING_VALIDATION:
            Persona.objects.filter(pk=row.pk).update(status=status, **FRESH)
        else:
            _walk(row, item, (status,))
        return
    fields = {
        key: value for key, value in _history(item).items() if value not in ({}, "") and getattr(row, key) != value
    }
    if item.release is not None and status is PersonaStatus.VALIDATED and row.released_at is None:
        fields |= {"released_by": item.release.by, "released_at": item.release.at}
    if fields:
        differing += fields
        Persona.objects.filter(pk=row.pk).update(**fields)


def _walk(row: Persona, item: PersonaItem, steps: tuple[PersonaStatus, ...]) -> None:
    if not steps:
        return
    refuse_unfounded(item)
    if item.status is PersonaStatus.VALIDATED and PersonaStatus.VALIDATED in steps:
        _refuse_low_scores(item)
    rows = Persona.objects.filter(pk=row.pk)
    for at, status in enumerate(steps):
        fields = {} if at else {key: value for key, value in _history(item).items() if value not in ({}, "")}
        last = _decisions(item) if status is steps[-1] else {}
        rows.update(status=status, **fields, **last)


def _refuse_low_scores(item: PersonaItem) -> None:
    """A file may vouch for scores, not for what they mean here. Raises BadInput."""
    config = workflow_config(current_slug())
    verdict = judge_persona(item.scores, threshold=config.persona_threshold, weights=config.persona_weights)
    if verdict.status is not PersonaStatus.VALIDATED:
        raise BadInput(
            f"/scores: {verdict.reason}; write it as rejected, or as approved_override with its override",
            pointer="/scores",
        )


def _history(item: PersonaItem) -> dict[str, Any]:
    return {
        "scores": dict(item.scores),
        "validation": dict(item.validation),
        "rejection_reason": item.rejection_reason,
    }


def _decisions(item: PersonaItem) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if item.override is not None:
        fields |= {
            "override_by": item.override.by,
            "override_reason": item.override.reason,
            "overridden_at": item.override.at,
        }
    if item.release is not None:
        fields |= {"released_by": item.release.by, "released_at": item.release.at}
    return fields

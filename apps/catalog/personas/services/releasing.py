"""A persona's life: written, validated or rejected, overridden, released, edited, archived.

Every move is compare-and-set, and the database refuses what is not allowed (models.personas).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.states import PERSONA_MOVES, PersonaOrigin, PersonaStatus
from apps.catalog.personas.domain.rules import EQUAL_WEIGHTS, MAX_OVERRIDE_REASON, PersonaVerdict, judge_persona
from apps.catalog.personas.domain.spec import read_persona_spec
from apps.catalog.personas.models import Persona
from apps.core.errors import BadInput, Conflict, NotFound

# What belonged to the words that were judged, and goes when they are edited.
FRESH: Mapping[str, Any] = {
    "scores": {},
    "validation": {},
    "rejection_reason": "",
    "override_by": "",
    "override_reason": "",
    "overridden_at": None,
    "released_by": "",
    "released_at": None,
}


def create_persona(
    *,
    name: str,
    text: str,
    language: str = "",
    spec: Any = None,
    origin: PersonaOrigin = PersonaOrigin.HAND,
    needs_release: bool = False,
) -> UUID:
    """A new persona; it waits for its validation. `needs_release`: a curator must release it too before it plays.

    Raises BadInput naming the field, also for a name that is taken (`persona_exists`). Two queries.
    """
    name = checks.text(name, "/name", required=True, limit=100).strip()
    fields = _content(text=text, language=language, spec=spec if spec is not None else {})
    row, new = Persona.objects.get_or_create(
        name=name, defaults={**fields, "origin": origin, "needs_release": needs_release}
    )
    if not new:
        raise BadInput(f"/name: there is a persona named {name!r} already", code="persona_exists", pointer="/name")
    return UUID(str(row.pk))


def record_validation(
    *,
    persona_id: UUID | str,
    scores: Mapping[str, float],
    threshold: float,
    weights: Mapping[str, float] = EQUAL_WEIGHTS,
    reason: str = "",
    reasons: Mapping[str, str] | None = None,
    model: str = "",
    by: str = "",
    probes: Sequence[Mapping[str, Any]] = (),
    broken: Sequence[str] = (),
    text: str | None = None,
    spec: Mapping[str, Any] | None = None,
) -> PersonaVerdict:
    """Store the validator's scores and the verdict that follows from them.

    `reasons` explain each score; `model` or `by` names the validator; `probes` are the trial dialogues
    ([{"conversation", "verdict", …}]); `broken` lists the behaviours that failed in them: any rejects the persona,
    whatever its scores. `text` and `spec` are what was judged: nothing is stored if the persona was edited meanwhile.

    Raises BadInput for missing or impossible scores, Conflict when the persona no longer waits for a validation.
    """
    verdict = judge_persona(scores, threshold=threshold, weights=weights, broken=broken, reason=reason)
    rows = Persona.objects.filter(pk=persona_id, status=PersonaStatus.PENDING_VALIDATION)
    if text is not None:
        rows = rows.filter(text=text)
    if spec is not None:
        rows = rows.filter(spec=spec)
    validation = {"weighted": round(verdict.mean, 3), "threshold": threshold, "weights": dict(weights)} | {
        key: value
        for key, value in (("reasons", dict(reasons or {})), ("model", model), ("by", by), ("probes", list(probes)))
        if value
    }
    fields = {**FRESH, "scores": dict(scores), "rejection_reason": verdict.reason, "validation": validation}
    if not rows.update(status=verdict.status, **fields):
        raise Conflict(f"{_named(persona_id)}, or was edited meanwhile: it waits for no such validation")
    return verdict


def approve_override(*, persona_id: UUID | str, by: str, reason: str, now: datetime) -> None:
    """Let a rejected persona play all the same: who decided so and why is kept, and so is what it was rejected for.

    Raises BadInput without a name or a reason, Conflict, NotFound.
    """
    fields: dict[str, Any] = {
        "override_by": checks.text(by, "/by", required=True, limit=150),
        "override_reason": checks.text(reason, "/reason", required=True, limit=MAX_OVERRIDE_REASON).strip(),
        "overridden_at": now,
    }
    _move(persona_id, PersonaStatus.APPROVED_OVERRIDE, **fields)


def release(*, persona_id: UUID | str, by: str, now: datetime) -> None:
    """A curator lets a validated persona play. One that is released stays so, with who was first.

    Raises BadInput without a name, Conflict where it is not validated, NotFound.
    """
    by = checks.text(by, "/by", required=True, limit=150)
    validated = Persona.objects.filter(pk=persona_id, status=PersonaStatus.VALIDATED)
    if validated.filter(released_at__isnull=True).update(released_by=by, released_at=now):
        return
    if not validated.exists():
        raise Conflict(f"{_named(persona_id)}: only a validated one can be released")


def resubmit(*, persona_id: UUID | str, text: str | None = None, language: str | None = None, spec: Any = None) -> None:
    """Edit a persona and have it validated again: scores, override and release belonged to the old words. Safe to
    repeat. What is None stays. Raises BadInput naming the field, Conflict where it is archived, NotFound."""
    fields = {**FRESH, **_content(text=text, language=language, spec=spec)}
    _move(persona_id, PersonaStatus.PENDING_VALIDATION, also_from_itself=True, **fields)


def archive(*, persona_id: UUID | str) -> None:
    """Take a persona out of use for good. Raises Conflict when it is archived already, NotFound."""
    _move(persona_id, PersonaStatus.ARCHIVED)


def _content(*, text: str | None, language: str | None, spec: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if text is not None:
        fields["text"] = checks.text(text, "/text", required=True)
    if language is not None:
        fields["language"] = checks.language(language, "/language")
    if spec is not None:
        fields["spec"] = read_persona_spec(spec, "/spec").as_json()
    return fields


def _move(persona_id: UUID | str, to: PersonaStatus, *, also_from_itself: bool = False, **fields: Any) -> None:
    sources = [old for old, news in PERSONA_MOVES.items() if to in news or (also_from_itself and old is to)]
    if not Persona.objects.advance(persona_id, expected=sources, to=to, **fields):
        raise Conflict(f"{_named(persona_id)} and cannot become {to.value.replace('_', ' ')}")


def _named(persona_id: UUID | str) -> str:
    row = Persona.objects.filter(pk=persona_id).first()
    if row is None:
        raise NotFound(f"there is no persona with the id {persona_id}")
    return f"persona {row.name!r} is {row.status.replace('_', ' ')}"

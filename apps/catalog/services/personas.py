"""A persona's life: written, validated or rejected, overridden, edited, archived. Every move is compare-and-set."""

from collections.abc import Mapping
from uuid import UUID

from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.persona_rules import PersonaVerdict, judge_persona
from apps.catalog.domain.states import PERSONA_MOVES, PersonaStatus
from apps.catalog.models import Persona
from apps.core.errors import Conflict, NotFound


def record_validation(
    *,
    persona_id: UUID | str,
    scores: Mapping[str, float],
    threshold: float,
    reason: str = "",
    text: str | None = None,
) -> PersonaVerdict:
    """Keep the validator's scores and the verdict they lead to. `text` is the text that was judged: where it has been
    edited meanwhile, nothing is written.

    Raises BadInput for missing or impossible scores, Conflict when the persona no longer waits for a validation.
    """
    verdict = judge_persona(scores, threshold=threshold, reason=reason)
    rows = Persona.objects.filter(pk=persona_id, status=PersonaStatus.PENDING_VALIDATION)
    if text is not None:
        rows = rows.filter(text=text)
    if not rows.update(status=verdict.status, scores=dict(scores), rejection_reason=verdict.reason):
        raise Conflict(f"{_named(persona_id)} no longer waits for this validation")
    return verdict


def approve_override(*, persona_id: UUID | str) -> None:
    """Let a rejected persona play all the same; the reason it was rejected for stays. Raises Conflict, NotFound."""
    _move(persona_id, PersonaStatus.APPROVED_OVERRIDE)


def resubmit(*, persona_id: UUID | str, text: str | None = None, language: str | None = None) -> None:
    """Edit a persona and have it validated again: its scores and reason belonged to the old text. Safe to repeat."""
    fields: dict[str, object] = {"scores": {}, "rejection_reason": ""}
    if text is not None:
        fields["text"] = checks.text(text, "/text", required=True)
    if language is not None:
        fields["language"] = checks.text(language, "/language", limit=20)
    _move(persona_id, PersonaStatus.PENDING_VALIDATION, also_from_itself=True, **fields)


def archive(*, persona_id: UUID | str) -> None:
    """Take a persona out of use for good. Raises Conflict when it is archived already, NotFound."""
    _move(persona_id, PersonaStatus.ARCHIVED)


def _move(persona_id: UUID | str, to: PersonaStatus, *, also_from_itself: bool = False, **fields: object) -> None:
    sources = [old for old, news in PERSONA_MOVES.items() if to in news or (also_from_itself and old is to)]
    if not Persona.objects.advance(persona_id, expected=sources, to=to, **fields):
        raise Conflict(f"{_named(persona_id)} and cannot become {to.value.replace('_', ' ')}")


def _named(persona_id: UUID | str) -> str:
    row = Persona.objects.filter(pk=persona_id).first()
    if row is None:
        raise NotFound(f"there is no persona with the id {persona_id}")
    return f"persona {row.name!r} is {row.status.replace('_', ' ')}"

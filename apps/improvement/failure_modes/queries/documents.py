"""Failure modes, notes and groupings as the API sends them."""

from collections.abc import Sequence
from typing import Any

from apps.calibration.models import ConversationNote
from apps.improvement.failure_modes.domain.rates import FixComparison, ModeMovement, ModeRate
from apps.improvement.failure_modes.models import FailureMode, ModeGrouping
from apps.improvement.failure_modes.queries.modes import ModeFigures, ShownNote, figures_of, mode_detail

COUNTED = "This is a count, no rate: no queue drawn by lot is rated to its end, and no criterion measured it."


def mode_lines(modes: Sequence[FailureMode]) -> list[dict[str, Any]]:
    """A page of the list. Five queries."""
    return [_line(one) for one in figures_of(modes)]


def mode_document(mode: FailureMode) -> dict[str, Any]:
    """One mode with its notes, rates and fix. Some ten queries."""
    found = mode_detail(mode)
    return {
        **_line(found.figures),
        "rates": [_rate(rate) for rate in found.rates],
        "published_in": list(found.published_in),
        "fix": _fix(mode, found.comparison),
        "note_rows": [_shown(note) for note in found.notes],
    }


def note_document(note: ConversationNote) -> dict[str, Any]:
    """Needs its conversation."""
    return {
        "id": str(note.pk),
        "conversation_id": str(note.conversation_id),
        "conversation": note.conversation.external_id,
        "text": note.text,
        "author": note.author,
        "while_rating": note.item_id is not None,
        "created_at": note.created_at.isoformat(),
    }


def grouping_document(row: ModeGrouping) -> dict[str, Any]:
    """One query."""
    return {
        "id": str(row.pk),
        "status": row.status,
        "notes": len(row.notes),
        "model": row.model,
        "waiting_for": row.waiting_for,
        "error_message": row.error_message,
        "requested_by": row.requested_by,
        "proposals": [str(pk) for pk in row.proposals.order_by("created_at").values_list("pk", flat=True)],
        "created_at": row.created_at.isoformat(),
        "ended_at": row.ended_at.isoformat() if row.ended_at else None,
    }


def _line(found: ModeFigures) -> dict[str, Any]:
    mode = found.mode
    return {
        "id": str(mode.pk),
        "status": mode.status,
        "name": mode.name,
        "description": mode.description,
        "notes": found.notes,
        "conversations": found.conversations,
        "first_noted_at": found.since.isoformat() if found.since else None,
        "rate": _rate(found.rate) if found.rate else None,
        "why_no_rate": "" if found.rate else COUNTED,
        "criterion": mode.criterion,
        "into": str(mode.into_id) if mode.into_id else None,
        "fixed_at": mode.fixed_at.isoformat() if mode.fixed_at else None,
        "made_by": mode.made_by,
        "decided_by": mode.decided_by,
        "created_at": mode.created_at.isoformat(),
    }


def _rate(rate: ModeRate) -> dict[str, Any]:
    return {
        "source": rate.source.value,
        "name": rate.name,
        "id": rate.id,
        "filter": rate.filter,
        "at": rate.at.isoformat(),
        "failed": rate.failed,
        "looked_at": rate.looked_at,
        "share": rate.share,
        "interval": list(rate.interval),
    }


def _fix(mode: FailureMode, comparison: FixComparison | None) -> dict[str, Any] | None:
    if comparison is None:
        return None
    return {
        "at": mode.fixed_at.isoformat(),
        "by": mode.fixed_by,
        "cannot_be_compared": comparison.cannot,
        "movements": [_movement(movement) for movement in comparison.movements],
    }


def _movement(one: ModeMovement) -> dict[str, Any]:
    return {
        "source": one.source.value,
        "measure": one.name,
        "before_failed": one.before[0],
        "before_looked_at": one.before[1],
        "after_failed": one.after[0],
        "after_looked_at": one.after[1],
        "difference": one.difference,
        "interval": list(one.interval),
        "change": one.change.value,
    }


def _shown(one: ShownNote) -> dict[str, Any]:
    return {**note_document(one.note), "shows": str(one.shows)}

"""Failure modes, notes and groupings as the API sends them."""

from collections.abc import Sequence
from typing import Annotated

from apps.calibration.models import ConversationNote
from apps.core.documents import Count, Document, Id, Interval, Moment, members, one_of
from apps.core.shapes import described
from apps.improvement.drafts.domain.states import ProposalStatus
from apps.improvement.failure_modes.domain.rates import Change, FixComparison, ModeMovement, ModeRate, RateSource
from apps.improvement.failure_modes.domain.states import ModeStatus, NoteShows
from apps.improvement.failure_modes.models import FailureMode, ModeGrouping
from apps.improvement.failure_modes.queries.modes import ModeFigures, ShownNote, figures_of, mode_detail

COUNTED = "This is a count, no rate: no queue drawn by lot is rated to its end, and no criterion measured it."


class ConversationNoteDocument(Document, component="ConversationNote"):
    id: Id
    conversation_id: Id
    conversation: str
    text: Annotated[str, described("Empty once the words of its conversation are deleted.")]
    author: str
    while_rating: Annotated[bool, described("Written without any score beside it.")]
    created_at: Moment


class FailureModeNote(ConversationNoteDocument, component="FailureModeNote"):
    shows: Annotated[str, one_of(NoteShows)]


class FailureModeRate(Document, component="FailureModeRate"):
    source: Annotated[str, one_of(RateSource)]
    name: str
    id: Annotated[Id, described("The queue's, or the evaluation's.")]
    filter: Annotated[str, described("The address of what a queue was drawn from.")]
    at: Annotated[Moment, described("When the last of its conversations happened.")]
    failed: Count
    looked_at: Count
    share: float
    interval: Annotated[Interval, described("95 %, by Wilson.")]


class FailureModeMovement(Document, component="FailureModeMovement"):
    source: Annotated[str, one_of(RateSource)]
    measure: str
    before_failed: Count
    before_looked_at: Count
    after_failed: Count
    after_looked_at: Count
    difference: float
    interval: Annotated[Interval, described("95 % of the difference, by Newcombe.")]
    change: Annotated[str, one_of(Change)]


class FailureModeFix(Document, component="FailureModeFix"):
    at: Moment
    by: str
    cannot_be_compared: Annotated[str, described("Why there is no movement; empty where there is one.")]
    movements: Sequence[FailureModeMovement]


class FailureModeLine(Document, component="FailureModeLine"):
    id: Id
    status: Annotated[str, one_of(ModeStatus)]
    name: str
    description: str
    notes: Count
    conversations: Count
    first_noted_at: Moment | None
    rate: FailureModeRate | None
    why_no_rate: str
    criterion: str
    into: Annotated[Id | None, described("The mode it was merged into, or belongs to.")]
    fixed_at: Moment | None
    made_by: str
    decided_by: str
    created_at: Moment


class FailureModeDocument(FailureModeLine, component="FailureMode"):
    rates: Sequence[FailureModeRate]
    published_in: Annotated[Sequence[str], described("Published config versions that judge by its criterion.")]
    fix: FailureModeFix | None
    note_rows: Annotated[Sequence[FailureModeNote], described("The newest 200.")]


class NoteGrouping(Document, component="NoteGrouping"):
    id: Id
    status: Annotated[str, one_of(ProposalStatus)]
    notes: Count
    model: str
    waiting_for: str
    error_message: str
    requested_by: str
    proposals: Sequence[Id]
    created_at: Moment
    ended_at: Moment | None


def mode_lines(modes: Sequence[FailureMode]) -> list[FailureModeLine]:
    """A page of the list. Five queries."""
    return [_line(figure) for figure in figures_of(modes)]


def mode_document(mode: FailureMode) -> FailureModeDocument:
    """One mode with its notes, rates and fix. Some ten queries."""
    detail = mode_detail(mode)
    return FailureModeDocument(
        **members(_line(detail.figures)),
        rates=[_rate(rate) for rate in detail.rates],
        published_in=list(detail.published_in),
        fix=_fix(mode, detail.comparison),
        note_rows=[_shown(note) for note in detail.notes],
    )


def note_document(note: ConversationNote) -> ConversationNoteDocument:
    """Return the note as JSON; its conversation must be loaded."""
    return ConversationNoteDocument(
        id=str(note.pk),
        conversation_id=str(note.conversation_id),
        conversation=note.conversation.external_id,
        text=note.text,
        author=note.author,
        while_rating=note.item_id is not None,
        created_at=note.created_at.isoformat(),
    )


def grouping_document(row: ModeGrouping) -> NoteGrouping:
    """Build the document of a grouping. One query."""
    return NoteGrouping(
        id=str(row.pk),
        status=row.status,
        notes=len(row.notes),
        model=row.model,
        waiting_for=row.waiting_for,
        error_message=row.error_message,
        requested_by=row.requested_by,
        proposals=[str(pk) for pk in row.proposals.order_by("created_at").values_list("pk", flat=True)],
        created_at=row.created_at.isoformat(),
        ended_at=row.ended_at.isoformat() if row.ended_at else None,
    )


def _line(figures: ModeFigures) -> FailureModeLine:
    mode = figures.mode
    return FailureModeLine(
        id=str(mode.pk),
        status=mode.status,
        name=mode.name,
        description=mode.description,
        notes=figures.notes,
        conversations=figures.conversations,
        first_noted_at=figures.since.isoformat() if figures.since else None,
        rate=_rate(figures.rate) if figures.rate else None,
        why_no_rate="" if figures.rate else COUNTED,
        criterion=mode.criterion,
        into=str(mode.into_id) if mode.into_id else None,
        fixed_at=mode.fixed_at.isoformat() if mode.fixed_at else None,
        made_by=mode.made_by,
        decided_by=mode.decided_by,
        created_at=mode.created_at.isoformat(),
    )


def _rate(rate: ModeRate) -> FailureModeRate:
    return FailureModeRate(
        source=rate.source.value,
        name=rate.name,
        id=rate.id,
        filter=rate.filter,
        at=rate.at.isoformat(),
        failed=rate.failed,
        looked_at=rate.looked_at,
        share=rate.share,
        interval=list(rate.interval),
    )


def _fix(mode: FailureMode, comparison: FixComparison | None) -> FailureModeFix | None:
    if comparison is None:
        return None
    return FailureModeFix(
        at=mode.fixed_at.isoformat(),
        by=mode.fixed_by,
        cannot_be_compared=comparison.cannot,
        movements=[_movement(movement) for movement in comparison.movements],
    )


def _movement(movement: ModeMovement) -> FailureModeMovement:
    return FailureModeMovement(
        source=movement.source.value,
        measure=movement.name,
        before_failed=movement.before[0],
        before_looked_at=movement.before[1],
        after_failed=movement.after[0],
        after_looked_at=movement.after[1],
        difference=movement.difference,
        interval=list(movement.interval),
        change=movement.change.value,
    )


def _shown(note: ShownNote) -> FailureModeNote:
    return FailureModeNote(**members(note_document(note.note)), shows=str(note.shows))

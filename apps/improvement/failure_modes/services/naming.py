"""A person's work on failure modes: name one, put notes into it, merge it, reject it, say that it is fixed."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction

from apps.core.errors import BadInput, Conflict, NotFound
from apps.improvement.failure_modes.domain.states import ModeStatus, NoteShows
from apps.improvement.failure_modes.models import FailureMode, ModeNote
from apps.improvement.failure_modes.queries.modes import find_mode, shown_notes

MAX_NAME, MAX_DESCRIPTION = 100, 2_000


def name_mode(*, name: str, description: str, notes: Sequence[uuid.UUID], by: str) -> FailureMode:
    """A mode that a person names, with these notes. Some six queries.

    Raises BadInput (`/name`, `/description`, `unknown_note`), Conflict `name_taken`.
    """
    name, description = _checked(name, description)
    with transaction.atomic():
        row = _named(FailureMode(name=name, description=description, made_by=by[:150], decided_by=by[:150]))
        put_notes(mode_id=row.pk, notes=notes, by=by)
    return row


def accept_proposal(
    *, mode_id: uuid.UUID, name: str, description: str, notes: Sequence[uuid.UUID] | None, by: str
) -> FailureMode:
    """A proposal of a model, or one that was rejected, becomes a mode: under this name, with these of its notes (None:
    all). Raises NotFound, BadInput as above, Conflict `name_taken`, `wrong_state`."""
    name, description = _checked(name, description)
    with transaction.atomic():
        row = _locked(mode_id)
        if row.status not in (ModeStatus.PROPOSED, ModeStatus.REJECTED):
            raise Conflict(f"{row} is {row.status}: only a proposal can be accepted.", code="wrong_state")
        row.name, row.description, row.status, row.into, row.decided_by = name, description, "named", None, by[:150]
        _named(row)
        if notes is not None:
            ModeNote.objects.filter(mode=row).exclude(note__in=list(notes)).delete()
            put_notes(mode_id=row.pk, notes=notes, by=by)
    return row


def reword_mode(*, mode_id: uuid.UUID, name: str, description: str) -> FailureMode:
    """Rename and describe a failure mode. Raises NotFound, BadInput, Conflict `name_taken`, `wrong_state`."""
    name, description = _checked(name, description)
    with transaction.atomic():
        row = named_row(mode_id)
        row.name, row.description = name, description
        return _named(row)


def reject_mode(*, mode_id: uuid.UUID, by: str) -> FailureMode:
    """Reject a proposed mode: its notes wait again.

    Raises NotFound; Conflict `wrong_state` for one that was merged. Safe to repeat.
    """
    with transaction.atomic():
        row = _locked(mode_id)
        if row.status == ModeStatus.MERGED:
            raise Conflict(f"{row} was merged into {row.into}.", code="wrong_state")
        row.status, row.decided_by = ModeStatus.REJECTED, by[:150]
        row.save(update_fields=["status", "decided_by"])
    return row


def merge_mode(*, mode_id: uuid.UUID, into: uuid.UUID, notes: Sequence[uuid.UUID] | None, by: str) -> FailureMode:
    """Merge a mode into another one; return the other one.

    Its notes go there (None: all, those it has been told apart by `shows` as well). Raises NotFound, BadInput; Conflict
    `wrong_state`, `same_mode`, and `has_criterion` where both have one: rates of two criteria are no rate.
    """
    if mode_id == into:
        raise Conflict("A mode cannot be merged into itself.", code="same_mode")
    with transaction.atomic():
        first, second = sorted((mode_id, into))  # two people who merge both ways wait for each other, never for ever
        _locked(first), _locked(second)
        row, target = find_mode(mode_id), named_row(into)
        if row.status == ModeStatus.MERGED:
            raise Conflict(f"{row} was merged into {row.into} before.", code="wrong_state")
        if row.criterion and target.criterion and row.criterion != target.criterion:
            raise Conflict(
                f"{row} is measured by {row.criterion}, {target} by {target.criterion}: take one of them off first.",
                code="has_criterion",
            )
        moving = ModeNote.objects.filter(mode=row)
        if notes is not None:
            moving = moving.filter(note__in=list(notes))
        ModeNote.objects.bulk_create(
            [ModeNote(mode=target, note_id=note.note_id, shows=note.shows, added_by=by[:150]) for note in moving],
            ignore_conflicts=True,
        )
        FailureMode.objects.filter(pk=row.pk).update(status=ModeStatus.MERGED, into=target, decided_by=by[:150])
        if row.criterion and not target.criterion:
            FailureMode.objects.filter(pk=target.pk).update(criterion=row.criterion)
    return find_mode(into)


def put_notes(*, mode_id: uuid.UUID, notes: Sequence[uuid.UUID], by: str, shows: NoteShows = NoteShows.FAILURE) -> None:
    """Put notes into a mode, or say of those in it what they show. Safe to repeat. Raises NotFound; BadInput
    `unknown_note` for one that is not there, or that nobody may read yet."""
    wanted = list(dict.fromkeys(notes))
    known = set(shown_notes().filter(pk__in=wanted).values_list("pk", flat=True))
    for place, one in enumerate(wanted):
        if one not in known:
            raise BadInput(f"There is no note {one}.", code="unknown_note", pointer=f"/notes/{place}")
    find_mode(mode_id)
    rows = [ModeNote(mode_id=mode_id, note_id=one, shows=shows, added_by=by[:150]) for one in wanted]
    ModeNote.objects.bulk_create(rows, update_conflicts=True, unique_fields=["mode", "note"], update_fields=["shows"])


def take_notes_out(*, mode_id: uuid.UUID, notes: Sequence[uuid.UUID]) -> None:
    """The notes themselves stay. Safe to repeat. Raises NotFound."""
    find_mode(mode_id)
    ModeNote.objects.filter(mode=mode_id, note__in=list(notes)).delete()


def move_notes(*, mode_id: uuid.UUID, into: uuid.UUID, notes: Sequence[uuid.UUID], by: str) -> None:
    """Move notes from one mode to another. Raises NotFound, BadInput `unknown_note`, Conflict `wrong_state`."""
    with transaction.atomic():
        named_row(into)
        put_notes(mode_id=into, notes=notes, by=by)
        take_notes_out(mode_id=mode_id, notes=notes)


def tell_fix(*, mode_id: uuid.UUID, at: datetime | None, by: str, now: datetime) -> None:
    """Record the time of a mode's fix: later conversations should not show the mode. None: it was not fixed after all.
    Raises NotFound, BadInput for a time to come (`/at`), Conflict `wrong_state`."""
    if at is not None and at > now:
        raise BadInput("A fix is told once it is there, not before.", code="out_of_range", pointer="/at")
    with transaction.atomic():
        row = named_row(mode_id)
        row.fixed_at, row.fixed_by = at, by[:150] if at else ""
        row.save(update_fields=["fixed_at", "fixed_by"])


def named_row(mode_id: uuid.UUID) -> FailureMode:
    """Return a named mode, locked until the transaction ends. Raises NotFound, Conflict `wrong_state`."""
    row = _locked(mode_id)
    if row.status != ModeStatus.NAMED:
        raise Conflict(f"{row} is {row.status}: name it first.", code="wrong_state")
    return row


def _locked(mode_id: uuid.UUID) -> FailureMode:
    row = FailureMode.objects.select_for_update().filter(pk=mode_id).first()
    if row is None:
        raise NotFound(f"There is no failure mode {mode_id}.")
    return row


def _named(row: FailureMode) -> FailureMode:
    """Saved, if nobody has that name."""
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise Conflict(
            f"There is a failure mode {row.name!r} already: put the notes there, or choose another name.",
            code="name_taken",
        ) from error
    return row


def _checked(name: str, description: str) -> tuple[str, str]:
    name, description = (" ".join(name.replace("\x00", "").split()), description.replace("\x00", "").strip())
    if not 1 <= len(name) <= MAX_NAME:
        raise BadInput(f"A mode's name is 1 to {MAX_NAME} characters.", code="required", pointer="/name")
    if len(description) > MAX_DESCRIPTION:
        raise BadInput(f"Longer than {MAX_DESCRIPTION} characters.", code="too_long", pointer="/description")
    return name, description

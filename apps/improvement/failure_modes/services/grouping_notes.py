"""A model proposes which notes tell of the same failure: one question, one row of paid work."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor
from apps.budgets.services.paid_question import PaidQuestion, PaidReply, twice
from apps.budgets.services.paid_rows import PaidRows
from apps.budgets.services.paid_work import do_paid_work
from apps.core.errors import Conflict
from apps.core.events import EventType, log_event
from apps.core.json_hygiene import storable
from apps.core.question_secrets import fresh_nonce
from apps.improvement.failure_modes.domain.note_groups import NoteGroup, group_request, read_groups
from apps.improvement.failure_modes.domain.states import ModeStatus
from apps.improvement.failure_modes.models import FailureMode, ModeGrouping, ModeNote
from apps.improvement.failure_modes.queries.modes import open_notes, shown_notes
from apps.improvement.failure_modes.services.word_deletion import delete_proposals
from apps.jobs.services.leases import LeasedTable
from apps.runs.services.model_roles import models_of


def group_due(*, now: Callable[[], datetime], until: datetime) -> bool:
    """Ask what is due, until `until`; return whether more is due. Safe to repeat and to race."""
    return do_paid_work(GroupingRows(), now=now, until=until).more


class GroupingRows(PaidRows[ModeGrouping]):
    """Notes that wait to be put together."""

    table = LeasedTable(table="improvement_modegrouping", lease=timedelta(minutes=5), counter="attempts")
    doing = "putting notes together"
    waits_for = "the model that groups"

    def load(self, ids: Sequence[uuid.UUID]) -> Sequence[ModeGrouping]:
        return list(ModeGrouping.objects.filter(pk__in=ids).order_by("created_at", "id"))

    def question(self, row: ModeGrouping) -> PaidQuestion[tuple[NoteGroup, ...]]:
        """Build the question.

        Notes that went out of sight since the request (words that were deleted, a rating that began) are shown empty,
        in their places: numbers stay those of the row.
        """
        nonce = fresh_nonce()
        texts = dict(shown_notes().filter(pk__in=row.notes).values_list("pk", "text"))
        names = {mode.pk: f"{mode.name}: {mode.description}" for mode in FailureMode.objects.filter(pk__in=row.modes)}
        if sum(map(bool, texts.values())) < 2:
            raise Conflict("The words of these notes are gone.", code="too_few_notes")
        shown = [texts.get(uuid.UUID(id), "") for id in row.notes]
        request = group_request(
            shown, [names.get(uuid.UUID(id), "") for id in row.modes], nonce=nonce, timeout_s=settings.MODEL_TIMEOUT_S
        )
        return PaidQuestion(
            requests=twice(request),
            read=partial(read_groups, notes=len(shown), modes=len(row.modes), nonce=nonce),
            models=models_of(row.grouper),
            call_for=CallFor(purpose=Purpose.MODE_GROUPING),
        )

    def keep(self, row: ModeGrouping, answer: Sequence[NoteGroup], reply: PaidReply[Any]) -> Mapping[str, Any]:
        _propose(row, answer, by=f"model {reply.model}"[:150])
        return {"model": reply.model[:120]}

    def ended(self, row: ModeGrouping, error: str) -> None:
        log_event(EventType.NOTES_GROUPED, grouping=str(row.pk), failed=bool(error))


def _propose(row: ModeGrouping, groups: Sequence[NoteGroup], *, by: str) -> None:
    """New proposals in place of earlier ones that nobody looked at. What a person named meanwhile stays; a mode that is
    none any more is no target. Six queries."""
    delete_proposals(FailureMode.objects.filter(status=ModeStatus.PROPOSED))
    ids = [uuid.UUID(id) for id in row.modes]
    modes = FailureMode.objects.filter(status=ModeStatus.NAMED).in_bulk(ids)
    free = set(open_notes().filter(pk__in=row.notes).values_list("pk", flat=True))
    links = []
    for group in groups:
        target = modes.get(ids[group.mode]) if group.mode is not None else None
        notes = [id for place in group.places if (id := uuid.UUID(row.notes[place])) in free]
        name = target.name if target else storable(group.name)
        if not notes or not name or (target is None and len(notes) < 2):
            continue
        proposal = FailureMode.objects.create(
            status=ModeStatus.PROPOSED,
            name=name,
            description=storable(group.description),
            grouping=row,
            into=target,
            made_by=by,
        )
        links += [ModeNote(mode=proposal, note_id=note, added_by=by) for note in notes]
    ModeNote.objects.bulk_create(links)

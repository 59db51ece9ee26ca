"""Work that a person asks for by a button: a row owes it, a worker does it step by step, the page shows how far it
is."""

import uuid
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.utils.module_loading import import_string

from apps.core.errors import Conflict
from apps.core.events import EventType, log_event
from apps.core.models import new_id
from apps.jobs.adapters import interactive_handlers
from apps.jobs.domain.interactive_states import InteractiveHandler, InteractiveRequest, InteractiveStatus
from apps.jobs.domain.losses import loss_sentence, lost_too_often
from apps.jobs.models import InteractiveJob
from apps.jobs.row_errors import row_error
from apps.jobs.services.leases import LeasedTable

LEASE = timedelta(minutes=5)  # a step takes a minute at most, a judge check's twenty questions two
JOBS = LeasedTable(table="jobs_interactivejob", lease=LEASE, order="w.requested_at, w.id")


def request_interactive_job(
    *,
    kind: str,
    subject_id: uuid.UUID,
    requested_by: str,
    now: datetime,
    arguments: Mapping[str, Any] | None = None,
) -> uuid.UUID:
    """Request this work, in place of the button's earlier result. At most three queries.

    Raises Conflict (`in_progress`) while it is still being done: what is paid for is not paid for twice.
    """
    fields: dict[str, Any] = {
        "arguments": dict(arguments or {}),
        "status": InteractiveStatus.PENDING,
        "answer": {},
        "error_message": "",
        "attempts": 0,
        "requested_by": requested_by[:150],
        "requested_at": now,
        "ended_at": None,
        "lease_token": None,
        "lease_expires_at": None,
    }
    row, made = InteractiveJob.objects.get_or_create(kind=kind, subject_id=subject_id, defaults=fields)
    ended = (InteractiveStatus.COMPLETED, InteractiveStatus.FAILED)
    if not made and not InteractiveJob.objects.filter(pk=row.pk, status__in=ended).update(**fields):
        raise Conflict("It is being done already: the answer appears here.", code="in_progress")
    return uuid.UUID(str(row.pk))


def run_due(*, now: Callable[[], datetime], until: datetime) -> bool:
    """Do due jobs, one step at a time, until none is left or `until`; return whether some are left.

    No transaction is open during a step. If a worker dies, its lease ends and the step is done again; a job that loses
    its worker three times in one step has failed.
    """
    while True:
        token = new_id()
        claimed = JOBS.claim(token=token, limit=1, now=now())
        if not claimed:
            return False
        _do_step(InteractiveJob.objects.get(pk=claimed[0][0]), token, now)
        if now() >= until:
            return JOBS.is_due(now=now())


def _do_step(row: InteractiveJob, token: uuid.UUID, now: Callable[[], datetime]) -> None:
    if lost_too_often(row.attempts):
        _end(row, token, now(), error=loss_sentence("doing it"))
        return
    leased = InteractiveJob.objects.filter(pk=row.pk, lease_token=token)
    leased.update(attempts=row.attempts + 1)
    request = InteractiveRequest(subject_id=row.subject_id, arguments=row.arguments, answer=row.answer, now=now)
    try:
        handler: InteractiveHandler = import_string(interactive_handlers[row.kind])
        step = handler(request)
    except Exception as error:  # of this one alone
        _end(row, token, now(), error=row_error(error).message)
        return
    if step.more:
        leased.update(answer=dict(step.answer), attempts=0, lease_token=None, lease_expires_at=None)
    else:
        _end(row, token, now(), answer=step.answer)


def _end(
    row: InteractiveJob, token: uuid.UUID, now: datetime, *, answer: Mapping[str, Any] | None = None, error: str = ""
) -> None:
    fields: dict[str, Any] = {} if answer is None else {"answer": dict(answer)}
    status = InteractiveStatus.FAILED if error else InteractiveStatus.COMPLETED
    InteractiveJob.objects.filter(pk=row.pk, lease_token=token).update(
        status=status, error_message=error, ended_at=now, lease_token=None, lease_expires_at=None, **fields
    )
    log_event(EventType.INTERACTIVE_JOB_ENDED, kind=row.kind, subject=str(row.subject_id), status=status.value)

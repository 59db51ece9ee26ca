"""Steering runs: finish, pause, resume, cancel, time out, reconcile. Every move is compare-and-set."""

import uuid
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, F, OuterRef, Q

from apps.budgets.domain.sentences import SPENT_CODE
from apps.core.errors import Conflict, NotFound
from apps.core.events import EventType, log_event
from apps.runs.conversations.models import Conversation, TestRun
from apps.runs.domain.kind_traits import WITH_AN_END
from apps.runs.domain.states import (
    CONVERSATION_TERMINAL,
    RUN_ACTIVE,
    RUN_TERMINAL,
    Blame,
    ConversationStatus,
    EndReason,
    RunStatus,
    SimulatorVerdict,
)
from apps.runs.playing.services.reservations import OWED_LATER, release
from apps.runs.services.masking_at_rest import masks_at_rest
from apps.runs.signals import announce_end

MEASURED = Q(status=ConversationStatus.ENDED) | Q(blame=Blame.AGENT_QUALITY)
# Not over for its run: still to be played, or its simulated customer still to be reviewed.
OPEN = ~Q(status__in=CONVERSATION_TERMINAL) | Q(simulator_verdict=SimulatorVerdict.PENDING)
WATCHDOG_MESSAGE = "Watchdog timeout after {minutes}min"  # brief 003, scenario 3


def finish_runs(*, now: datetime) -> list[uuid.UUID]:
    """End every run whose conversations have all ended; returns those that ended here. Safe to repeat and to race.

    A run in which every conversation failed, and none by the agent, is `failed`; otherwise it is `completed`, whatever
    some of them did: an agent that fails has been tested.
    """
    unfinished = Conversation.objects.filter(OPEN, run=OuterRef("pk"))
    ended = Conversation.objects.filter(run=OuterRef("pk")).filter(MEASURED)
    done = (
        TestRun.objects.filter(status__in=RUN_ACTIVE)
        .filter(~Exists(unfinished))
        .annotate(any_ended=Exists(ended))
        .values_list("id", "any_ended")
    )
    finished = []
    for run_id, any_ended in list(done):
        to = RunStatus.COMPLETED if any_ended else RunStatus.FAILED
        message = "" if any_ended else "Every conversation failed; each says why."
        if TestRun.objects.advance(run_id, expected=RUN_ACTIVE, to=to, ended_at=now, error_message=message):
            finished.append(run_id)
            log_event(EventType.RUN_ENDED, run=str(run_id), status=to.value)
    if finished:
        announce_end()
    return finished


def time_out_runs(*, now: datetime, minutes: int) -> list[uuid.UUID]:
    """The watchdog: active runs without any progress for `minutes` become `timeout` (brief 003: 30, every 10).

    Progress is a turn or an end: a model or agent that only ever limits us makes none, whatever it said how long to
    wait. Their open conversations time out with them, blamed on the platform. Reconcile owes them again. Runs that
    conversations come to one by one are never stuck. Safe to repeat.
    """
    since = now - timedelta(minutes=minutes)
    unpaid = Conversation.objects.filter(OWED_LATER, run=OuterRef("pk"), not_before__gt=since, error_code=SPENT_CODE)
    still = TestRun.objects.filter(~Exists(unpaid), status__in=RUN_ACTIVE, kind__in=WITH_AN_END, progress_at__lt=since)
    timed_out = []
    for run_id in list(still.values_list("id", flat=True)):
        if TestRun.objects.advance(
            run_id,
            expected=RUN_ACTIVE,
            to=RunStatus.TIMEOUT,
            ended_at=now,
            error_message=WATCHDOG_MESSAGE.format(minutes=minutes),
        ):
            _close(run_id, ConversationStatus.TIMEOUT, WATCHDOG_MESSAGE.format(minutes=minutes), now)
            timed_out.append(run_id)
            log_event(EventType.RUN_TIMEOUT, run=str(run_id))
    return timed_out


def pause_run(*, run_id: uuid.UUID) -> None:
    """Start no more conversations of this run; those being played end. Conflict when it is not active."""
    _move(run_id, expected=RUN_ACTIVE, to=RunStatus.PAUSED, verb="paused")
    log_event(EventType.RUN_PAUSED, run=str(run_id))


def resume_run(*, run_id: uuid.UUID, now: datetime) -> None:
    """Go on with a paused run; what waited for money is tried again. Conflict when it is not paused."""
    _move(run_id, expected={RunStatus.PAUSED}, to=RunStatus.RUNNING, verb="resumed", progress_at=now, error_message="")
    release([run_id])
    log_event(EventType.RUN_RESUMED, run=str(run_id))


def cancel_run(*, run_id: uuid.UUID, now: datetime) -> None:
    """Stop a run for good: what has not ended is cancelled. Conflict when it has already ended."""
    active = set(RunStatus) - RUN_TERMINAL
    _move(run_id, expected=active, to=RunStatus.CANCELLED, verb="cancelled", ended_at=now)
    _close(run_id, ConversationStatus.CANCELLED, "The run was cancelled.", now)
    log_event(EventType.RUN_CANCELLED, run=str(run_id))


def reconcile_run(*, run_id: uuid.UUID, now: datetime) -> int:
    """Recompute a run from its rows and owe again what is stuck; returns how many conversations are owed again.

    Leases nobody extends are dropped; what waits for a model or an agent is tried again now; what the watchdog or a
    lost worker left behind is pending again; a cancellation that was cut short is finished. Safe to repeat.
    """
    run_status = TestRun.objects.filter(pk=run_id).values_list("status", flat=True).first()
    if run_status is None:
        raise NotFound(f"There is no test run {run_id}.")
    if run_status == RunStatus.CANCELLED:
        _close(run_id, ConversationStatus.CANCELLED, "The run was cancelled.", now)
    stuck = Conversation.objects.filter(
        run_id=run_id, status=ConversationStatus.RUNNING, lease_expires_at__lt=now
    ).update(lease_expires_at=now - timedelta(seconds=1))
    requeued = Conversation.objects.filter(
        run_id=run_id, status=ConversationStatus.TIMEOUT, blame=Blame.PLATFORM
    ).update(
        status=ConversationStatus.RUNNING, blame=None, ended_at=None, end_reason="", error_code="", error_message="",
        lease_expires_at=now - timedelta(seconds=1), losses=0,
    )  # fmt: skip
    if run_status == RunStatus.TIMEOUT:  # its end was committed alone: some may not have been closed with it
        requeued += Conversation.objects.filter(run_id=run_id, status=ConversationStatus.PENDING).count()
    stuck += end_waits(run_id) + owe_verdicts_again(run_id)
    if requeued or stuck:
        TestRun.objects.advance(
            run_id,
            expected={RunStatus.TIMEOUT, RunStatus.FAILED},
            to=RunStatus.RUNNING,
            ended_at=None,
            error_message="",
            progress_at=now,
        )
    finish_runs(now=now)
    log_event(EventType.RUN_RECONCILED, run=str(run_id), owed=requeued + stuck)
    return requeued + stuck


def end_waits(run_id: uuid.UUID) -> int:
    """Let waits for a model or an agent end now; return how many. Those for money go on."""
    waiting = Conversation.objects.filter(OWED_LATER, run_id=run_id, not_before__isnull=False)
    return waiting.exclude(error_code=SPENT_CODE).update(not_before=None, waiting_for="")


def owe_verdicts_again(run_id: uuid.UUID) -> int:
    """Request the verdicts on simulated customers that the run's end cut off; return how many. One query."""
    cut_off = Conversation.objects.filter(
        run_id=run_id,
        run__status=RunStatus.TIMEOUT,
        simulator_verdict=SimulatorVerdict.UNMEASURED,
        run__plan__simulator_review__mode__in=["rules", "on"],
    ).exclude(simulator_reviews__attempt=F("attempt"))
    return Conversation.objects.filter(pk__in=list(cut_off.values_list("pk", flat=True))).update(
        simulator_verdict=SimulatorVerdict.PENDING, review_tries=0
    )


def _close(run_id: uuid.UUID, to: ConversationStatus, message: str, now: datetime) -> None:
    over = to == ConversationStatus.CANCELLED  # the others may be taken up again, in the session that they had
    words: dict[str, Any] = {"session": {}} if over and masks_at_rest() else {}
    Conversation.objects.filter(run_id=run_id).exclude(status__in=CONVERSATION_TERMINAL).update(
        status=to,
        blame=Blame.PLATFORM if to == ConversationStatus.TIMEOUT else None,
        end_reason=EndReason(to.value),
        error_code=to.value,
        error_message=message,
        ended_at=now,
        lease_token=None,
        lease_expires_at=None,
        **words,
    )
    Conversation.objects.filter(run_id=run_id, simulator_verdict=SimulatorVerdict.PENDING).update(
        simulator_verdict=SimulatorVerdict.UNMEASURED,
        error_code="",
        error_message="",
        lease_token=None,
        lease_expires_at=None,
    )
    announce_end()


def _move(run_id: uuid.UUID, *, expected: Collection[RunStatus], to: RunStatus, verb: str, **fields: object) -> None:
    if TestRun.objects.advance(run_id, expected=expected, to=to, **fields):
        return
    status = TestRun.objects.filter(pk=run_id).values_list("status", flat=True).first()
    if status is None:
        raise NotFound(f"There is no test run {run_id}.")
    raise Conflict(f"A run that is {status} cannot be {verb}.", code="wrong_state", status_now=status)

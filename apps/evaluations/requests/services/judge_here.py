"""A process that judges for itself: a command's own worker, under the same leases and slots as any other.

It takes the slots of the tenant that are free, so that it needs no worker and stays within the tenant's allowance
beside running ones. What it leaves when it is stopped is given back, and owed to whoever comes next.
"""

import time
import uuid
from collections.abc import Callable, Collection, Hashable, Sequence
from datetime import datetime, timedelta
from typing import Any

from apps.budgets.services.ledger import settle_lost
from apps.catalog.connections.services.outbound_policies import model_policy
from apps.connectors.outbound import outbound_client
from apps.connectors.parallel import Delivery
from apps.core.question_secrets import fresh_nonce
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.judging.services.completion import finish_evaluations
from apps.evaluations.judging.services.judging import JudgingWork
from apps.evaluations.models import Judgement
from apps.evaluations.progress.services.wait import Progress, WaitTimeout, progress_of
from apps.jobs.interrupts import Interrupt, deferred_interrupt
from apps.jobs.worker_loop import LoopLimits, free_slot, run_worker_loop, take_slot

SHOW_EVERY_S = 0.5
LOOK_AGAIN_S = 0.5  # where other workers have all slots, or what is left is not due yet
LINGER_FOR = timedelta(seconds=2)  # for a retry; what is due later is looked for again, from outside the loop
MAX_S = 240.0


def judge_here(
    *,
    evaluation_id: uuid.UUID,
    slots: int,
    concurrency: int,
    now: Callable[[], datetime],
    on_progress: Callable[[Progress], None],
    timeout_s: float,
) -> Progress:
    """Judge in this process until the evaluation has ended, or nothing goes on because a budget is spent (`stopped`).

    Older judgements of the tenant are judged first, as by any worker. `concurrency` is the tenant's whole allowance.
    Raises WaitTimeout after `timeout_s`; what is owed stays owed. An interrupt gives the leases back. Rooms that
    listen for the end of evaluations pull it with their next tick: nobody is woken, so no broker is needed.
    """
    with deferred_interrupt() as interrupt:
        return _judge_until(
            evaluation_id=evaluation_id,
            slots=slots,
            concurrency=concurrency,
            now=now,
            on_progress=on_progress,
            interrupt=interrupt,
            timeout_s=timeout_s,
        )


def _judge_until(
    *,
    evaluation_id: uuid.UUID,
    slots: int,
    concurrency: int,
    now: Callable[[], datetime],
    on_progress: Callable[[Progress], None],
    interrupt: Interrupt,
    timeout_s: float,
) -> Progress:
    until = time.monotonic() + timeout_s
    settle_lost(now=now())

    def show() -> Progress:
        progress = progress_of(run_ids=[], evaluation_ids=[evaluation_id])
        on_progress(progress)
        return progress

    while True:
        settled = _judge(
            evaluation_id,
            slots=slots,
            concurrency=concurrency,
            now=now,
            show=show,
            left_s=until - time.monotonic(),
            interrupt=interrupt,
        )
        interrupt.check()
        finish_evaluations(now=now())
        progress = show()
        if progress.ended or progress.stopped:
            return progress
        if time.monotonic() >= until:
            raise WaitTimeout(f"Not ended after {timeout_s:g} s: {progress.done} of {progress.total} done.")
        if not settled:
            time.sleep(LOOK_AGAIN_S)


def _judge(
    evaluation_id: uuid.UUID,
    *,
    slots: int,
    concurrency: int,
    now: Callable[[], datetime],
    show: Callable[[], Progress],
    left_s: float,
    interrupt: Interrupt,
) -> int:
    """Judge in all slots that are free, as one; return how many were judged."""
    taken = [slot for slot in range(slots) if take_slot("judging", slot)]
    if not taken or left_s <= 0:
        return 0
    policy = model_policy()
    pending = Judgement.objects.filter(evaluation_id=evaluation_id, status=JudgementStatus.PENDING)
    try:
        return run_worker_loop(
            work=_ShownWork(now=now, show=show),
            limits=LoopLimits(
                concurrency=max(1, concurrency * len(taken) // slots),
                work_for_s=min(left_s, MAX_S),
                look_every_s=SHOW_EVERY_S,
                linger_for=LINGER_FOR,
            ),
            client=lambda: outbound_client(policy),
            now=now,
            check_interrupt=interrupt.check,
            may_end=lambda: not pending.exists(),  # what else the tenant owes is other workers' again
        ).settled
    finally:
        for slot in taken:
            free_slot("judging", slot)


class _ShownWork(JudgingWork):
    """Judging that shows its progress."""

    def __init__(self, *, now: Callable[[], datetime], show: Callable[[], Any]) -> None:
        super().__init__(now=now, make_nonce=fresh_nonce)
        self._show = show
        self._show_at = time.monotonic() + SHOW_EVERY_S

    def store(self, deliveries: Sequence[Delivery]) -> Collection[Hashable]:
        finished = super().store(deliveries)
        if time.monotonic() >= self._show_at:
            self._show()
            self._show_at = time.monotonic() + SHOW_EVERY_S
        return finished

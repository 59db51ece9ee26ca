"""The one way in which rows are paid for: claim, reserve, put back, open, ask, settle, store, release.

A room says what its kind is (`paid_rows.PaidRows`). Rows owe the work: whatever dies, the lease expires, the row is
claimed again, and what was asked stands in the ledger.
"""

import uuid
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from django.db import transaction

from apps.budgets.domain.estimate import History
from apps.budgets.services.claim_paid import ClaimPaid, WorkInHand
from apps.budgets.services.ledger import LedgerCall, record_calls
from apps.budgets.services.metered_model import opener
from apps.budgets.services.metered_run import model_client, retry_policy
from apps.budgets.services.paid_question import Asking, PaidReply, Payable
from apps.budgets.services.paid_rows import Delay, PaidRows, PaidTask, put_off
from apps.budgets.services.reserving import Refusal, ReservationRequest, release
from apps.connectors.llms.base import ModelSpec
from apps.connectors.parallel import Delivery, Emit, Job
from apps.core.errors import RatibaError
from apps.jobs.domain.losses import loss_sentence, lost_before, lost_too_often
from apps.jobs.models import LeasedRow
from apps.jobs.row_errors import row_error
from apps.jobs.worker_loop import LoopLimits, LoopReport, free_slot, run_worker_loop, take_slot

R = TypeVar("R", bound=LeasedRow)
MIN_S = 0.5  # a worker that was called takes something up, however little time it has
NO_TIME = timedelta(0)


def do_paid_work(
    rows: PaidRows[Any],
    *,
    now: Callable[[], datetime],
    until: datetime,
    linger_for: timedelta = NO_TIME,
) -> LoopReport:
    """Do what is due of this kind until nothing is or the time is up; calls under way are waited for.

    No transaction is open while a model is asked. Safe to repeat and to race: rows decide. `linger_for`: how long to
    stay for what becomes due soon. Nothing is done where another worker has the kind's slot. `more`: something is due.
    """
    if rows.slot and not take_slot(rows.slot, 0):
        return LoopReport(settled=0, more=False)
    limits = LoopLimits(
        concurrency=rows.at_once,
        work_for_s=max(MIN_S, (until - now()).total_seconds()),
        linger_for=linger_for,
        claim_ahead=rows.claim_ahead,
    )
    try:
        report = run_worker_loop(work=PaidWork(rows, now=now), limits=limits, client=model_client, now=now)
    finally:
        if rows.slot:
            free_slot(rows.slot, 0)
    return LoopReport(settled=report.settled, more=report.more and rows.table.is_due(now=now()))


@dataclass(slots=True, kw_only=True)
class _HeldRow(WorkInHand, Generic[R]):
    """A row under our lease, and which replies are stored."""

    row: R
    task: PaidTask
    pieces: list["_Piece"] = field(default_factory=list)
    replies: dict[Hashable, PaidReply[Any]] = field(default_factory=dict)
    over: bool = False


@dataclass(slots=True, kw_only=True)
class _Piece:
    """A question in hand; `question` None where nobody is asked. `id` is what its money is reserved under."""

    held: _HeldRow[Any]
    id: uuid.UUID
    key: Hashable
    question: Payable | None
    specs: Sequence[ModelSpec] = ()
    calls: list[LedgerCall] = field(default_factory=list)
    is_stored: bool = False

    @property
    def loop_key(self) -> tuple[Any, Hashable]:
        return self.held.id, self.key


class PaidWork(ClaimPaid[uuid.UUID, _HeldRow[R]], Generic[R]):
    """The work that a worker loop does for a kind: see apps.jobs.worker_loop.WorkSource."""

    def __init__(self, rows: PaidRows[R], *, now: Callable[[], datetime]) -> None:
        super().__init__(table=rows.table, now=now)
        self.rows = rows
        self._pieces: dict[Hashable, _Piece] = {}

    def lease(self, limit: int) -> Sequence[uuid.UUID]:
        in_hand = {piece.held.id for piece in self._pieces.values()}
        limit = min(limit, self.rows.rows_at_once - len(in_hand))
        return [row[0] for row in self.table.claim(token=self.token, limit=limit, now=self.now())] if limit > 0 else []

    def take_up(self, leased: Sequence[uuid.UUID]) -> Sequence[_HeldRow[R]]:
        rows = [row for row in self.rows.load(leased) if row.lease_token == self.token]  # not those that have ended
        return [one for row in rows if (one := self._take_up(row)) is not None]

    def specs(self, held: Sequence[_HeldRow[R]]) -> Iterable[ModelSpec]:
        return (spec for one in held for piece in one.pieces for spec in piece.specs)

    def cost(self, one: _HeldRow[R], history: History) -> Sequence[ReservationRequest]:
        return [_request(piece.id, piece.question, history) for piece in one.pieces if piece.question is not None]

    def fail(self, one: _HeldRow[R], why: Exception) -> None:
        self._fail(one.row, row_error(why))
        one.pieces.clear()

    def put_back(self, unpaid: Mapping[uuid.UUID, Refusal]) -> None:
        self.rows.put_back(unpaid, self.token, self.now())

    def jobs(self, one: _HeldRow[R]) -> Iterable[tuple[Hashable, Job]]:
        """The questions that can be paid; where not all of a row can, those that cannot are replies."""
        for piece in one.pieces:
            if (no := one.refused.get(piece.id)) is not None:
                self._settle(piece, PaidReply(refused=no, error=no.sentence))
                continue
            self._pieces[piece.loop_key] = piece
            yield piece.loop_key, self._job(piece)

    def store(self, deliveries: Sequence[Delivery]) -> Collection[Hashable]:
        ended = [delivery for delivery in deliveries if delivery.final]
        for delivery in ended:
            reply = delivery.value if delivery.error is None else PaidReply(error=str(delivery.error))
            self._settle(self._pieces[delivery.key], reply)
        self.share_cool_downs()
        if ended:
            self.rows.settled()
        keys = [delivery.key for delivery in ended]
        for key in keys:
            self._pieces.pop(key, None)
        return keys

    def heartbeat(self, keys: Collection[Any]) -> None:
        super().heartbeat({id for id, _ in keys})

    def next_due(self, within: timedelta) -> datetime | None:
        now = self.now()
        if not self.reservations.must_wait() and self.table.is_due(now=now):
            return now
        return self.table.next_due(now=now, within=within)

    def _take_up(self, row: R) -> _HeldRow[R] | None:
        """Take the row up with its questions; None where it has ended or waits."""
        try:
            now, losses = self.now(), lost_before(getattr(row, self.rows.table.counter))
            if lost_too_often(losses, most=self.rows.most_losses):
                task = self.rows.lost(row, loss_sentence(self.rows.doing, most=self.rows.most_losses), now)
            else:
                task = self.rows.take_up(row, now)
            if not isinstance(task, PaidTask):
                self._put_off(row, task)
                return None
            held = _HeldRow(id=row.pk, row=row, task=task, waits_for_money=task.waits_for_money)
            held.pieces += [_piece(held, key, question) for key, question in task.questions.items()]
            held.pieces = held.pieces or [_Piece(held=held, id=held.id, key=None, question=None)]
        except Exception as error:
            self._fail(row, row_error(error))
            return None
        return held

    def _job(self, piece: _Piece) -> Job:
        question, policy, history = piece.question, retry_policy(self.cool_downs), self.reservations.history.paid

        async def job(client: Any, emit: Emit) -> PaidReply[Any]:
            if question is None:
                return PaidReply()
            return await question.ask(
                Asking(client=client, opener=opener(emit), policy=policy, history=history, calls=piece.calls)
            )

        return job

    def _settle(self, piece: _Piece, reply: PaidReply[Any]) -> None:
        """Store the reply and its calls in one transaction. A row that cannot take its reply fails alone."""
        if piece.is_stored:
            return
        held = piece.held
        try:
            with transaction.atomic():
                if not held.over:
                    self._receive(piece, reply)
                self._book(piece)
        except Exception as error:
            why = row_error(error)
            with transaction.atomic():
                self._put_off(held.row, self.rows.fail(held.row, why, self.now()))
                self._book(piece)
            held.over = True
        piece.is_stored = True

    def _receive(self, piece: _Piece, reply: PaidReply[Any]) -> None:
        held = piece.held
        if piece.question is not None:
            held.replies[piece.key] = reply
            held.task.receive(piece.key, reply, self.now())
        if len(held.replies) == len(held.task.questions):
            self._put_off(held.row, held.task.finish(held.replies, self.now()))

    def _book(self, piece: _Piece) -> None:
        record_calls(calls=piece.calls)
        if self.reservations.any_reserved:
            release(holder=self.token, ids=[piece.id])

    def _fail(self, row: R, why: RatibaError) -> None:
        with transaction.atomic():
            self._put_off(row, self.rows.fail(row, why, self.now()))

    def _put_off(self, row: R, wait: Delay | None) -> None:
        if wait is not None:
            put_off(self.rows.table, token=self.token, id=row.pk, wait=wait)


def _piece(held: _HeldRow[Any], key: Hashable, question: Payable) -> _Piece:
    """A further claim of the same row reserves under the same id: it takes the reservation over."""
    id = held.id if key == held.id else uuid.uuid5(held.id, repr(key))
    return _Piece(held=held, id=id, key=key, question=question, specs=question.specs)


def _request(id: uuid.UUID, question: Payable, history: History) -> ReservationRequest:
    cost, call_for = question.at_most(history), question.call_for
    return ReservationRequest(
        id=id,
        usd=cost.usd,
        run_id=call_for.run_id,
        pull_request=call_for.pull_request,
        price=cost.price,
        unpriced=cost.unpriced,
    )

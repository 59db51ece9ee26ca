"""The one way in which rows are paid for: claim, reserve, put back, open, ask, settle, store, release.

A room says what its kind is (`paid_rows.PaidRows`). Rows owe the work: whatever dies, the lease expires, the row is
claimed again, and what was asked stands in the ledger.
"""

import uuid
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Generic, TypeVar

from django.db import transaction

from apps.budgets.services.ledger import LedgerCall, record_calls
from apps.budgets.services.metered_model import opener, write_openings
from apps.budgets.services.metered_run import model_client, retry_policy
from apps.budgets.services.paid_question import Asking, PaidReply, Payable
from apps.budgets.services.paid_rows import Delay, PaidRows, PaidTask, put_off
from apps.budgets.services.reservations import BudgetReservations
from apps.budgets.services.reserving import Refusal, ReservationRequest, release
from apps.connectors.cool_downs import CoolDowns
from apps.connectors.parallel import Delivery, Emit, Job
from apps.core.errors import RatibaError
from apps.jobs.domain.losses import loss_sentence, lost_before, lost_too_often
from apps.jobs.models import LeasedRow
from apps.jobs.row_errors import row_error
from apps.jobs.services.cool_downs import exchange
from apps.jobs.worker_loop import LoopLimits, LoopReport, free_slot, run_worker_loop, take_slot
from apps.tenants.queries import current_tenant_usable

R = TypeVar("R", bound=LeasedRow)
LEAST_S = 0.5  # a worker that was called takes something up, however little time it has
NO_TIME = timedelta(0)


def do_paid_work(
    rows: PaidRows[Any],
    *,
    now: Callable[[], datetime],
    until: datetime,
    linger_for: timedelta = NO_TIME,
    ending: Callable[[], bool] = lambda: False,
) -> LoopReport:
    """Do what is due of this kind until nothing is or the time is up; calls under way are waited for.

    No transaction is open while a model is asked. Safe to repeat and to race: rows decide. `linger_for`: how long to
    stay for what becomes due soon. Nothing is done where another worker has the kind's slot. `more`: something is due.
    """
    if rows.slot and not take_slot(rows.slot, 0):
        return LoopReport(settled=0, more=False)
    limits = LoopLimits(
        concurrency=rows.at_once,
        work_for_s=max(LEAST_S, (until - now()).total_seconds()),
        linger_for=linger_for,
        claim_ahead=rows.claim_ahead,
    )
    try:
        report = run_worker_loop(
            work=PaidWork(rows, now=now), limits=limits, client=model_client, now=now, ending=ending
        )  # fmt: skip
    finally:
        if rows.slot:
            free_slot(rows.slot, 0)
    return LoopReport(settled=report.settled, more=report.more and rows.table.is_due(now=now()))


@dataclass(slots=True, kw_only=True)
class _HeldRow(Generic[R]):
    """A row under our lease, and which replies are stored."""

    row: R
    task: PaidTask
    pieces: list["_Piece"] = field(default_factory=list)
    replies: dict[Hashable, PaidReply[Any]] = field(default_factory=dict)
    over: bool = False


@dataclass(slots=True, kw_only=True)
class _Piece:
    """A question in hand; `question` None where nobody is asked. `request` reserves for it."""

    held: _HeldRow[Any]
    key: Hashable
    question: Payable | None
    request: ReservationRequest
    calls: list[LedgerCall] = field(default_factory=list)
    is_stored: bool = False

    @property
    def loop_key(self) -> tuple[Any, Hashable]:
        return self.held.row.pk, self.key


class PaidWork(Generic[R]):
    """What a worker loop does for a kind: see apps.jobs.worker_loop.WorkSource."""

    def __init__(self, rows: PaidRows[R], *, now: Callable[[], datetime]) -> None:
        self.rows, self.now = rows, now
        self.token = uuid.uuid4()
        self.cool_downs = CoolDowns(now=now)
        self.reservations = BudgetReservations(holder=self.token, now=now)
        self._pieces: dict[Hashable, _Piece] = {}

    def claim(self, limit: int) -> Sequence[tuple[Hashable, Job]]:
        """Questions of rows that can be paid; the others were put back."""
        exchange(self.cool_downs)
        in_hand = {piece.held.row.pk for piece in self._pieces.values()}
        limit = min(limit, self.rows.rows_at_once - len(in_hand))
        if limit <= 0 or self.reservations.must_wait():
            return []
        ids = [row[0] for row in self.rows.table.claim(token=self.token, limit=limit, now=self.now())]
        held = [one for row in self.rows.load(ids) if (one := self._take_up(row)) is not None] if ids else []
        refused = self.reservations.reserve([piece.request for one in held for piece in one.pieces])
        open_pieces = list(self._paid(held, refused))
        self._pieces |= {piece.loop_key: piece for piece in open_pieces}
        return [(piece.loop_key, self._job(piece)) for piece in open_pieces]

    def begin(self, keys: Collection[Hashable]) -> Collection[Hashable]:
        return keys if current_tenant_usable() else ()

    def answer_requests(self, deliveries: Sequence[Delivery]) -> list[Delivery]:
        return write_openings(deliveries, write=self.reservations.open)

    def store(self, deliveries: Sequence[Delivery]) -> Collection[Hashable]:
        ended = [one for one in deliveries if one.final]
        for one in ended:
            reply = one.value if one.error is None else PaidReply(error=str(one.error))
            self._settle(self._pieces[one.key], reply)
        if self.cool_downs.changed:
            exchange(self.cool_downs)
        if ended:
            self.rows.settled()
        keys = [one.key for one in ended]
        for key in keys:
            self._pieces.pop(key, None)
        return keys

    def heartbeat(self, keys: Collection[Any]) -> None:
        self.rows.table.extend(token=self.token, ids={id for id, _ in keys}, now=self.now())
        self.reservations.heartbeat()

    def stop(self) -> None:
        """A question under way is waited for: it is one call."""

    def next_due(self, within: timedelta) -> datetime | None:
        now = self.now()
        if not self.reservations.must_wait() and self.rows.table.is_due(now=now):
            return now
        return self.rows.table.next_due(now=now, within=within)

    def release(self) -> None:
        self.rows.table.release(token=self.token, now=self.now())
        self.reservations.release()

    def _take_up(self, row: R) -> _HeldRow[R] | None:
        """What is to be asked about it and what that may cost; None where it has ended or waits."""
        try:
            now, losses = self.now(), lost_before(getattr(row, self.rows.table.counter))
            if lost_too_often(losses, most=self.rows.most_losses):
                task = self.rows.lost(row, loss_sentence(self.rows.doing, most=self.rows.most_losses), now)
            else:
                task = self.rows.take_up(row, now)
            if not isinstance(task, PaidTask):
                self._put_off(row, task)
                return None
            held = _HeldRow(row=row, task=task)
            held.pieces += [self._piece(held, key, one) for key, one in task.questions.items()]
            held.pieces = held.pieces or [_unasked(held)]
        except Exception as error:
            self._fail(row, row_error(error))
            return None
        return held

    def _piece(self, held: _HeldRow[R], key: Hashable, question: Payable) -> _Piece:
        """A further claim of the same row reserves under the same id: it takes the reservation over."""
        self.reservations.history.load(question.specs)
        cost, call_for = question.at_most(self.reservations.history.paid), question.call_for
        request = ReservationRequest(
            id=held.row.pk if key == held.row.pk else uuid.uuid5(held.row.pk, repr(key)),
            usd=cost.usd, run_id=call_for.run_id, pull_request=call_for.pull_request, price=cost.price,
            unpriced=cost.unpriced,
        )  # fmt: skip
        return _Piece(held=held, key=key, question=question, request=request)

    def _paid(self, held: Sequence[_HeldRow[R]], refused: Mapping[uuid.UUID, Refusal]) -> Iterator[_Piece]:
        """The questions that can be paid. A row of which none can be waits; of another, the refused are replies."""
        unpaid = {}
        for one in held:
            refusals = [refused.get(piece.request.id) for piece in one.pieces]
            if one.task.waits_for_money and refusals[0] is not None and None not in refusals:
                unpaid[one.row.pk] = refusals[0]
                continue
            for piece, no in zip(one.pieces, refusals, strict=True):
                if no is None:
                    yield piece
                else:
                    self._settle(piece, PaidReply(refused=no, error=no.sentence))
        if unpaid:
            self.rows.put_back(unpaid, self.token, self.now())

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
        """What came, and its calls, in one transaction. A row that cannot take it fails alone."""
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
            release(holder=self.token, ids=[piece.request.id])

    def _fail(self, row: R, why: RatibaError) -> None:
        with transaction.atomic():
            self._put_off(row, self.rows.fail(row, why, self.now()))

    def _put_off(self, row: R, wait: Delay | None) -> None:
        if wait is not None:
            put_off(self.rows.table, token=self.token, id=row.pk, wait=wait)


def _unasked(held: _HeldRow[Any]) -> _Piece:
    """The one piece of a row about which nobody is asked: it is stored like all."""
    request = ReservationRequest(id=held.row.pk, usd=Decimal(0))
    return _Piece(held=held, key=None, question=None, request=request)

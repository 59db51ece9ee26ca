"""The part of a kind of paid work that its room writes: what to load, to ask and to keep. `paid_work` does the rest."""

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from apps.budgets.services.paid_question import LIMITED, PaidReply, Payable
from apps.budgets.services.reservations import next_try
from apps.budgets.services.reserving import Refusal
from apps.core.errors import RatibaError
from apps.core.json_hygiene import storable
from apps.core.models import StateQuerySet
from apps.jobs.domain.losses import MAX_LOSSES
from apps.jobs.domain.work_states import WorkStatus
from apps.jobs.models import LeasedRow
from apps.jobs.services.leases import LeasedTable

R = TypeVar("R", bound=LeasedRow)
GAVE_UP = "gave_up"
MODEL_DOWN = timedelta(minutes=1)  # between two tries
NO_ANSWER = "No answer came."


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """The row is looked at again then (None: at once), and says why. A wait is no try unless it `counts`. `changes` are
    further columns of the row."""

    until: datetime | None
    why: str = ""
    counts: bool = False
    changes: Mapping[str, Any] = field(default_factory=dict)


def _nothing(key: Hashable, reply: PaidReply[Any], now: datetime) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidTask:
    """One row in hand. Each of `questions` is reserved for and refused alone.

    `finish` gets all replies when the last is there, and ends the row, or says until when it waits. `receive` is told
    of each reply as it comes. Both run in a transaction that also books the calls, and change nothing where the lease
    went to another worker. A refused question has a reply, too. No questions: nobody is asked, and `finish` decides.
    `waits_for_money`: a row of which nothing can be paid is put back (`PaidRows.unpaid`); False: `finish` decides.
    """

    questions: Mapping[Any, Payable]
    finish: Callable[[Mapping[Any, PaidReply[Any]], datetime], Delay | None]
    receive: Callable[[Hashable, PaidReply[Any], datetime], None] = _nothing
    waits_for_money: bool = True


class PaidRows(ABC, Generic[R]):
    """A kind of paid work. One is made for each time that a worker looks (`paid_work.do_paid_work`).

    `table`: how its rows are claimed, with the column that counts claims. `doing`: what its worker was at when it was
    lost, as in "judging it"; after `most_losses` the row is given up. `waits_for`: the model, in words of a page, that
    a row waits for while it is down; it is tried as often. At most `rows_at_once` are held, and `at_once`
    questions are in flight; `claim_ahead` of 2 claims as many again, in batches, where rows are many. `slot`: the name
    of the tenant's one place where only one worker may do it at a time.
    """

    table: LeasedTable
    doing: str
    waits_for: str = "the model"
    most_losses: int = MAX_LOSSES
    at_once: int = 4
    rows_at_once: int = 4
    claim_ahead: int = 1
    slot: str = ""

    @abstractmethod
    def load(self, ids: Sequence[uuid.UUID]) -> Sequence[R]:
        """Read these rows with what asking about them needs, in the order of their work.

        The number of queries is the same for any number of rows.
        """

    def question(self, row: R) -> Payable:
        """The one question about this row. What it raises fails this row alone. A kind with more than one, or none,
        writes `take_up` instead."""
        raise NotImplementedError

    def keep(self, row: R, answer: Any, reply: PaidReply[Any]) -> Mapping[str, Any]:
        """Store what an answer changes in other tables, and return the columns to set in the row.

        `answer` is what the question's `read` returned, `reply` the reply it is from. The row is locked under our
        lease; it ends as completed.
        """
        raise NotImplementedError

    def ended(self, row: R, error: str) -> None:
        """The row has ended, in the transaction that ended it: tell the log, or whoever waits for it."""

    def store(self, row: R, reply: PaidReply[Any], now: datetime) -> Delay | None:
        """Keep the answer and end the row; or say until when it waits, or end it with why there is none. Three
        queries at most, beside those of `keep`."""
        if (wait := self.wait(row, reply, now)) is not None:
            return wait
        if reply.value is None:
            self.end(row, now, error=reply.error or NO_ANSWER)
        elif self.is_ours(row):
            self.end(row, now, **self.keep(row, reply.value, reply))
        return None

    def fail(self, row: R, why: RatibaError, now: datetime) -> Delay | None:
        """End a row that cannot be done with the sentence of `why`, or return when it is tried again."""
        self.end(row, now, error=why.message)
        return None

    def wait(self, row: R, reply: PaidReply[Any], now: datetime) -> Delay | None:
        """Return until when a row without an answer waits; None where there is nothing to wait for.

        For a model that limits us it waits as long as that says, for one that is down a minute, `most_losses` times.
        """
        if (until := reply.limited_until(now)) is not None:
            why = reply.error or LIMITED
            return Delay(until=until, why=why.replace("the model", f"model {reply.asked}") if reply.asked else why)
        if reply.value is None and not reply.unusable and getattr(row, self.table.counter) < self.most_losses:
            return Delay(until=now + MODEL_DOWN, why=self.waits_for, counts=True)
        return None

    def is_ours(self, row: R) -> bool:
        """Tell whether our lease still holds, and lock the row until this transaction ends.

        One query.
        """
        return self.table.lock(token=row.lease_token, id=row.pk)

    def end(self, row: R, now: datetime, *, error: str = "", **columns: Any) -> bool:
        """End the row: completed, or failed with `error`. False, and nothing is written, where the lease went to
        another worker. One query."""
        ended = (
            StateQuerySet(type(row))
            .filter(lease_token=row.lease_token)
            .advance(
                row.pk,
                expected=WorkStatus.PENDING,
                to=WorkStatus.FAILED if error else WorkStatus.COMPLETED,
                error_message=error,
                ended_at=now,
                lease_token=None,
                lease_expires_at=None,
                waiting_for="",
                **columns,
            )
        )
        if ended:
            self.ended(row, error)
        return ended

    def take_up(self, row: R, now: datetime) -> PaidTask | Delay | None:
        """The questions to ask about the row now, or the time until which it waits. None: it was ended here."""
        return PaidTask(
            questions={row.pk: self.question(row)}, finish=lambda replies, at: self.store(row, replies[row.pk], at)
        )

    def lost(self, row: R, why: str, now: datetime) -> PaidTask | Delay | None:
        """Say what becomes of a row whose worker was lost too often."""
        return self.fail(row, RatibaError(why, code=GAVE_UP), now)

    def unpaid(self, no: Refusal, now: datetime) -> Delay:
        """Return until when the row waits, since no part of it can be paid."""
        return Delay(until=next_try(no, now=now), why=no.sentence)

    def put_back(self, refused: Mapping[uuid.UUID, Refusal], token: uuid.UUID, now: datetime) -> None:
        """Let rows wait of which nothing can be paid. One update for each."""
        for id, no in refused.items():
            put_off(self.table, token=token, id=id, wait=self.unpaid(no, now))

    def settled(self) -> None:
        """Called behind each batch of what was stored, outside the transaction."""


def put_off(table: LeasedTable, *, token: uuid.UUID, id: uuid.UUID, wait: Delay) -> None:
    """Put the row off until `wait.until`; change nothing where its lease was lost. One query."""
    table.put_off(
        token=token, id=id, until=wait.until, why=storable(wait.why), counts=wait.counts, changes=wait.changes
    )

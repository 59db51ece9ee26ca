"""The one way in which work that costs money is claimed: by judgements, by battles, and by every kind of `PaidRows`.

Lease, say what each row may cost at most, reserve for all of them at once, put back what cannot be paid, and claim
others in its place. What a worker loop is told the same way for all of them stands here, too.
"""

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.db import DatabaseError

from apps.budgets.domain.estimate import History
from apps.budgets.services.metered_model import write_openings
from apps.budgets.services.reservations import BudgetReservations
from apps.budgets.services.reserving import Refusal, ReservationRequest
from apps.connectors.cool_downs import CoolDowns
from apps.connectors.llms.base import ModelSpec
from apps.connectors.parallel import Delivery, Job
from apps.jobs.services.cool_downs import exchange
from apps.jobs.services.leases import LeasedTable
from apps.tenants.queries import current_tenant_usable

ROUNDS = 50  # of claiming, when what is claimed cannot be paid: 3,000 judgements are put back in about a second


@dataclass(slots=True, kw_only=True)
class WorkInHand:
    """One row under our lease. `requests` are its reservations: none if it is free or cannot be done.
    `refused` has the refusals of the whole batch."""

    id: uuid.UUID
    requests: Sequence[ReservationRequest] = ()
    refused: Mapping[uuid.UUID, Refusal] = field(default_factory=dict)
    waits_for_money: bool = True  # False: it is gone on with, though nothing of it can be paid

    @property
    def unpaid(self) -> Refusal | None:
        """The refusal for which the row waits, if none of its requests can be paid."""
        refusals = [self.refused.get(request.id) for request in self.requests]
        return refusals[0] if self.waits_for_money and refusals and None not in refusals else None


L = TypeVar("L")  # what a claim brings: an id, or the row as plain data
H = TypeVar("H", bound=WorkInHand)


class ClaimPaid(ABC, Generic[L, H]):
    """Claims work that can be paid, for a worker loop (see apps.jobs.worker_loop.WorkSource). `table` has its leases.

    `token` is this worker's: it holds the leases, what was promised and the open calls.
    """

    def __init__(self, *, table: LeasedTable, now: Callable[[], datetime]) -> None:
        self.table, self.now = table, now
        self.token = uuid.uuid4()
        self.cool_downs = CoolDowns(now=now)
        self.reservations = BudgetReservations(holder=self.token, now=now)
        self.leased: Sequence[L] = ()  # and nobody knows yet whether they can be paid
        self._paid: list[H] = []  # and not yet made into jobs
        self._ready: list[tuple[Hashable, Job]] = []

    @abstractmethod
    def lease(self, limit: int) -> Sequence[L]:
        """Lease up to `limit` due rows and do nothing else: the later steps are repeated without it."""

    @abstractmethod
    def take_up(self, leased: Sequence[L]) -> Sequence[H]:
        """Return the rows with all that must be known to say what each may cost.

        A fault of one row ends that row alone.
        """

    @abstractmethod
    def specs(self, held: Sequence[H]) -> Iterable[ModelSpec]:
        """Return the models that these rows may call."""

    @abstractmethod
    def cost(self, one: H, history: History) -> Sequence[ReservationRequest]:
        """Return the reservations to request for the highest cost of this row. Asks no database.

        An error that it raises goes to `fail`.
        """

    @abstractmethod
    def fail(self, one: H, why: Exception) -> None:
        """End this row with `why`: nobody can say what it costs, so nothing is reserved for it."""

    @abstractmethod
    def put_back(self, unpaid: Mapping[uuid.UUID, Refusal]) -> None:
        """Let these rows wait: no part of them can be paid."""

    @abstractmethod
    def jobs(self, one: H) -> Iterable[tuple[Hashable, Job]]:
        """The jobs of this row, by the keys under which a loop knows them."""

    def claim(self, limit: int) -> Sequence[tuple[Hashable, Job]]:
        """Work that can be paid. What cannot is put back, and others are claimed in its place: a worker that gets fewer
        than it asked for takes it that nothing is left. Repeatable: a database that goes away loses nothing."""
        exchange(self.cool_downs)
        self._make_jobs()
        for _ in range(ROUNDS):
            missing, more = limit - len(self._ready), self.leased or not self.reservations.must_wait()
            if missing <= 0 or not more or not self._claim_round(missing):
                break
        jobs, self._ready = self._ready, []
        return jobs

    def _claim_round(self, limit: int) -> int:
        """Claim and reserve once; return how many requests could not be paid."""
        self.leased = self.leased or self.lease(limit)
        if not self.leased:
            return 0
        held = self.take_up(self.leased)
        self.reservations.history.load(self.specs(held))
        for one in held:
            one.requests = self._cost(one)
        refused = self.reservations.reserve([request for one in held for request in one.requests])
        for one in held:
            one.refused = refused
        if unpaid := {one.id: no for one in held if (no := one.unpaid) is not None}:
            self.put_back(unpaid)
        self.leased, self._paid = (), [one for one in held if one.id not in unpaid]
        self._make_jobs()
        return len(refused)

    def _cost(self, one: H) -> Sequence[ReservationRequest]:
        try:
            return self.cost(one, self.reservations.history.paid)
        except DatabaseError:  # says nothing about the row: the loop tries again
            raise
        except Exception as error:  # of this one alone: its neighbours are done
            self.fail(one, error)
            return ()

    def _make_jobs(self) -> None:
        while self._paid:
            self._ready += list(self.jobs(self._paid[0]))  # all of them, or none
            del self._paid[0]

    def begin(self, keys: Collection[Hashable]) -> Collection[Hashable]:
        return keys if current_tenant_usable() else ()

    def answer_requests(self, deliveries: Sequence[Delivery]) -> list[Delivery]:
        return write_openings(deliveries, write=self.reservations.open)

    def share_cool_downs(self) -> None:
        """Tell the other workers of a model that limits us. No query where nothing changed."""
        if self.cool_downs.changed:
            exchange(self.cool_downs)

    def heartbeat(self, keys: Collection[Any]) -> None:
        self.table.extend(token=self.token, ids=keys, now=self.now())
        self.reservations.heartbeat()

    def stop(self) -> None:
        """Stop nothing: calls in progress take seconds, so the loop waits for them and stores them."""

    def release(self) -> None:
        self.table.release(token=self.token, now=self.now())
        self.reservations.release()

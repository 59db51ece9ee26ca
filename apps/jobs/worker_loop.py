"""A worker loop: it does the work that rows owe, many network calls at a time, until none is owed or time is up.

The thread that runs the loop owns the database connection; calls run beside it (apps.connectors.parallel). Whatever
dies, rows decide: a lease that is not extended expires, and the work is owed again.
"""

import logging
import time
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Protocol, TypeVar
from zlib import crc32

import psycopg
from django.db import InterfaceError, OperationalError, connection

from apps.connectors.parallel import Delivery, Job, ParallelCalls
from apps.jobs.work import check_slice, slice_ends
from apps.tenants.context import current_schema
from apps.tenants.lock_waits import lock_timed_out
from apps.tenants.queries import current_tenant_usable

logger = logging.getLogger(__name__)
T = TypeVar("T")

HEARTBEAT_S = 15.0
IDLE_CLAIM_S = 0.25
TENANT_EVERY_S = 1.0  # between two looks at whether the tenant is suspended
RECONNECT_FOR_S = 120.0
MAX_TICK_S = 1.0


class WorkSource(Protocol):
    """The source of a loop's work. Every method runs in the loop's own thread and may use the database."""

    def claim(self, limit: int) -> Sequence[tuple[Hashable, Job]]:
        """Lease work; an item that a killed loop leased and never began has used no attempt."""
        ...

    def begin(self, keys: Collection[Hashable]) -> Collection[Hashable]:
        """Begin those of these jobs that may begin now, and write the ledger rows of their first calls.

        The others are dropped: their lease or their tenant is gone.
        """
        ...

    def answer_requests(self, deliveries: Sequence[Delivery]) -> list[Delivery]:
        """Answer what running calls wait for (ledger rows of further calls); return the deliveries to store."""
        ...

    def store(self, deliveries: Sequence[Delivery]) -> Collection[Hashable]:
        """Store results; return the keys that are finished and free their slots. Must be safe to repeat."""
        ...

    def heartbeat(self, keys: Collection[Hashable]) -> None: ...

    def stop(self) -> None:
        """End open work, because the tenant is suspended, as soon as other workers can resume it."""
        ...

    def next_due(self, within: timedelta) -> datetime | None: ...

    def release(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopReport:
    """The report of a loop's work. `more` is True when its time was up while work was still owed."""

    settled: int
    more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopLimits:
    """Limits of a loop: how much at once, and for how long new work is taken.

    Calls already open are always waited for. `heartbeat_s`: between two extensions of what is leased; `look_every_s`:
    between two looks at whether it may end.
    """

    concurrency: int
    work_for_s: float = 240.0
    look_every_s: float = 1.0
    linger_for: timedelta = timedelta(seconds=30)
    claim_ahead: int = 2
    gather_s: float = 0.004
    heartbeat_s: float = HEARTBEAT_S


def run_worker_loop(
    *,
    work: WorkSource,
    limits: LoopLimits,
    client: Callable[[], Any],
    now: Callable[[], datetime],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    may_end: Callable[[], bool] = lambda: False,
    on_time_up: Callable[[], None] = lambda: None,
    check_interrupt: Callable[[], None] = check_slice,
    tick_s: Callable[[], float] = lambda: MAX_TICK_S,
) -> LoopReport:
    """Claim, call, store, until nothing is owed. Survives a database that is away for two minutes.

    The time is up, too, where the time slice that the caller works in was told to end, and where `may_end` says so
    (asked once in `look_every_s`). `on_time_up` is told when no more work is taken; `check_interrupt` may raise to end
    the loop between two steps (apps.jobs.interrupts). `tick_s` says how long to wait for a delivery before all else is
    looked at again.
    """
    with ParallelCalls(concurrency=limits.concurrency, client=client) as calls:
        loop = _WorkerLoop(work=work, limits=limits, calls=calls, now=now, clock=clock, sleep=sleep)
        loop.may_end, loop.on_time_up, loop.check_interrupt = may_end, on_time_up, check_interrupt
        loop.tick_s = tick_s
        try:
            return loop.run()
        finally:
            loop.release()


class _WorkerLoop:
    def __init__(
        self,
        *,
        work: WorkSource,
        limits: LoopLimits,
        calls: ParallelCalls,
        now: Callable[[], datetime],
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self.work, self.limits, self.calls, self.now, self.clock = work, limits, calls, now, clock
        self.sleep = sleep
        self.may_end: Callable[[], bool] = lambda: False
        self.on_time_up: Callable[[], None] = lambda: None
        self.check_interrupt: Callable[[], None] = lambda: None
        self.tick_s: Callable[[], float] = lambda: MAX_TICK_S
        self.began = clock()
        self.until = self.began + limits.work_for_s
        self.look_at = self.began + limits.look_every_s
        self.heartbeat_at = clock() + limits.heartbeat_s
        self.claim_at = 0.0
        self.tenant_at = clock() + TENANT_EVERY_S
        self.ready: dict[Hashable, Job] = {}  # leased, and not begun
        self.settled = 0

    def run(self) -> LoopReport:
        while True:
            self.check_interrupt()
            self._look_at_worker()
            self._begin()
            self._claim()
            self._begin()
            self._look_at_tenant()
            if not self.calls.open_keys:
                if self.ready:
                    continue
                if not self._wait_for_due():
                    return LoopReport(settled=self.settled, more=self.clock() >= self.until)
                continue
            self._store()
            self._heartbeat()
            self._look_whether_over()

    def release(self) -> None:
        try:
            self.work.release()
        except (OperationalError, InterfaceError):
            logger.warning("leases could not be given back; they expire by themselves")

    def _claim(self) -> None:
        at = self.clock()
        capacity = self.limits.concurrency * self.limits.claim_ahead - len(self.calls.open_keys) - len(self.ready)
        enough = max(1, self.limits.concurrency * (self.limits.claim_ahead - 1) // 2)
        if capacity < enough or at < self.claim_at or at >= self.until:
            return
        claimed = self._lasting(lambda: self.work.claim(capacity))
        self.ready.update(claimed)
        if len(claimed) < capacity:
            self.claim_at = at + IDLE_CLAIM_S

    def _begin(self) -> None:
        """Begin as much as there are free slots."""
        keys = list(islice(self.ready, max(0, self.limits.concurrency - len(self.calls.open_keys))))
        if not keys:
            return
        begun = set(self._lasting(lambda: self.work.begin(keys)))
        for key in keys:
            job = self.ready.pop(key)
            if key in begun:
                self.calls.submit(key, job)
        if len(begun) < len(keys):
            self.tenant_at = 0.0  # it may have been suspended

    def _look_at_worker(self) -> None:
        if slice_ends() and self.clock() < self.until:
            self.until = self.clock()
            self.ready.clear()  # their leases are given back

    def _look_at_tenant(self) -> None:
        """A suspended tenant pays for nothing more than what is under way."""
        if self.clock() < self.tenant_at:
            return
        self.tenant_at = self.clock() + TENANT_EVERY_S
        if not self._lasting(current_tenant_usable):
            self.until = self.clock()
            self.ready.clear()
            self.work.stop()

    def _store(self) -> None:
        deliveries = self.calls.collect(
            timeout=min(self.tick_s(), self.limits.gather_s * 250), gather=self.limits.gather_s
        )
        deliveries = self._lasting(lambda: self.work.answer_requests(deliveries))
        if not deliveries:
            return
        finished = self._lasting(lambda: self.work.store(deliveries))
        self.calls.settle(list(finished))
        self.settled += len(finished)

    def _look_whether_over(self) -> None:
        """Take no more work where the time is up, or the caller has what it wants."""
        at = self.clock()
        if at >= self.until:
            self.on_time_up()
        elif at >= self.look_at:
            self.look_at = at + self.limits.look_every_s
            if self._lasting(self.may_end):
                self.until = at
                self.ready.clear()  # their leases are given back
                self.on_time_up()

    def _heartbeat(self) -> None:
        if self.clock() >= self.heartbeat_at:
            keys = self.calls.open_keys | self.ready.keys()
            self._lasting(lambda: self.work.heartbeat(keys))
            self.heartbeat_at = self.clock() + self.limits.heartbeat_s

    def _wait_for_due(self) -> bool:
        """Stay while something becomes due soon; False when there is nothing left to stay for."""
        if self.clock() >= self.until:
            return False
        due = self._lasting(lambda: self.work.next_due(self.limits.linger_for))
        if due is None:
            return False
        if due > self.now():  # nothing to do until then but to keep a worker
            self.look_at = min(self.look_at, self.clock())
            self._look_whether_over()
            if self.clock() >= self.until:
                return False
        self.sleep(min(max((due - self.now()).total_seconds(), 0.02), 1.0))
        self.claim_at = 0.0
        return True

    def _lasting(self, step: Callable[[], T]) -> T:
        """Do a database step, waiting out a database that went away: what was paid for must still be stored. So is a
        lock that somebody holds too long, while calls are under way; with none, it ends the loop."""
        give_up_at = self.clock() + RECONNECT_FOR_S
        while True:
            try:
                return step()
            except (OperationalError, InterfaceError, psycopg.OperationalError) as error:
                if connection.in_atomic_block or self.clock() >= give_up_at:
                    raise
                if (locked := lock_timed_out(error)) and not self.calls.open_keys:
                    raise
                self.check_interrupt()
                logger.warning("%s, trying again: %s", "locked by others" if locked else "database away", error)
                if not locked:  # closing it would give the slot to others
                    connection.close()
                self.sleep(0.5)


def take_slot(name: str, slot: int) -> bool:
    """Take one of the numbered slots of a tenant, or learn that another worker has it. Freed with the connection.

    A session-level advisory lock: the number of slots bounds concurrency over all workers without any counter.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", _lock_key(name, slot))
        return bool(cursor.fetchone()[0])


def free_slot(name: str, slot: int) -> None:
    """Free a slot taken by `take_slot`; harmless when the connection that took it is gone."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock(%s, %s)", _lock_key(name, slot))


def slot_key(schema: str, slot_kind: str) -> int:
    """The first number of the advisory locks of a tenant's slots (the second is the slot's own)."""
    return crc32(f"{schema}:{slot_kind}".encode()) - 2**31


def _lock_key(name: str, slot: int) -> tuple[int, int]:
    return slot_key(current_schema(), name), slot

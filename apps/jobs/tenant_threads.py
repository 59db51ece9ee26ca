"""One worker process works for several tenants: each in a thread, with a connection and a schema of its own.

A tenant's worker waits for agents and models nearly all of its time. While it waits, the process takes up other tenants
whose work is due and which no worker serves, up to RATIBA_TENANTS_AT_ONCE. The task's own thread does none of it: it
looks for tenants, hears of ends, and is the one that a signal interrupts. Then every thread stops between two steps and
lets its leases go. Rows decide as ever: two processes that take up the same tenant share its work by lanes and leases.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import psycopg
from django.db import InterfaceError, OperationalError, connection, connections
from django.utils.module_loading import import_string

from apps.jobs.queries.connections import free_connections
from apps.jobs.work import TimeSlice, work_named
from apps.tenants.errors import TenantUnavailable
from apps.tenants.tasks import entered, giving_up_locks

logger = logging.getLogger(__name__)

SLICE = timedelta(minutes=3)  # with one tenant; then others may come first
LAST_TAKE = timedelta(seconds=15)  # before the end nobody is taken up any more
LOOK_EVERY_S = 1.0  # for tenants that wait
NEXT_LOOK_S = 0.1  # after one was taken up, and before the first look
LOOK_SHARE = 20  # looking takes a twentieth of the time at most, however many tenants there are
REST_S = 15.0  # for a tenant whose work was served and is due all the same (a limit of its agent): a tick comes then
STOP_WITHIN_S = 20.0
MAKE_WAY_AFTER_S = 20.0  # for work that takes the whole process
KEEP_FREE = 5  # of the server's connections not every fifth is ours: pages and other workers need them


class ProcessStopped(Exception):
    """Raised between two steps of a thread's work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A kind of work of one tenant."""

    tenant: str
    work: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    of: Assignment
    more: bool
    error: BaseException | None


class TenantThreads:
    """The tenants that one task serves at once, a thread each."""

    def __init__(
        self,
        *,
        most: int,
        until: datetime,
        now: Callable[[], datetime],
        waiting: Callable[[Collection[Assignment]], Sequence[Assignment]],
        again: Callable[[Assignment], None],
        queue_waits: Callable[[], bool] = lambda: False,
        task: str = "",
        ending: Callable[[], bool] = lambda: False,
    ) -> None:
        """`waiting` says who waits for a worker, besides those given (asked in the calling thread, once a second);
        `again` is told of tenants of whose work more is due; `ending` says whether the worker was told to end, and
        `queue_waits` whether work waits that takes the whole process. `task` is who the audit trail and the log
        name."""
        self.most, self.until, self.now, self.task = most, until, now, task
        self.waiting, self.again, self.ending, self.queue_waits = waiting, again, ending, queue_waits
        self._threads: dict[Assignment, threading.Thread] = {}
        self._ends: queue.SimpleQueue[_End] = queue.SimpleQueue()
        self._errors: dict[Assignment, BaseException] = {}
        self._resting: dict[Assignment, float] = {}
        self._stop = threading.Event()
        self._crowded = self._over = False
        self._look_at = time.monotonic() + NEXT_LOOK_S
        self._make_way_at = time.monotonic() + MAKE_WAY_AFTER_S

    def run(self, first: Assignment) -> None:
        """Serve this one, and others that wait, until nobody does or the time is up. Raises what ended the first; what
        ends another is logged, and ends nobody else."""
        self._begin(first)
        try:
            while self._threads:
                self._hear(max(0.05, self._look_at - time.monotonic()))
                self._take_up()
        except BaseException:
            self._stop.set()
            raise
        finally:
            self._wait_for_all()
        if (error := self._errors.get(first)) is not None:
            raise error

    def has_room(self) -> bool:
        """Whether a further tenant would be taken up now."""
        return not self._crowded and self._takes_more()

    def _takes_more(self) -> bool:
        return len(self._threads) < self.most and not self._ends_now() and self.now() < self.until - LAST_TAKE

    def _ends_now(self) -> bool:
        return self._over or self.ending()

    def _take_up(self) -> None:
        """One tenant that waits: another process may be looking at the same moment, and takes another."""
        began = time.monotonic()
        if not self._threads or began < self._look_at:
            return
        chosen: Sequence[Assignment] = ()
        try:
            self._over = self._over or (began >= self._make_way_at and self.queue_waits())
            if self._takes_more() and not self._is_crowded():
                resting = {one for one, until in self._resting.items() if until > began}
                chosen = self.waiting(self._threads.keys() | resting)[:1]
        except (OperationalError, InterfaceError, psycopg.OperationalError) as error:
            logger.warning("database away, looking for tenants later: %s", error)
            connection.close()
        for one in chosen:
            self._begin(one)
        pause = NEXT_LOOK_S if chosen else max(LOOK_EVERY_S, LOOK_SHARE * (time.monotonic() - began))
        self._look_at = time.monotonic() + pause

    def _is_crowded(self) -> bool:
        """Whether so few of the server's connections are left that no further one is opened for a tenant."""
        free, of = free_connections()
        self._crowded = free <= max(KEEP_FREE, of // 5)
        return self._crowded

    def _begin(self, one: Assignment) -> None:
        thread = threading.Thread(target=self._serve, args=(one,), name=f"{one.work} of {one.tenant}", daemon=True)
        self._threads[one] = thread
        thread.start()

    def _hear(self, timeout_s: float) -> None:
        """Wait for a thread's end."""
        try:
            end = self._ends.get(timeout=timeout_s)
        except queue.Empty:
            return
        self._threads.pop(end.of).join()
        if end.error is not None:
            self._errors[end.of] = end.error
        if end.more:
            self.again(end.of)
        else:
            self._resting[end.of] = time.monotonic() + REST_S

    def _wait_for_all(self) -> None:
        """Until all threads have ended, or it takes too long: what hangs ends by itself, and its leases expire."""
        give_up_at = time.monotonic() + STOP_WITHIN_S
        while self._threads and time.monotonic() < give_up_at:
            self._hear(0.5)
        for one in self._threads:
            logger.error("%s of %s did not stop in time", one.work, one.tenant)

    def _check(self) -> None:
        if self._stop.is_set():
            raise ProcessStopped

    def _serve(self, one: Assignment) -> None:
        """The thread's whole life. Nothing leaves it but its end."""
        more = False
        error: BaseException | None = None
        try:
            with entered(one.tenant, task=self.task), giving_up_locks(work=one.work):
                until = min(self.until, self.now() + SLICE)
                time_slice = TimeSlice(
                    tenant=one.tenant, now=self.now, until=until,
                    has_room=self.has_room, ending=self._ends_now, check=self._check,
                )  # fmt: skip
                more = bool(import_string(work_named(one.work).serve)(time_slice))
        except ProcessStopped:
            pass
        except TenantUnavailable as refusal:  # suspended meanwhile: logged where it was refused
            error = refusal
        except BaseException as failure:
            error = failure
            logger.exception("%s of %s failed", one.work, one.tenant)
        finally:
            connections.close_all()
            self._ends.put(_End(of=one, more=more, error=error))

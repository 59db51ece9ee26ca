"""Do several kinds of work for several tenants in one worker process.

Each runs in a thread, with a connection and a schema of its own.

Work waits for agents and models nearly all of its time. While it waits, the process takes further calls from its
queues, up to RATIBA_TENANTS_AT_ONCE; where all places are taken, whoever has had a turn makes way for the next call.
The task's own thread does none of the work: it takes calls, hears of ends, and is the one that a signal interrupts.
Then every thread stops between two steps and lets its leases go. Rows decide as ever: two processes that take up the
same work of a tenant share it by slots and leases.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import psycopg
from django.db import InterfaceError, OperationalError, connection, connections
from django.utils.module_loading import import_string

from apps.jobs.queries.connections import free_connections
from apps.jobs.services.leases import returning_leases
from apps.jobs.work import TimeSlice, serving, work_named
from apps.tenants.errors import TenantUnavailable
from apps.tenants.tasks import entered, giving_up_locks

logger = logging.getLogger(__name__)

SLICE = timedelta(minutes=3)  # of one call; then others may come first
TURN_S = 10.0  # after which a call makes way for the next, where all places are taken
OVERTIME = timedelta(minutes=2)  # so long others are taken up while calls that were begun before the end go on
SHORT = timedelta(seconds=10)  # the time slice of those
LOOK_EVERY_S = 0.5  # for calls that wait
NEXT_LOOK_S = 0.05  # after one was taken up, and before the first look
STOP_WITHIN_S = 20.0
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


@dataclass(slots=True, kw_only=True)
class _Served:
    """A call that a thread serves: since when, whether it was told to make way, and whether it was made again since."""

    thread: threading.Thread
    began: float
    late: bool
    turn_is_over: bool = False
    called_again: bool = False


class TenantThreads:
    """The calls that one task serves at once, a thread each."""

    def __init__(
        self,
        *,
        most: int,
        until: datetime,
        now: Callable[[], datetime],
        next_call: Callable[[], Assignment | None],
        again: Callable[[Assignment], None],
        task: str = "",
        ending: Callable[[], bool] = lambda: False,
    ) -> None:
        """Prepare the threads.

        `next_call` takes the next call that waits for a worker (asked in the calling thread, twice a second at least);
        `again` calls a worker to what is left over; `ending` says whether the worker was told to end. `task` is who the
        audit trail and the log name.
        """
        self.most, self.until, self.now, self.task = most, until, now, task
        self.next_call, self.again, self.ending = next_call, again, ending
        self._served: dict[Assignment, _Served] = {}
        self._ends: queue.SimpleQueue[_End] = queue.SimpleQueue()
        self._errors: dict[Assignment, BaseException] = {}
        self._next: Assignment | None = None  # was called for, and waits for a place
        self._stop = threading.Event()
        self._look_at = time.monotonic() + NEXT_LOOK_S

    def run(self, first: Assignment) -> None:
        """Serve this call, and others that wait, until nobody does or the time is up. Raises what ended the first; what
        ends another is logged, and ends nobody else."""
        self._begin(first)
        try:
            while self._served:
                self._hear(max(0.02, self._look_at - time.monotonic()))
                self._take_up()
        except BaseException:
            self._stop.set()
            raise
        finally:
            self._wait_for_all()
            if self._next is not None:
                self.again(self._next)
        if (error := self._errors.get(first)) is not None:
            raise error

    def _take_up(self) -> None:
        """The next call that waits. One for what is being served here already is kept until that ends: what it calls
        to may have come after the last look at rows."""
        if not self._served or time.monotonic() < self._look_at or not self._takes_calls():
            return
        try:
            while self._next is None and (call := self.next_call()) is not None:
                if (mine := self._served.get(call)) is not None:
                    mine.called_again = True
                else:
                    self._next = call
            has_place = len(self._served) < self.most and (self._next is None or not _is_crowded())
        except (OperationalError, InterfaceError, psycopg.OperationalError) as error:
            logger.warning("database away, taking calls later: %s", error)
            connection.close()
            has_place = False
        self._look_at = time.monotonic() + (NEXT_LOOK_S if self._next and has_place else LOOK_EVERY_S)
        if self._next is not None and has_place:
            self._begin(self._next)
            self._next = None
        elif self._next is not None:
            self._end_a_turn()

    def _takes_calls(self) -> bool:
        """Tell whether calls are taken: until the time is up, and while earlier work goes on.

        That work keeps others from no place.
        """
        if self.ending():
            return False
        now = self.now()
        return now < self.until or (now < self.until + OVERTIME and any(not one.late for one in self._served.values()))

    def _end_a_turn(self) -> None:
        """Let whoever is served for longest make way, if that was a turn."""
        at = time.monotonic()
        if any(one.turn_is_over for one in self._served.values()):
            return
        longest = min(self._served.values(), key=lambda one: one.began)
        longest.turn_is_over = at - longest.began >= TURN_S

    def _begin(self, assignment: Assignment) -> None:
        now = self.now()
        late = now >= self.until
        until = now + SHORT if late else min(self.until, now + SLICE)
        thread = threading.Thread(
            target=self._serve, args=(assignment, until), name=f"{assignment.work} of {assignment.tenant}", daemon=True
        )
        self._served[assignment] = _Served(thread=thread, began=time.monotonic(), late=late)
        thread.start()

    def _hear(self, timeout_s: float) -> None:
        """Wait for a thread's end."""
        try:
            end = self._ends.get(timeout=timeout_s)
        except queue.Empty:
            return
        one = self._served.pop(end.of)
        one.thread.join()
        if end.error is not None:
            self._errors[end.of] = end.error
        if end.more or one.called_again:
            self.again(end.of)

    def _wait_for_all(self) -> None:
        """Wait until all threads have ended, or it takes too long.

        A thread that hangs ends by itself, and its leases expire.
        """
        give_up_at = time.monotonic() + STOP_WITHIN_S
        while self._served and time.monotonic() < give_up_at:
            self._hear(0.5)
        for one in self._served:
            logger.error("%s of %s did not stop in time", one.work, one.tenant)

    def _check(self) -> None:
        if self._stop.is_set():
            raise ProcessStopped

    def _serve(self, assignment: Assignment, until: datetime) -> None:
        """The thread's whole life. Nothing leaves it but its end."""
        more = False
        error: BaseException | None = None
        mine = self._served[assignment]
        time_slice = TimeSlice(
            tenant=assignment.tenant,
            now=self.now,
            until=until,
            work=assignment.work,
            check=self._check,
            ending=lambda: self.ending() or mine.turn_is_over,
        )
        try:
            with (
                entered(assignment.tenant, task=self.task),
                giving_up_locks(work=assignment.work),
                returning_leases(now=self.now),
                serving(time_slice),
            ):
                more = bool(import_string(work_named(assignment.work).serve)(time_slice))
        except ProcessStopped:
            pass
        except TenantUnavailable as refusal:  # suspended meanwhile: logged where it was refused
            error = refusal
        except BaseException as failure:
            error = failure
            logger.exception("%s of %s failed", assignment.work, assignment.tenant)
        finally:
            connections.close_all()
            self._ends.put(_End(of=assignment, more=more, error=error))


def _is_crowded() -> bool:
    """Tell whether so few of the server's connections are left that no further one is opened for a call."""
    free, of = free_connections()
    return free <= max(KEEP_FREE, of // 5)

"""Opening a battle slot in this worker."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from apps.catalog.connections.services.outbound_policies import agent_policy
from apps.connectors.outbound import outbound_client
from apps.jobs.work import TimeSlice, serving
from apps.jobs.worker_loop import LoopLimits, LoopReport, free_slot, run_worker_loop, take_slot
from apps.runs.playing.services.player_loop import PlayingWork
from apps.runs.playing.services.storing import LEASE

SLOTS = 64  # of one tenant at once: more workers than anybody has for one
BATTLES_A_WORKER = 128  # they wait as coroutines, some 0.4 MB each (docs/proofs.md)
LEAST = 16  # that a tenant may have beside others in one process
ALONE_FOR = timedelta(minutes=4)


class _Places:
    """Battles that the tenants of this process may play at once.

    Together they may play as many as one alone, or few each.
    """

    def __init__(self) -> None:
        self._lock, self._held = threading.Lock(), 0

    def take(self, most: int) -> int:
        with self._lock:
            taken = min(most, max(LEAST, BATTLES_A_WORKER - self._held))
            self._held += taken
            return taken

    def give_back(self, count: int) -> None:
        with self._lock:
            self._held -= count


_PLACES = _Places()


def play(
    *,
    tenant_limit: int,
    now: Callable[[], datetime],
    sleep: Callable[[float], Any],
    lease: timedelta = LEASE,
    on_more: Callable[[], None] = lambda: None,
    time_slice: TimeSlice | None = None,
) -> LoopReport | None:
    """Play due conversations in one of the tenant's slots; None if all slots are taken.
    All workers together have at most `tenant_limit` in flight. A worker that is silent for `lease` loses its
    conversations to another. `on_more` is called if another worker would find work. `time_slice` is the time to play,
    by default four minutes.

    When its time is up, conversations stop between two turns and are taken up by the next slot: a battle with a slow
    agent may last longer than any task.
    """
    slot = next((number for number in range(SLOTS) if take_slot("battles", number)), None)
    if slot is None:
        return None
    mine = time_slice or TimeSlice(tenant="", now=now, until=now() + ALONE_FOR)
    at_once, time_up = _PLACES.take(tenant_limit), threading.Event()
    try:
        work = PlayingWork(
            now=now,
            sleep=sleep,
            time_up=time_up.is_set,
            lease=lease,
            tenant_limit=tenant_limit,
            on_more=on_more,
        )
        with serving(mine):
            return _run(work, mine, at_once=at_once, on_time_up=time_up.set)
    finally:
        _PLACES.give_back(at_once)
        free_slot("battles", slot)


def _run(work: PlayingWork, mine: TimeSlice, *, at_once: int, on_time_up: Callable[[], None]) -> LoopReport:
    policy = agent_policy()
    heartbeat_s = work.table.lease.total_seconds() / 4
    return run_worker_loop(
        work=work,
        limits=LoopLimits(concurrency=at_once, claim_ahead=1, heartbeat_s=heartbeat_s, work_for_s=mine.seconds),
        client=lambda: outbound_client(policy),
        now=work.now,
        on_time_up=on_time_up,
        tick_s=work.pulled.tick_s,
    )

"""Opening a battle lane in this worker."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from apps.connectors.outbound import OutboundPolicy, outbound_client
from apps.jobs.queries.waiting_tenants import another_tenant_waits
from apps.jobs.worker_loop import LoopLimits, LoopReport, free_slot, run_worker_loop, take_slot
from apps.runs.services.playing import PlayingWork
from apps.runs.services.storing import LEASE

LANES = 64  # of one tenant at once: more workers than anybody has for one
BATTLES_A_WORKER = 128  # they wait as coroutines, some 0.4 MB each (docs/proofs.md)


def play(
    *,
    tenant_limit: int,
    now: Callable[[], datetime],
    sleep: Callable[[float], Any],
    lease: timedelta = LEASE,
    on_more: Callable[[], None] = lambda: None,
) -> LoopReport | None:
    """Play owed conversations beside the tenant's other workers; together they have at most `tenant_limit` in flight.
    None when there are more workers at it than lanes. A worker that is silent for `lease` has lost its conversations to
    another. `on_more` is told that another worker would find work.

    When its time is up, conversations stop between two turns and are taken up by the next lane: a battle with a slow
    agent may last longer than any task.
    """
    lane = next((number for number in range(LANES) if take_slot("battles", number)), None)
    if lane is None:
        return None
    try:
        at_once, heartbeat_s = min(tenant_limit, BATTLES_A_WORKER), lease.total_seconds() / 4
        limits = LoopLimits(concurrency=at_once, claim_ahead=1, heartbeat_s=heartbeat_s)
        time_up = threading.Event()
        policy = OutboundPolicy(private_hosts=tuple(settings.PRIVATE_HOSTS), purpose="agent")
        work = PlayingWork(
            now=now, sleep=sleep, time_up=time_up.is_set, lease=lease,
            tenant_limit=tenant_limit, on_more=on_more,
        )  # fmt: skip
        return run_worker_loop(
            work=work,
            limits=limits,
            client=lambda: outbound_client(policy),
            now=now,
            others_wait=lambda: another_tenant_waits(now=now()),
            on_time_up=time_up.set,
            tick_s=work.pulled.tick_s,
        )
    finally:
        free_slot("battles", lane)

"""Opening a battle lane in this worker."""

import threading
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.conf import settings

from apps.connectors.outbound import OutboundPolicy, outbound_client
from apps.jobs.queries.waiting_tenants import another_tenant_waits
from apps.jobs.worker_loop import LoopLimits, LoopReport, free_slot, run_worker_loop, take_slot
from apps.runs.services.participants import SILENCE_S
from apps.runs.services.playing import PlayingWork


def play(
    *,
    concurrency: int,
    now: Callable[[], datetime],
    sleep: Callable[[float], Any],
    heartbeat_timeout_s: float = SILENCE_S,
) -> LoopReport | None:
    """Play owed conversations, at most `concurrency` at once in this tenant; None when another worker is at it.

    When its time is up, conversations stop between two turns and are taken up by the next lane: a battle with a slow
    agent may last longer than any task.
    """
    if not take_slot("battles", 0):
        return None
    try:
        limits = LoopLimits(concurrency=concurrency, claim_ahead=1)
        time_up = threading.Event()
        policy = OutboundPolicy(private_hosts=tuple(settings.PRIVATE_HOSTS), purpose="agent")
        return run_worker_loop(
            work=PlayingWork(now=now, sleep=sleep, time_up=time_up.is_set, heartbeat_timeout_s=heartbeat_timeout_s),
            limits=limits,
            client=lambda: outbound_client(policy),
            now=now,
            others_wait=lambda: another_tenant_waits(now=now()),
            on_time_up=time_up.set,
        )
    finally:
        free_slot("battles", 0)

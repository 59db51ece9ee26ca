"""Opening a battle lane in this worker."""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.conf import settings

from apps.connectors.outbound import OutboundPolicy, outbound_client
from apps.runs.services.lane import LaneLimits, LaneReport, lane_lock, lane_unlock, run_lane
from apps.runs.services.playing import PlayingWork


def play(*, concurrency: int, now: Callable[[], datetime], sleep: Callable[[float], Any]) -> LaneReport | None:
    """Play owed conversations, at most `concurrency` at once in this tenant; None when another worker is at it.

    When its time is up, conversations stop between two turns and are taken up by the next lane: a battle with a slow
    agent may last longer than any task.
    """
    if not lane_lock("battles", 0):
        return None
    try:
        limits = LaneLimits(concurrency=concurrency, claim_ahead=1)
        until = time.monotonic() + limits.work_for_s
        policy = OutboundPolicy(private_hosts=tuple(settings.PRIVATE_HOSTS), purpose="agent")
        return run_lane(
            work=PlayingWork(now=now, sleep=sleep, time_up=lambda: time.monotonic() >= until),
            limits=limits,
            client=lambda: outbound_client(policy),
            now=now,
        )
    finally:
        lane_unlock("battles", 0)

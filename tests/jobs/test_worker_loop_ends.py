"""When a lane ends: its time is up, or whoever opened it has what it wants."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx

from apps.jobs.work import TimeSlice, serving
from apps.jobs.worker_loop import LoopLimits, LoopReport, run_worker_loop
from tests.evaluations.bench import NOW


class EndlessWork:
    """Always owes as much as is wanted; a call takes `call_s`."""

    def __init__(self, call_s: float) -> None:
        self.call_s, self.made = call_s, 0

    def claim(self, limit: int) -> list[Any]:
        async def job(client: Any, emit: Any) -> None:
            time.sleep(self.call_s)

        self.made += limit
        return [(self.made - n, job) for n in range(limit)]

    def begin(self, keys: Any) -> Any:
        return keys

    def answer_requests(self, deliveries: Any) -> Any:
        return deliveries

    def stop(self) -> None: ...

    def store(self, deliveries: Any) -> list[Any]:
        return [one.key for one in deliveries]

    def heartbeat(self, keys: Any) -> None: ...

    def next_due(self, within: timedelta) -> Any:
        return NOW + timedelta(seconds=1) if self.call_s < 0 else None

    def release(self) -> None: ...


def lane(may_end: Callable[[], bool], *, call_s: float = 0.001, work_for_s: float = 1.5) -> tuple[LoopReport, float]:
    began = time.monotonic()
    report = run_worker_loop(
        work=EndlessWork(call_s),
        limits=LoopLimits(concurrency=2, work_for_s=work_for_s, look_every_s=0.5),
        client=httpx.AsyncClient,
        now=lambda: NOW,
        may_end=may_end,
    )
    return report, time.monotonic() - began


def test_a_lane_ends_where_its_caller_has_what_it_wants(tenant):
    report, seconds = lane(lambda: True)
    assert report.more
    assert 0.5 <= seconds < 1.4


def test_a_lane_goes_on_until_its_time_is_up(tenant):
    report, seconds = lane(lambda: False)
    assert report.more
    assert seconds >= 1.5


def test_a_lane_ends_when_its_time_slice_is_told_to_make_way(tenant):
    began = time.monotonic()
    over = TimeSlice(tenant="", now=lambda: NOW, until=NOW, ending=lambda: time.monotonic() > began + 0.3)
    with serving(over):
        report, seconds = lane(lambda: False, work_for_s=9.0)
    assert report.more
    assert seconds < 5


def test_a_lane_that_only_waits_keeps_no_worker_from_others(tenant, monkeypatch):
    monkeypatch.setattr(EndlessWork, "claim", lambda self, limit: [])
    report, seconds = lane(lambda: True, call_s=-1)
    assert (report.more, report.settled) == (True, 0)
    assert seconds < 1.0

"""Whether another tenant waits for a worker, and what a lane does then."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.db import connection

from apps.evaluations.models import Evaluation, Judgement
from apps.jobs import work
from apps.jobs.queries.waiting_tenants import another_tenant_waits
from apps.jobs.work import Work
from apps.jobs.worker_loop import LoopLimits, LoopReport, free_slot, run_worker_loop, take_slot
from apps.tenants.context import in_tenant
from apps.tenants.domain.naming import schema_for
from apps.tenants.services import add_ephemeral_tenant, delete_tenant
from tests.evaluations.bench import NOW, evaluated, make_config


@pytest.fixture
def other(fresh_tenant):
    slug = add_ephemeral_tenant(label="other").slug
    yield slug
    delete_tenant(slug=slug)


def test_another_tenant_waits_while_its_work_is_due_and_no_lane_of_its_own_is_open(fresh_tenant, other):
    def waits() -> bool:
        with in_tenant(fresh_tenant):
            return another_tenant_waits(now=NOW)

    assert not waits()
    with in_tenant(fresh_tenant):
        evaluated(make_config())
    assert not waits()  # its own work keeps nobody waiting
    with in_tenant(other):
        evaluation = evaluated(make_config())
    assert waits()
    with in_tenant(other):
        assert take_slot("judging", 0)
        try:
            assert not waits()
        finally:
            free_slot("judging", 0)
        Judgement.objects.update(not_before=NOW + timedelta(seconds=9))
    assert not waits()
    with in_tenant(other):
        Judgement.objects.all().delete()
        Evaluation.objects.filter(pk=evaluation.pk).update(status="pending")
    assert waits()  # its judgements are not even written down
    connection.close()


def test_any_rooms_work_with_slots_keeps_a_lane_from_taking_a_second_turn(fresh_tenant, other, monkeypatch):
    def waits() -> bool:
        with in_tenant(fresh_tenant):
            return another_tenant_waits(now=NOW)

    always = f"""SELECT now() AS since WHERE '{{schema}}' = '"{schema_for(other)}"'"""  # in that tenant
    without = Work(name="elsewhere", label="thing", serve="none", queue="improvement", table="runs_testrun", due=())
    monkeypatch.setitem(work._REGISTRY, "elsewhere", without)
    assert not waits()
    monkeypatch.setitem(work._REGISTRY, "elsewhere", replace(without, slots="elsewhere", waiting_sql=always))
    assert waits()
    with in_tenant(other):
        assert take_slot("elsewhere", 0)
        try:
            assert not waits()
        finally:
            free_slot("elsewhere", 0)
    connection.close()


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


def lane(
    others_wait: Callable[[], bool], *, call_s: float = 0.001, work_for_s: float = 3.0
) -> tuple[LoopReport, float]:
    began = time.monotonic()
    report = run_worker_loop(
        work=EndlessWork(call_s),
        limits=LoopLimits(concurrency=2, work_for_s=work_for_s),
        client=httpx.AsyncClient,
        now=lambda: NOW,
        others_wait=others_wait,
    )
    return report, time.monotonic() - began


def test_a_lane_of_quick_calls_ends_after_two_seconds_where_another_tenant_waits(tenant):
    report, seconds = lane(lambda: True)
    assert report.more
    assert 2.0 <= seconds < 2.9


def test_a_lane_goes_on_where_nobody_else_waits(tenant):
    report, seconds = lane(lambda: False)
    assert report.more
    assert seconds >= 3.0


def test_a_lane_that_only_waits_keeps_no_worker_from_another_tenant(tenant, monkeypatch):
    monkeypatch.setattr(EndlessWork, "claim", lambda self, limit: [])
    report, seconds = lane(lambda: True, call_s=-1)
    assert (report.more, report.settled) == (True, 0)
    assert seconds < 1.0

"""Many calls beside one thread: slots, deliveries, and every way a job can end."""

import asyncio
import threading
import time

import httpx
import pytest

from apps.connectors.parallel import Delivery, ParallelCalls


def collected(calls: ParallelCalls, count: int, *, settle: bool = True) -> list[Delivery]:
    """That many final deliveries."""
    found: list[Delivery] = []
    until = time.monotonic() + 10
    while sum(one.final for one in found) < count and time.monotonic() < until:
        news = calls.collect(timeout=0.2)
        found += news
        if settle:
            calls.settle([one.key for one in news if one.final])
    return found


def test_every_job_delivers_once_and_is_open_until_it_is_settled():
    async def job(client, emit):
        emit("part")
        return "whole"

    with ParallelCalls(concurrency=2, client=httpx.AsyncClient) as calls:
        for key in range(5):
            calls.submit(key, job)
        assert calls.open_keys == frozenset(range(5))
        found = collected(calls, 5)
        assert {one.key for one in found if one.final} == set(range(5))
        assert [one.value for one in found if not one.final] == ["part"] * 5
        assert calls.open_keys == frozenset()


def test_a_slot_is_given_back_by_settling_and_not_by_the_end_of_a_call():
    started = []

    async def job(client, emit):
        started.append(1)

    with ParallelCalls(concurrency=2, client=httpx.AsyncClient) as calls:
        for key in range(6):
            calls.submit(key, job)
        first = collected(calls, 2, settle=False)
        time.sleep(0.05)
        assert (len(started), len(first)) == (2, 2)
        calls.settle([one.key for one in first])
        collected(calls, 4)
        assert len(started) == 6


def test_no_more_than_the_slots_run_at_once():
    running = most = 0

    async def job(client, emit):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1

    with ParallelCalls(concurrency=3, client=httpx.AsyncClient) as calls:
        for key in range(12):
            calls.submit(key, job)
        collected(calls, 12)
    assert most == 3


@pytest.mark.parametrize("error", [ValueError("no"), asyncio.CancelledError(), TimeoutError(), KeyError("x")])
def test_whatever_a_job_raises_is_delivered_and_its_slot_comes_back(error):
    async def bad(client, emit):
        raise error

    async def good(client, emit):
        return 1

    with ParallelCalls(concurrency=1, client=httpx.AsyncClient) as calls:
        calls.submit("bad", bad)
        calls.submit("good", good)
        found = collected(calls, 2)
    assert {one.key: type(one.error) for one in found} == {"bad": type(error), "good": type(None)}


def test_leaving_cancels_what_is_open_and_leaves_no_thread():
    cancelled, started = [], threading.Semaphore(0)

    async def job(client, emit):
        started.release()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(1)
            raise

    with ParallelCalls(concurrency=2, client=httpx.AsyncClient) as calls:
        calls.submit("a", job)
        calls.submit("b", job)
        assert started.acquire(timeout=10)
        assert started.acquire(timeout=10)
    assert len(cancelled) == 2
    assert "parallel-calls" not in {thread.name for thread in threading.enumerate()}


def test_a_client_that_cannot_be_made_is_an_error_and_not_a_standstill():
    def broken():
        raise OSError("no certificates")

    with pytest.raises(OSError, match="no certificates"), ParallelCalls(concurrency=1, client=broken):
        pass


def test_collecting_nothing_waits_no_longer_than_asked():
    with ParallelCalls(concurrency=1, client=httpx.AsyncClient) as calls:
        since = time.monotonic()
        assert calls.collect(timeout=0.05) == []
        assert calls.collect(timeout=0) == []
        assert time.monotonic() - since < 10  # and does not wait for ever

"""Many calls at once, beside a thread that owns the database connection.

Coroutines run on an asyncio loop in a thread of their own and see plain data only. What they give back waits in a
queue until the owning thread takes it, stores it and settles it. A slot is given back by `settle`, not by the end of
the call: whatever is killed, no more calls than slots can have been paid without being stored.
"""

import asyncio
import queue
import threading
import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import httpx

Emit = Callable[[Any], None]
Job = Callable[[httpx.AsyncClient, Emit], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Delivery:
    """Something a job gave back. `final` ends the job; before that it may deliver any number of parts."""

    key: Hashable
    value: Any
    error: BaseException | None
    final: bool


class ParallelCalls:
    """Runs jobs with at most `concurrency` slots. Use as a context manager; leaving it cancels what is still open."""

    def __init__(self, *, concurrency: int, client: Callable[[], httpx.AsyncClient]) -> None:
        self._concurrency = concurrency
        self._make_client = client
        self._inbox: queue.SimpleQueue[Delivery] = queue.SimpleQueue()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="parallel-calls", daemon=True)
        self._ready = threading.Event()
        self._broken: BaseException | None = None
        self._open: set[Hashable] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def open_keys(self) -> frozenset[Hashable]:
        """Jobs submitted and not yet settled."""
        return frozenset(self._open)

    def submit(self, key: Hashable, job: Job) -> None:
        """Queue a job; it starts as soon as a slot is free."""
        self._open.add(key)
        self._loop.call_soon_threadsafe(self._start, key, job)

    def collect(self, *, timeout: float, gather: float = 0.0) -> list[Delivery]:
        """Return all that is delivered by now.

        Waits up to `timeout` seconds for the first, then `gather` for its company.
        """
        try:
            results = [self._inbox.get(timeout=timeout)] if timeout > 0 else [self._inbox.get_nowait()]
        except queue.Empty:
            return []
        if gather:
            time.sleep(gather)
        while True:
            try:
                results.append(self._inbox.get_nowait())
            except queue.Empty:
                return results

    def settle(self, keys: list[Hashable]) -> None:
        """The results of these jobs are stored: give their slots back."""
        self._open.difference_update(keys)
        self._loop.call_soon_threadsafe(self._release, len(keys))

    def __enter__(self) -> "ParallelCalls":
        self._thread.start()
        self._ready.wait()
        if self._broken is not None:
            raise self._broken
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(timeout=15)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except Exception as error:  # the client cannot be made: whoever waits for it must learn it
            self._broken = error
        finally:
            self._loop.close()
            self._ready.set()

    async def _serve(self) -> None:
        self._slots = asyncio.Semaphore(self._concurrency)
        self._stop = asyncio.Event()
        async with self._make_client() as self._client:
            self._ready.set()
            await self._stop.wait()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, key: Hashable, job: Job) -> None:
        task = self._loop.create_task(self._work(key, job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _release(self, count: int) -> None:
        for _ in range(count):
            self._slots.release()

    async def _work(self, key: Hashable, job: Job) -> None:
        await self._slots.acquire()

        def emit(part: Any) -> None:
            self._inbox.put(Delivery(key, part, None, final=False))

        try:
            value = await job(self._client, emit)
        except (Exception, asyncio.CancelledError) as error:
            if self._stop.is_set():
                raise
            # A cancellation that is not ours came out of a library: an error as any other, or its slot is lost.
            self._inbox.put(Delivery(key, None, error, final=True))
        else:
            self._inbox.put(Delivery(key, value, None, final=True))

"""One agent, as one worker's players know it: may a turn be sent, and what came of it. Plain data, no database: the
thread that owns the connection writes down what they noted (agent_paces.py)."""

import asyncio
import statistics
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from apps.connectors.errors import ConnectorError, RateLimited
from apps.runs.domain import agent_throttle as rules
from apps.runs.domain.agent_throttle import Throttle

POLL_S = 0.05  # how often a turn that waits for its place looks again
GRACE_S = 1.0  # a failed turn waits so long for those beside it: when all fail, it was the agent and not this one
Event = Callable[[Throttle, int, int], Throttle]  # what is known, conversations in flight, the most there may be


@dataclass(slots=True)
class AgentPace:
    """One agent, as one worker knows it. Safe to use from the loop that asks and the thread that stores."""

    now: Callable[[], datetime]
    state: Throttle = field(default_factory=Throttle)
    in_flight: int = 0
    _latencies: list[float] = field(default_factory=list)
    _events: list[Event] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @asynccontextmanager
    async def turn(self, sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep) -> AsyncIterator[None]:
        """One turn to the agent: waits for its place, and notes what came. Raises RateLimited where nothing may be sent
        for now, because the agent said so to this worker or to another."""
        while self.state.at_once is not None and self.in_flight >= self.state.at_once:
            await sleep(POLL_S)
        pause = self.state.resumes_at
        if pause is not None and (left := (pause - self.now()).total_seconds()) > 0:
            raise RateLimited("the agent asked for a pause", retry_after=left)
        self.in_flight += 1
        try:
            yield
        except RateLimited as error:
            if not str(error.extra.get("who", "")).startswith("model "):  # one that the agent is made of
                self._note(self._limited(error.retry_after))
            raise
        finally:
            self.in_flight -= 1

    def answered(self, latency_s: float | None = None) -> None:
        """The agent answered, well or not; how quickly is measured where it did well."""
        with self._lock:
            self._latencies += [] if latency_s is None else [latency_s]
            window = self._latencies if len(self._latencies) >= rules.WINDOW else None
            if window:
                self._latencies = []
        if self.state.failures or self.state.down_since or self.state.limited_since:
            self._note(lambda state, count, most: rules.answered(state))
        if window:
            median_s = statistics.median(window)
            self._note(lambda state, count, most: rules.measured(state, median_s=median_s, in_flight=count, most=most))

    def failed(self, error: ConnectorError) -> None:
        """The turn was not answered: by no fault of what was said in it."""
        words, now = str(error), self.now()
        self._note(lambda state, count, most: rules.failed(state, error=words, now=now))

    def _limited(self, retry_after_s: float) -> Event:
        now, here = (
            self.now(),
            self.in_flight,
        )  # the leases of those that were refused with it may be given back by then

        def event(state: Throttle, count: int, most: int) -> Throttle:
            return rules.limited(state, retry_after_s=retry_after_s, in_flight=max(count, here), now=now)

        return event

    def _note(self, event: Event) -> None:
        with self._lock:
            self._events.append(event)

    def take_events(self) -> list[Event]:
        """Take the events since the last call."""
        with self._lock:
            events, self._events = self._events, []
        return events

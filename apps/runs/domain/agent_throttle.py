"""Throttle an agent: fewer calls when it limits us or becomes slow, one conversation when it is down."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

FAILURES_IN_A_ROW = 3  # our own choice: fewer may be chance, and each costs a conversation
FIRST_PROBE_S, MAX_PROBE_S = 5.0, 60.0  # between two tries of an agent that is down: doubled each time
SLOWER = 2.0  # a median reply of twice the usual time is a strained agent, less is chance
STRAINED_S = 0.25  # who answers sooner is not strained: times so short are our machine's as much as the agent's
DRIFT = 1.05  # the usual time may grow by so much a window: an agent that became slower for good is not spared for ever
WINDOW = 16  # replies whose median is looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttle:
    """The limits of an agent (runs.models.AgentThrottle); `at_once` None: as many as its limits allow. `limited_since`:
    it has answered nothing but 429 since."""

    at_once: int | None = None
    usual_latency_s: float | None = None
    resumes_at: datetime | None = None
    limited_since: datetime | None = None
    failures: int = 0
    down_since: datetime | None = None
    probe_at: datetime | None = None
    last_error: str = ""


def places(state: Throttle, *, now: datetime) -> int | None:
    """Return how many conversations the agent may have in flight now; None: as many as its limits allow."""
    if state.resumes_at is not None and now < state.resumes_at:
        return 0
    if state.down_since is not None:
        return 0 if state.probe_at is not None and now < state.probe_at else 1
    return state.at_once


def limited(state: Throttle, *, retry_after_s: float, in_flight: int, now: datetime) -> Throttle:
    """Note that the agent answered 429: send nothing for as long as it said, then to half as many.

    Conversations that were in flight at that time halve nothing a second time.
    """
    until = now + timedelta(seconds=retry_after_s)
    again = state.resumes_at is not None and now < state.resumes_at
    resumes_at = max(until, state.resumes_at) if state.resumes_at is not None else until
    at_once = state.at_once if again else max(1, min(in_flight, state.at_once or in_flight) // 2)
    since = state.limited_since or now
    return replace(answered(state), resumes_at=resumes_at, at_once=at_once, limited_since=since)


def answered(state: Throttle) -> Throttle:
    """Note that the agent answered a turn: it is not down, and does not only limit us."""
    return replace(state, failures=0, down_since=None, probe_at=None, last_error="", limited_since=None)


def failed(state: Throttle, *, error: str, now: datetime) -> Throttle:
    """A turn was not answered by the agent's or the network's fault; the third in a row says that it is down."""
    failures = state.failures + 1
    if failures < FAILURES_IN_A_ROW and state.down_since is None:
        return replace(state, failures=failures, last_error=error[:300])
    if state.probe_at is not None and now < state.probe_at:  # it was under way when the agent was found to be down
        return replace(state, failures=failures)
    since = state.down_since or now
    wait_s = min(MAX_PROBE_S, max(FIRST_PROBE_S, (now - since).total_seconds()))
    probe_at = now + timedelta(seconds=wait_s)
    return replace(state, failures=failures, down_since=since, probe_at=probe_at, last_error=error[:300])


def measured(state: Throttle, *, median_s: float, in_flight: int, most: int) -> Throttle:
    """Adapt the conversations at once to how long a window of replies took.

    They are halved where that is twice the usual time and STRAINED_S at least, else half as many more, up to `most`.
    """
    usual = min(median_s, (state.usual_latency_s or median_s) * DRIFT)
    at_once = state.at_once
    if median_s > max(SLOWER * usual, STRAINED_S) and in_flight > 1:
        at_once = max(1, min(in_flight, at_once or in_flight) // 2)
    elif at_once is not None:
        more = at_once + max(1, at_once // 2)
        at_once = more if more < most else None
    return replace(state, usual_latency_s=usual, at_once=at_once)

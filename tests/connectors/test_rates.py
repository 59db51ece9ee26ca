"""The rate at which a model that limits us is asked: servers of a known rate, on a clock of the test's own."""

import heapq
import random
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from apps.connectors.cool_downs import CoolDowns, key_of
from apps.connectors.llms.base import ModelSpec
from apps.connectors.rates import HORIZON_S

SPEC = ModelSpec(provider="openai", model="m", base_url="https://one", api_key="k")
START = datetime(2026, 3, 1, tzinfo=UTC)
LATENCY_S = 0.05

Server = Callable[[float], bool]


def bucket_server(rate: float, *, burst: float = 1.0, faster_at: float = 1e9, faster: float = 0.0) -> Server:
    level, last = [burst], [0.0]

    def takes(at: float) -> bool:
        now = faster if at >= faster_at else rate
        level[0], last[0] = min(burst, level[0] + (at - last[0]) * now), at
        if level[0] < 1:
            return False
        level[0] -= 1
        return True

    return takes


def sliding_server(rate: int) -> Server:
    taken: deque[float] = deque()

    def takes(at: float) -> bool:
        while taken and taken[0] <= at - 1:
            taken.popleft()
        if len(taken) >= rate:
            return False
        taken.append(at)
        return True

    return takes


def answered(
    server: Server,
    *,
    seconds: float,
    told_s: float | None = 1.0,
    at_once: int = 32,
    late_s: float = 0.0,
    seed: int = 1,
) -> list[float]:
    """When a server answered that `at_once` callers ask without end, and who else would do as the lane does. Calls
    arrive `late_s` late in the mean."""
    chance = random.Random(seed)
    now = [0.0]
    limits = CoolDowns(now=lambda: START + timedelta(seconds=now[0]))
    moments: list[float] = []
    order = count()
    events: list[tuple[float, int, str]] = [(0.0, next(order), "ask") for _ in range(at_once)]
    while events:
        at, _, what = heapq.heappop(events)
        if at > seconds:
            break
        now[0] = at

        def later(wait: float, what: str = "ask", at: float = at) -> None:
            heapq.heappush(events, (at + max(wait, 0.001), next(order), what))

        if what == "ask" and (left := limits.remaining(SPEC)) > 0:
            later(left)
        elif what == "ask" and limits.is_paced(SPEC) and (wait := limits.take(key_of(SPEC))) > 0:
            later(wait, "ask" if wait > HORIZON_S else "send")
        elif what == "send" and (left := limits.remaining(SPEC)) > 0:
            later(left)
        elif what in ("ask", "send") and late_s:
            later(chance.expovariate(1 / late_s), "arrive")
        elif what in ("ask", "send", "arrive"):
            later(LATENCY_S, "took" if server(at) else "refused")
        elif what == "took":
            limits.answered(SPEC, began=START + timedelta(seconds=at - LATENCY_S))
            moments.append(at)
            later(0.0)
        else:
            later(limits.limited(SPEC, retry_after=told_s or 20.0, told=told_s is not None))
    return moments


@pytest.mark.parametrize("told_s", [1.0, 0.2, None], ids=["retry-after", "retry-after-ms", "nothing told"])
@pytest.mark.parametrize("rate", [1, 5, 50])
@pytest.mark.parametrize("kind", ["bucket", "burst", "sliding"])
def test_four_fifths_of_what_a_server_takes_are_used(rate, told_s, kind):
    server = {
        "bucket": lambda: bucket_server(rate),
        "burst": lambda: bucket_server(rate, burst=2.0 * rate),
        "sliding": lambda: sliding_server(rate),
    }[kind]()
    moments = answered(server, seconds=120, told_s=told_s)
    assert len(moments) >= 0.8 * rate * 120
    late = [at for at in moments if at > 90]
    assert len(late) >= 0.8 * rate * 30


@pytest.mark.parametrize("told_s", [1.0, None], ids=["retry-after", "nothing told"])
@pytest.mark.parametrize("rate, faster", [(1, 5), (1, 50), (5, 50)])
def test_a_server_that_becomes_faster_again_is_used_again(rate, faster, told_s):
    moments = answered(bucket_server(rate, faster_at=60, faster=faster), seconds=180, told_s=told_s)
    assert len([at for at in moments if at > 150]) >= 0.8 * min(faster, 32 / LATENCY_S) * 30


def test_one_refusal_in_ten_slows_nobody_down():
    drawn = count()
    moments = answered(lambda _: next(drawn) % 10 != 3, seconds=20, told_s=1.0)
    assert len(moments) >= 0.8 * (32 * 9 / (9 * LATENCY_S + 1.05)) * 20  # each tenth waits as told, and nobody else


@pytest.mark.parametrize("seed", range(4))
def test_calls_that_arrive_some_hundredths_late_cost_a_slow_server_little(seed):
    """A server that takes one call at a time refuses what comes a moment too early behind a late one."""
    moments = answered(bucket_server(1), seconds=120, late_s=0.05, seed=seed)
    assert len(moments) >= 0.75 * 120

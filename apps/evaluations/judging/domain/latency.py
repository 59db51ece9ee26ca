"""Measure how long the agent and the customer took to answer, from the times of a transcript."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from statistics import median
from typing import Any

from apps.core.timestamps import parse_timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Seconds: how many were measured, the median, the 90th percentile (nearest rank) and the longest."""

    count: int
    median: float
    p90: float
    max: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyStats:
    """Times of a conversation: `responses` of the agent, `hesitations` of the customer.

    A response is the time from the customer's last message to the agent's first words; a hesitation is the time from
    the agent's last words to the customer. None where nothing could be measured: a missing time is not a time of 0.
    `slowest_turn` is the agent's turn.
    """

    responses: Spread | None
    hesitations: Spread | None
    slowest_turn: int | None = None


def latency_statistics(turns: Sequence[Mapping[str, Any]], *, played: bool = False) -> dict[str, Any]:
    """Return `measure` as JSON-ready data.

    It is {"responses": {...} or None, "hesitations": {...} or None, "slowest_turn"}. `played`: a program spoke as the
    customer. Its pauses are those of a model or of our queue, and no hesitations.
    """
    statistics = asdict(measure(turns))
    return {**statistics, "hesitations": None} if played else statistics


def measure(turns: Sequence[Mapping[str, Any]]) -> LatencyStats:
    """Statistics over the turns of one conversation document (`ts` ISO text or datetime, `latency_ms`).

    A response is taken from `latency_ms` where one agent turn answers; with tool calls in between from the two `ts`,
    else from the sum of the `latency_ms`. Times that run backwards are left out. Pure, linear.
    """
    responses: list[tuple[float, int]] = []
    hesitations: list[float] = []
    question_at: datetime | None = None
    answered: datetime | None = None
    waiting, chain = False, list[float | None]()
    for number, turn in enumerate(turns):
        role, ts = turn.get("role"), _time(turn.get("ts"))
        spoken = bool(str(turn.get("content") or "").strip())
        if role == "user" and spoken:
            if not waiting:
                _add(hesitations, answered, ts)
            question_at, waiting, chain = ts, True, []
        elif role == "assistant":
            chain.append(_seconds(turn.get("latency_ms")))
            if spoken:
                took = _took(chain, question_at, ts) if waiting else None
                if took is not None:
                    responses.append((took, number))
                answered, waiting, chain = ts, False, []
    return LatencyStats(
        responses=_spread([took for took, _ in responses]),
        hesitations=_spread(hesitations),
        slowest_turn=max(responses, key=lambda item: item[0])[1] if responses else None,
    )


def _took(chain: list[float | None], question_at: datetime | None, answered: datetime | None) -> float | None:
    if len(chain) == 1 and chain[0] is not None:
        return chain[0]
    if question_at is not None and answered is not None and answered >= question_at:
        return (answered - question_at).total_seconds()
    known = [value for value in chain if value is not None]
    return sum(known) if known and len(known) == len(chain) else None


def _add(into: list[float], start: datetime | None, end: datetime | None) -> None:
    if start is not None and end is not None and end >= start:
        into.append((end - start).total_seconds())


def _spread(seconds: list[float]) -> Spread | None:
    if not seconds:
        return None
    ordered = sorted(seconds)
    rank = math.ceil(0.9 * len(ordered)) - 1
    return Spread(
        count=len(ordered),
        median=round(median(ordered), 3),
        p90=round(ordered[rank], 3),
        max=round(ordered[-1], 3),
    )


def _seconds(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        return None
    return value / 1000


def _time(value: Any) -> datetime | None:
    if isinstance(value, datetime):
        return value if value.tzinfo else None
    if not isinstance(value, str):
        return None
    try:
        return parse_timestamp(value)
    except ValueError:
        return None

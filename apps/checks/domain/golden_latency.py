"""Did the agent become slower than in the golden session? Pure.

A turn may take three times the golden one (an LLM agent's own variation is 2 to 10 times, brief 004, so a single turn
says little), all turns together one and a half times; where the golden has no times, a turn may take 30 s. From three
repeats on the totals are tested instead: a one-sided 95 % interval of the mean logarithm of their ratio.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from apps.runs.goldens.domain.replayed import ReplayedTurn
from apps.statistics.decision import Decision, decide
from apps.statistics.paired import standard_deviation
from apps.statistics.quantiles import student_t

TURN_FACTOR, TOTAL_FACTOR = 3.0, 1.5
SLACK_S = 0.25  # of the way to the agent and back: half a second more says nothing about an agent that takes 0.1 s
FLOOR_S = 1.0  # a turn may always take as long: below it, two machines differ more than two agents
BUSY = 1.5  # programs for each processor: from there on our own machine may have been what was slow
UNKNOWN_BUDGET_S = 30.0
MIN_REPEATS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyFinding:
    """Finding on latency.

    `score` is the smallest share budget/latency, at most 1; `turn` the conversation's turn it is about, or None.
    """

    decision: Decision
    score: float
    reason: str
    turn: int | None = None


def latency_finding(turns: Sequence[ReplayedTurn], *, repeats_s: Sequence[float] = ()) -> LatencyFinding | None:
    """Decide on a replay's latency; None where no turn was timed.

    `repeats_s`: total latencies of all repeats, this one included.
    """
    timed = [turn for turn in turns if turn.latency_s is not None]
    if not timed:
        return None
    golden_s = [turn.golden_latency_s for turn in timed if turn.golden_latency_s is not None]
    whole = len(golden_s) == len(timed)  # every turn has its golden time: totals can be compared
    if whole and len(repeats_s) >= MIN_REPEATS:
        return _unless_busy(_of_repeats(sum(golden_s), repeats_s), timed)
    shares = [(_turn_budget(turn) / max(turn.latency_s or 0.0, 1e-9), turn) for turn in timed]
    share, slowest = min(shares, key=lambda pair: pair[0])
    total_s = sum(turn.latency_s or 0.0 for turn in timed)
    budget_s = max(FLOOR_S, TOTAL_FACTOR * sum(golden_s) + SLACK_S * len(timed))
    if whole and budget_s / max(total_s, 1e-9) < min(share, 1.0):
        share = budget_s / total_s
        reason = f"{total_s:.1f} s in all, {sum(golden_s):.1f} s in the golden session: the budget is {budget_s:.1f} s."
        return _unless_busy(LatencyFinding(decision=Decision.FAIL, score=share, reason=reason), timed)
    at, known = slowest.at, slowest.golden_latency_s
    before = "no golden time" if known is None else f"{known:.1f} s in the golden session"
    reason = f"Slowest against its budget: {slowest.latency_s:.1f} s, {before}, budget {_turn_budget(slowest):.1f} s."
    finding = LatencyFinding(decision=decide(min(share, 1.0), 1.0), score=min(share, 1.0), reason=reason, turn=at)
    return _unless_busy(finding, timed)


def _unless_busy(finding: LatencyFinding, turns: Sequence[ReplayedTurn]) -> LatencyFinding:
    """Make a failed finding undecided where our machine was busy meanwhile: it may have been that."""
    load = max((turn.host_load for turn in turns if turn.host_load is not None), default=0.0)
    if finding.decision is not Decision.FAIL or load < BUSY:
        return finding
    reason = f"{finding.reason} Our own machine was busy meanwhile ({load:.1f} programs for each processor)."
    return replace(finding, decision=Decision.UNDECIDED, reason=reason)


def _turn_budget(turn: ReplayedTurn) -> float:
    if turn.golden_latency_s is None:
        return UNKNOWN_BUDGET_S
    return max(FLOOR_S, TURN_FACTOR * turn.golden_latency_s + SLACK_S)


def _of_repeats(golden_s: float, repeats_s: Sequence[float]) -> LatencyFinding:
    logs = [math.log(max(total, 1e-9) / max(golden_s, 1e-9)) for total in repeats_s]
    mean = sum(logs) / len(logs)
    width = student_t(0.95, len(logs) - 1) * standard_deviation(logs) / math.sqrt(len(logs))
    line = math.log(max(TOTAL_FACTOR + SLACK_S / max(golden_s, 1e-9), FLOOR_S / max(golden_s, 1e-9)))
    decision = decide(-mean, -line, width)
    reason = (
        f"{len(logs)} repeats take {math.exp(mean):.2f} times the golden session's {golden_s:.1f} s "
        f"({math.exp(mean - width):.2f} to {math.exp(mean + width):.2f}); the line is {math.exp(line):.2f}."
    )
    return LatencyFinding(decision=decision, score=min(1.0, math.exp(line - mean)), reason=reason)

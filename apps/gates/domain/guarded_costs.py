"""Costs that an agent may not raise unseen: its time, and the tokens and calls of a conversation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import fsum

from apps.core.portable.first_names import listed
from apps.core.redaction import redact
from apps.gates.domain.gate_states import GateReasonCode
from apps.gates.domain.losses import GateMetric, MetricOutcome, suspected
from apps.gates.domain.measurability import GateReason
from apps.gates.domain.paired_metrics import COSTS, DOUBLED_CALLS, LATENCY, TOKENS, TOOL_CALLS, PairedValues, case_means
from apps.gates.domain.policy import GatePolicy
from apps.gates.domain.side import GateSide, GateTrial

ALIKE = 1.25  # the slower machine's loop by the faster one's
APART = 0.5  # of the usual time: what a provider of models may differ by from hour to hour
MIN_CALLS = 0.5  # a conversation: one call more in every second one may be a second booking
MORE_CALLS, SHOWN = 3, 5  # in one case of so many; names in a sentence
MORE_LETTERS, QUOTED = 20, 160  # in a call: more is no id and no date
ANSWER_OF = "the answer of "  # a tool, in what a conversation's calls write
WAVERING = 6  # times as many calls grow as shrink, else an agent that samples its words would be told of
MIN_OVERLAP = 0.5  # of the longer side's time: both sides shared their machine for most of it


def cost_questions(baseline: GateSide, candidate: GateSide, policy: GatePolicy) -> list[PairedValues]:
    """Compare latency, tokens and tool calls by case, for the cases that both sides have.

    The share of conversations in which no call was made twice is compared too. Nothing for a figure that nobody
    measured. Pure.
    """
    trials = [*baseline.counted, *candidate.counted]
    values = {LATENCY: _latency, TOKENS: _tokens}
    values |= {TOOL_CALLS: _tool_calls} if any(trial.tool_calls for trial in trials) else {}
    values |= {DOUBLED_CALLS: _undoubled} if any(trial.doubled for trial in trials) else {}
    paired_values = list[PairedValues]()
    for metric, value in values.items():
        before, after = case_means(baseline, value), case_means(candidate, value)
        both = sorted(before.keys() & after.keys())
        if not both:
            continue
        usual = fsum(before[one] for one in both) / len(both)
        margin = max(policy.tokens_margin * usual, MIN_CALLS if metric == TOOL_CALLS else 1.0)
        if metric == LATENCY:
            apart = 0.0 if interleaved(candidate, baseline) else APART * usual
            margin = max(policy.latency_margin_s, apart)
        cost = metric in COSTS
        paired_values.append(
            PairedValues(
                metric=metric,
                margin=margin if cost else None,
                lower_is_better=cost,
                share=not cost,
                scale=10.0 if cost else 1.0,
                baseline={one: before[one] for one in both},
                candidate={one: after[one] for one in both},
            )
        )
    return paired_values


def bought(metrics: Sequence[GateMetric], policy: GatePolicy) -> list[GateMetric]:
    """Return latency, tokens and tool calls that a better answer pays for.

    They would stop a change or leave a doubt, though the whole is shown to be better by the margin. What a better
    answer may cost is a person's decision: it is said, and stops nothing. Pure.
    """
    headline = next(iter(metrics), None)
    if headline is None or headline.metric in COSTS or headline.gain_interval is None:
        return []
    least = headline.margin if headline.share else policy.margin
    if headline.gain_interval[0] <= 0 or headline.gain < least:
        return []
    return [
        metric
        for metric in metrics
        if metric.metric in COSTS and (metric.outcome is MetricOutcome.LOSS or suspected(metric))
    ]


def timed_together(candidate: GateSide, baseline: GateSide) -> tuple[GateSide, GateSide]:
    """Both sides; without their times where they were played neither interleaved by one job nor on machines that were
    alike. A machine that was busier an hour ago, or another one, is no slower agent. Pure."""
    if interleaved(candidate, baseline) or alike(candidate, baseline):
        return candidate, baseline
    return _untimed(candidate), _untimed(baseline)


def alike(candidate: GateSide, baseline: GateSide) -> bool:
    """Tell whether a loop of the same work took about as long on both machines, when each side was played."""
    loops = [one.loop_ms for one in (candidate, baseline) if one.loop_ms]
    return len(loops) == 2 and max(loops) <= ALIKE * min(loops)


def interleaved(candidate: GateSide, baseline: GateSide) -> bool:
    """Tell whether one job played both at the same time: the job's name is the same, and the times overlap."""
    if not candidate.job or candidate.job != baseline.job or candidate.span is None or baseline.span is None:
        return False
    (begin, end), (other_begin, other_end) = candidate.span, baseline.span
    shared = min(end, other_end) - max(begin, other_begin)
    return shared >= MIN_OVERLAP * max(end - begin, other_end - other_begin)


def unknown_costs(baseline: GateSide | None, candidate: GateSide, metrics: Sequence[GateMetric]) -> list[GateReason]:
    """The costs that are not compared, and why: they decide nothing, and are shown all the same. Pure."""
    if baseline is None:
        return []
    reasons, questions = list[GateReason](), {metric.metric for metric in metrics}
    if LATENCY not in questions:
        loops = " and ".join(f"{one.loop_ms:.0f} ms" if one.loop_ms else "no time" for one in (baseline, candidate))
        sentence = (
            "Latency is not compared: the sides were not played side by side, nor on machines that are alike (a loop "
            f"of the same work took {loops})."
        )
        reasons.append(GateReason(code=GateReasonCode.LATENCY_UNKNOWN, sentence=sentence))
    if TOKENS not in questions:
        known = [
            name
            for name, side in (("candidate", candidate), ("baseline", baseline))
            if any(one.tokens is not None for one in side.counted)
        ]
        of = f" for the {'baseline' if known == ['candidate'] else 'candidate'}" if len(known) == 1 else ""
        sentence = f"The agent's tokens are unknown{of}: its replies report none (usage)."
        reasons.append(GateReason(code=GateReasonCode.TOKENS_UNKNOWN, sentence=sentence))
    return reasons


def more_calls(baseline: GateSide | None, candidate: GateSide) -> list[GateReason]:
    """Report tools that the candidate calls more often in a third of the cases; the report never decides.

    Each is taken once, fewer calls in others deducted. Tools into which it writes more, or that answer more, are
    reported too. One call more with other arguments holds every assertion, and is below any margin of all calls; what a
    call says no customer reads, and the judge does. Pure.
    """
    if baseline is None:
        return []
    often, written = list[str](), list[str]()
    for name in sorted({name for trial in candidate.counted for name in trial.tools}):
        if (calls := _grown(baseline, candidate, partial(_calls, name))).cases:
            rate = f"baseline {calls.before:.1f}" if calls.before else "which the baseline never calls"
            often.append(f"{redact(name[:60])} {calls.cases} ({calls.after:.1f} a conversation, {rate})")
    for name in sorted({name for trial in candidate.counted for name in trial.written}):
        letters = _grown(baseline, candidate, partial(_letters, name), least=MORE_LETTERS, wavering=WAVERING)
        if letters.cases:
            text = max((trial.written.get(name, "") for trial in candidate.counted), key=len)
            written.append(f"{redact(name[:60])} {letters.cases}, like “{redact(text[:QUOTED])}”")
    return [
        GateReason(
            code=GateReasonCode.CALLED_MORE, sentence=f"The candidate {what}: {listed(found, SHOWN, between=';')}."
        )
        for what, found in (("calls more often", often), ("writes more into its calls", written))
        if found
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Growth:
    """Growth of one cost.

    `cases` says in how many cases it grew, "" where that is fewer than a third; `before` and `after` are the means over
    the cases that both sides have.
    """

    cases: str = ""
    before: float = 0.0
    after: float = 0.0


def _grown(
    baseline: GateSide,
    candidate: GateSide,
    value: Callable[[GateTrial], float | None],
    *,
    least: float = 0.0,
    wavering: int = 0,
) -> _Growth:
    before, after = case_means(baseline, value), case_means(candidate, value)
    both, cases = before.keys() & after.keys(), baseline.by_case().keys() & candidate.by_case().keys()
    more, fewer = (sum(sign * (after[case] - before[case]) > least for case in both) for sign in (1, -1))
    if not both or MORE_CALLS * (more - fewer) < len(cases) or wavering * fewer > more:
        return _Growth()
    was, mean = (fsum(side[case] for case in both) / len(both) for side in (before, after))
    return _Growth(cases=f"in {more} of {len(both)} cases", before=was, after=mean)


def _calls(tool: str, trial: GateTrial) -> float:
    return float(trial.tools.get(tool, 0))


def _letters(name: str, trial: GateTrial) -> float | None:
    """Return the length of a tool's longest text in a trial; None where the tool is not called.

    The number of calls is reported elsewhere.
    """
    return float(len(trial.written.get(name, ""))) if name.removeprefix(ANSWER_OF) in trial.tools else None


def _untimed(side: GateSide) -> GateSide:
    return replace(side, trials=[replace(trial, latency_s=None) for trial in side.trials])


def _latency(trial: GateTrial) -> float | None:
    return trial.latency_s


def _tokens(trial: GateTrial) -> float | None:
    return None if trial.tokens is None else float(trial.tokens)


def _tool_calls(trial: GateTrial) -> float | None:
    return float(trial.tool_calls)


def _undoubled(trial: GateTrial) -> float | None:
    return float(not trial.doubled)

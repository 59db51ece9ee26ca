"""Are the figures those of the golden session? By rule (domain/divergence): money, dates and clock times.

Passes where no amount, date or time of a golden reply became another one; a figure that is left out, or told in words,
is no change. Fails where one did. Skipped where no golden reply names any. Unmeasurable where the replay did not come
to its end and nothing changed until then.
"""

from apps.checks.domain.divergence import divergences
from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricError, MetricJudge, NotApplicable
from apps.checks.metrics.golden_replay import no_questions, replay_of
from apps.core.extracted_values import ValueKind, values
from apps.runs.goldens.domain.gate_keeping import GateState
from apps.runs.goldens.domain.replayed import ReplayedConversation

__version__ = "1.1.1"  # raise it when a rule of domain/divergence about these kinds changes

_ONLY_STALE = (
    "no golden reply names money, and its dates and times are those of the day it was recorded: they do not move with "
    "the day of the replay, since the customer names no date"
)
DECIDING = frozenset({ValueKind.MONEY, ValueKind.DATE, ValueKind.TIME})


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """Score the share of golden replies with money, date or time whose values all stayed; asks no model.
    Raises MetricError, NotApplicable."""
    replay = replay_of(case)
    deciding, own = _deciding(replay), _of_customer(replay)
    stating = {
        turn.position
        for turn in replay.turns
        if any(value.kind in deciding or _asked(value.kind, {value.key}, own) for value in values(turn.golden_reply))
    }
    if not stating:
        raise NotApplicable(_ONLY_STALE if deciding != DECIDING else "no golden reply names money, a date or a time")
    faults = [
        (turn, difference)
        for turn in divergences(replay.turns)
        for difference in turn.differences
        if difference.about in deciding or _asked(difference.about, set(difference.gone), own)
    ]
    if not faults and not all(turn.reached and turn.gate != GateState.DESYNC for turn in replay.turns):
        raise MetricError("the replay did not come to its end", code="not_reached")
    changed = {turn.position for turn, _ in faults} & stating
    places = {turn.position: turn.at for turn in replay.turns}
    reasons = " ".join(f"Turn {turn.number}: {one.why}" for turn, one in faults[:5])
    return MeasuredMetric(
        score=(1 - len(changed) / len(stating)) if changed or not faults else 0.0,
        reason=reasons or _kept(len(stating), replay, deciding),
        evidence=tuple({"kind": "rule", "turn": places[turn.position], "why": one.why} for turn, one in faults[:20]),
        position=places[faults[0][0].position] if faults else None,
    )


def _kept(count: int, replay: ReplayedConversation, deciding: frozenset[ValueKind]) -> str:
    """The facts that hold, and those that were not compared: dates of the recording's day, where they became other
    dates."""
    replies = "1 reply names" if count == 1 else f"{count} replies name"
    if deciding == DECIDING:
        return f"{replies} the same figures."
    moved = [
        f"turn {turn.number}: {difference.why}"
        for turn in divergences(replay.turns)
        for difference in turn.differences
        if difference.about in DECIDING - deciding
    ]
    moves = f" ({' '.join(moved[:3])})" if moved else ""
    return f"{replies} the same amounts. Dates and times are not held, unless the customer names them{moves}."


def _deciding(replay: ReplayedConversation) -> frozenset[ValueKind]:
    """Return the kinds of values that decide: money alone where the golden replies name recorded dates.

    They are dates of the day on which the replies were recorded. For instance "Saturday 21 November", though the
    customer said "Saturday": another day has other dates, and other times are free on it. What the customer named
    decides all the same.
    """
    stale = not replay.dates_move and any(ValueKind.DATE in _kinds(turn.golden_reply) for turn in replay.turns)
    return frozenset({ValueKind.MONEY}) if stale else DECIDING


def _of_customer(replay: ReplayedConversation) -> frozenset[str]:
    """The keys of the dates and times that the customer says."""
    return frozenset(value.key for turn in replay.turns for value in values(turn.sent) if value.kind in DECIDING)


def _asked(kind: ValueKind | None, keys: set[str], own: frozenset[str]) -> bool:
    """Tell whether a date or time is one that the customer named: every run is asked for it."""
    return kind in DECIDING and bool(keys & own)


def _kinds(text: str) -> frozenset[ValueKind]:
    return frozenset(value.kind for value in values(text))


METRIC = Metric(
    name="figures_match_golden",
    module="golden_facts",
    version=__version__,
    threshold=1.0,
    wording=tuple(sorted(DECIDING)),
    measure=measure,
    calls=no_questions,
)

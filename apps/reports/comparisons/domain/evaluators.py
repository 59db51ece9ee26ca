"""Compare several evaluators on the same conversations.

It says where they agree, where they contradict each other, and how far each is from itself. Pure.

A verdict on a criterion is its score against its pass mark (apps.statistics.decision). Two contradict each other where
their verdicts differ and their scores lie CONTRADICTS or more apart: nearer ones straddle a mark by chance.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, sqrt

from apps.statistics.agreement import gwet_ac1, gwet_ac1_interval
from apps.statistics.decision import Decision, decide
from apps.statistics.paired import bootstrap_interval

CONTRADICTS = 1.0  # points
LEAST_CASES = 6  # conversations judged more than once: fewer name nobody the more consistent


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedCriterion:
    """One evaluator's score on one criterion of one conversation, and the score from which the criterion passes."""

    score: float
    mark: float

    @property
    def passes(self) -> bool:
        return decide(self.score, self.mark) is Decision.PASS


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfSpread:
    """Spread of an evaluator's answers on one conversation: their variance, and its degrees of freedom."""

    variance: float
    degrees: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorConsistency:
    """The standard deviation of an evaluator's score over repeats of one conversation, in points, pooled over
    `conversations`; None where it answered none twice. `interval` is 95 %, over conversations."""

    conversations: int = 0
    answers: int = 0
    deviation: float | None = None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAgreement:
    """Two evaluators, by their places, on one criterion (or on all shared ones, name ""). `difference` is the mean of
    second minus first."""

    criterion: str
    first: int
    second: int
    ratings: int
    alike: int
    contradictions: int
    difference: float | None
    ac1: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """A conversation and a criterion on which two evaluators say the opposite.

    `low` and `high` are the places of the lower and the higher score.
    """

    conversation: str
    criterion: str
    low: int
    high: int
    apart: float


Ratings = Mapping[tuple[str, str], RatedCriterion]  # by conversation and criterion


def agreements(sides: Sequence[Ratings], criteria: Sequence[str]) -> list[PairAgreement]:
    """Return the agreement of every two evaluators: over all shared criteria, then on each."""
    return [
        _agreement(sides, first, second, name)
        for first, second in combinations(range(len(sides)), 2)
        for name in ("", *criteria)
    ]


def _agreement(sides: Sequence[Ratings], first: int, second: int, criterion: str) -> PairAgreement:
    a, b = sides[first], sides[second]
    keys = [key for key in a if key in b and criterion in ("", key[1])]
    passes = [[str(side[key].passes) for key in keys] for side in (a, b)]
    labels = [str(True), str(False)]
    return PairAgreement(
        criterion=criterion,
        first=first,
        second=second,
        ratings=len(keys),
        alike=sum(x == y for x, y in zip(*passes, strict=True)),
        contradictions=sum(_contradict(a[key], b[key]) for key in keys),
        difference=fsum(b[key].score - a[key].score for key in keys) / len(keys) if keys else None,
        ac1=gwet_ac1(*passes, labels=labels) if keys else None,
        interval=gwet_ac1_interval(*passes, labels=labels) if keys else None,
    )


def contradictions(sides: Sequence[Ratings]) -> list[Contradiction]:
    """Every conversation and criterion on which two say the opposite, once, by the two that are furthest apart; the
    widest first."""
    found = []
    for key in dict.fromkeys(key for side in sides for key in side):
        given = sorted((side[key].score, place) for place, side in enumerate(sides) if key in side)
        against = [
            Contradiction(conversation=key[0], criterion=key[1], low=low_at, high=high_at, apart=high - low)
            for (low, low_at), (high, high_at) in combinations(given, 2)
            if _contradict(sides[low_at][key], sides[high_at][key])
        ]
        if against:
            found.append(max(against, key=lambda contradiction: contradiction.apart))
    return sorted(found, key=lambda one: (-one.apart, one.conversation, one.criterion))


def _contradict(a: RatedCriterion, b: RatedCriterion) -> bool:
    return a.passes != b.passes and abs(a.score - b.score) >= CONTRADICTS


def consistency(spreads: Mapping[str, SelfSpread], *, seed: int) -> EvaluatorConsistency:
    """Pool an evaluator's own spread over conversations, weighted by their repeated answers."""
    known = [spread for spread in spreads.values() if spread.degrees > 0]
    if not known:
        return EvaluatorConsistency()
    degrees = sum(spread.degrees for spread in known)
    interval = bootstrap_interval(
        [spread.variance * spread.degrees * len(known) / degrees for spread in known], seed=seed
    )
    return EvaluatorConsistency(
        conversations=len(known),
        answers=degrees + len(known),
        deviation=sqrt(fsum(spread.variance * spread.degrees for spread in known) / degrees),
        interval=(sqrt(max(0.0, interval[0])), sqrt(max(0.0, interval[1]))) if interval else None,
    )


def most_consistent(sides: Sequence[Mapping[str, SelfSpread]], *, seed: int) -> int | None:
    """The place of the evaluator that is nearer to itself than every other; None where that cannot be told.

    Against each other one: the 95 % interval of the difference of standard deviations, paired over the conversations
    that both answered more than once, leaves 0 out. Bonferroni over the others.
    """
    figures = [consistency(side, seed=seed).deviation for side in sides]
    known = [(figure, place) for place, figure in enumerate(figures) if figure is not None]
    if len(known) < 2 or len(known) < len(sides):
        return None
    best = min(known)[1]
    others = [side for place, side in enumerate(sides) if place != best]
    confidence = 1 - 0.05 / len(others)
    return best if all(_nearer(sides[best], one, seed=seed, confidence=confidence) for one in others) else None


def _nearer(mine: Mapping[str, SelfSpread], other: Mapping[str, SelfSpread], *, seed: int, confidence: float) -> bool:
    shared = sorted(mine.keys() & other.keys())
    if len(shared) < LEAST_CASES:
        return False
    apart = [sqrt(other[key].variance) - sqrt(mine[key].variance) for key in shared]
    interval = bootstrap_interval(apart, seed=seed, confidence=confidence)
    return interval is not None and interval[0] > 0


def joined(spreads: Iterable[tuple[str, SelfSpread]]) -> dict[str, SelfSpread]:
    """Several spreads of one conversation as one."""
    found: dict[str, SelfSpread] = {}
    for key, one in spreads:
        before = found.get(key)
        if before is not None:
            degrees = before.degrees + one.degrees
            variance = (before.variance * before.degrees + one.variance * one.degrees) / degrees
            one = SelfSpread(variance=variance, degrees=degrees)
        found[key] = one
    return found


def evaluators_sentence(
    labels: Sequence[str],
    pairs: Sequence[PairAgreement],
    figures: Sequence[EvaluatorConsistency],
    best: int | None,
    *,
    criteria: int,
) -> str:
    """Say how often the evaluators agree, how often they say the opposite, and which one is the more consistent."""
    if len(labels) < 2:
        one = f"Only {labels[0]} judged this run" if labels else "Nobody has judged this run"
        return f"{one}: judge it with two evaluator configs, and they are compared."
    whole = [pair for pair in pairs if not pair.criterion]
    names = f"{', '.join(labels[:-1])} and {labels[-1]}"
    ratings, alike = sum(pair.ratings for pair in whole), sum(pair.alike for pair in whole)
    against = sum(pair.contradictions for pair in whole)
    if not ratings:
        return f"{names} have no criterion in common that both scored."
    shared = "1 shared criterion" if criteria == 1 else f"{criteria} shared criteria"
    told = f"{names} give the same verdict in {alike / ratings:.0%} of {ratings:,} on {shared}".replace("%", " %")
    told += f", and contradict each other in {against:,}. " if against else ", and contradict each other nowhere. "
    if best is not None:
        rest = ", ".join(
            f"{label} {figure.deviation:.2f}"
            for place, (label, figure) in enumerate(zip(labels, figures, strict=True))
            if place != best
        )
        return (
            f"{told}{labels[best]} is the most consistent: {figures[best].deviation:.2f} points from itself ({rest})."
        )
    if all(figure.deviation is None for figure in figures):
        return f"{told}Nobody was asked twice about one conversation, so that consistency is not known."
    return f"{told}Which is the more consistent cannot be told."

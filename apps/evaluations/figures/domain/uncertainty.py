"""Measure how sure a score is, and whether that is enough for pass or fail.

A judge that is asked again answers a little differently. Its noise is measured where it was asked several times, or
where several judges were asked, pooled over all conversations of an evaluation, since two or three answers to one
question say little by themselves. A score decides only when it is farther from its pass mark than that noise reaches.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import fsum, sqrt
from statistics import NormalDist

from apps.catalog.configs.domain.judging_rules import ERROR_RATE
from apps.statistics.decision import Decision, decide
from apps.statistics.quantiles import student_t

GRADINGS = 20  # issue: a frozen run graded 20 times
MEDIAN_OF_THREE = 0.4487  # variance of the median of three normal values, of one: order statistics, Teichroew (1956)
_STEPS = 60


class Source(StrEnum):
    """Source of a measured noise: the judge against itself, or judges against each other.

    The distance of people from a judge is no noise of a verdict: it corrects the rate (apps.statistics.correction).
    """

    REPEATS = "repeats"
    PANEL = "panel"


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """The variance of one answer, in points squared, known with so many degrees of freedom."""

    source: Source
    variance: float
    degrees: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncertainty:
    """The uncertainty of one score. `interval` and `source` are None where nothing is known of the judge's noise.

    `blockers` are the blocking criteria that fail a conversation."""

    decision: Decision
    interval: tuple[float, float] | None = None
    source: Source | None = None
    blockers: tuple[str, ...] = ()


@lru_cache(maxsize=64)
def deviations(error_rate: float = ERROR_RATE, gradings: int = GRADINGS) -> float:
    """Return how many standard errors off the mark a score must be to decide.

    It is 2.23 for 5 % over 20 gradings. Chosen for the worst case, a conversation exactly on the mark: with chance p of
    being decided wrongly either way in one grading, 1 - 2(1-p)^n + (1-2p)^n is the chance of both a pass and a fail
    among n; p solves it for `error_rate`.
    """
    low, high = 0.0, 0.5
    for _ in range(_STEPS):
        p = (low + high) / 2
        if 1 - 2 * (1 - p) ** gradings + (1 - 2 * p) ** gradings < error_rate:
            low = p
        else:
            high = p
    return NormalDist().inv_cdf(1 - low)


@lru_cache(maxsize=4096)
def reach(degrees: int, error_rate: float = ERROR_RATE) -> float:
    """Return `deviations` for a standard error known with only so many degrees of freedom: Student's t, not the normal.

    Raises ValueError below 1.
    """
    return student_t(NormalDist().cdf(deviations(error_rate)), degrees)


def pooled(spreads: Sequence[tuple[float, int]], source: Source) -> Noise | None:
    """One noise from many (sample variance, degrees of freedom); None where nothing was asked twice."""
    degrees = sum(freedom for _, freedom in spreads)
    if degrees < 1:
        return None
    return Noise(source=source, degrees=degrees, variance=fsum(var * freedom for var, freedom in spreads) / degrees)


def half_width(
    noise: Noise, *, answers: int, panel: bool, own_error: float | None = None, error_rate: float = ERROR_RATE
) -> float:
    """Return how far a score may lie from the mean of more answers.

    `answers` of the judge were averaged, or a panel's median taken. `own_error` is the standard error of this very
    score: where it is larger than the pooled one, it counts.
    """
    factor = MEDIAN_OF_THREE if panel else 1 / max(1, answers)
    error = sqrt(noise.variance * (factor if noise.source is Source.REPEATS or panel else 1.0))
    return reach(noise.degrees, error_rate) * max(error, own_error or 0.0)


def doubt(
    score: float,
    pass_mark: float,
    *,
    noises: Sequence[Noise],
    answers: int = 1,
    panel: bool = False,
    own_error: float | None = None,
    error_rate: float = ERROR_RATE,
) -> Uncertainty:
    """Decide whether a score of 0-10 passes, fails or is undecided. The widest of what is known about the noise counts.

    Without any noise known the score stands for itself: `interval` is then None, and pages say so.
    """
    widths = [
        (half_width(noise, answers=answers, panel=panel, own_error=own_error, error_rate=error_rate), noise.source)
        for noise in noises
    ]
    if not widths:
        return Uncertainty(decision=decide(score, pass_mark))
    width, source = max(widths, key=lambda one: one[0])
    return Uncertainty(decision=decide(score, pass_mark, width), interval=on_scale(score, width), source=source)


def on_scale(score: float, width: float) -> tuple[float, float]:
    return (max(0.0, score - width), min(10.0, score + width))


def whole_answers(parts: Sequence[tuple[Sequence[float | None], float]]) -> list[float]:
    """Return the weighted score of each single answer of the judge.

    `parts` has, for each criterion, its scores in the order of the answers, and its weight. An answer that left out a
    criterion is skipped: it is no repeat of the same question.
    """
    total = fsum(weight for _, weight in parts)
    if total <= 0:
        return []
    wholes = []
    for place in range(min(len(scores) for scores, _ in parts)):
        weighted = [(scores[place], weight) for scores, weight in parts]
        known = [score * weight for score, weight in weighted if score is not None]
        if len(known) == len(weighted):
            wholes.append(fsum(known) / total)
    return wholes


def weighted_width(widths: Sequence[tuple[float, float]], *, independent: bool) -> float:
    """The half-width of a weighted mean from (half-width, weight) of its parts.

    Scores from one answer err together, so their widths add up in full; from separate answers, in squares.
    """
    total = fsum(weight for _, weight in widths)
    if total <= 0:
        return 0.0
    if independent:
        return sqrt(fsum((width * weight) ** 2 for width, weight in widths)) / total
    return fsum(width * weight for width, weight in widths) / total


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """The outcomes of a case when the same judge graded it several times.
    `rate` is the minority's share of pass and fail decisions; None for fewer than two of them."""

    gradings: int
    passed: int
    failed: int
    undecided: int

    @property
    def rate(self) -> float | None:
        decided = self.passed + self.failed
        return min(self.passed, self.failed) / decided if decided > 1 else None


def flips(decisions: Sequence[Decision]) -> Flips:
    """Count the decisions of all gradings of one case."""
    count = Counter(decisions)
    return Flips(
        gradings=len(decisions),
        passed=count[Decision.PASS],
        failed=count[Decision.FAIL],
        undecided=count[Decision.UNDECIDED],
    )


def flipped_share(cases: Mapping[object, Sequence[Decision]]) -> float | None:
    """The share of cases that passed in one grading and failed in another. None without a case graded twice."""
    graded = [set(decisions) for decisions in cases.values() if len(decisions) > 1]
    if not graded:
        return None
    return sum({Decision.PASS, Decision.FAIL} <= seen for seen in graded) / len(graded)

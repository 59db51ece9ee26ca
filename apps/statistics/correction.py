"""Correct a noisy judge's figures towards the truth: rates by Rogan-Gladen, means by prediction-powered inference.

Always shown beside the raw figure, never instead of it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from apps.statistics.quantiles import student_t, wilson

CONFIDENCE = 0.95
MIN_PER_CLASS = 5  # labels people passed, and failed: below, an interval that holds is of no use to anybody
_HALVINGS = 40


class IntervalEstimate(float):
    """A corrected figure: a number like any other, with its interval from `low` to `high` at `confidence`."""

    __slots__ = ("confidence", "high", "low")

    low: float
    high: float
    confidence: float

    def __new__(cls, value: float, *, low: float, high: float, confidence: float = CONFIDENCE) -> "IntervalEstimate":
        self = super().__new__(cls, value)
        self.low, self.high, self.confidence = low, high, confidence
        return self

    def __repr__(self) -> str:
        return (
            f"IntervalEstimate({float(self)!r}, low={self.low!r}, high={self.high!r}, confidence={self.confidence!r})"
        )

    @property
    def value(self) -> float:
        """The figure as a plain number."""
        return float(self)

    @property
    def interval(self) -> tuple[float, float]:
        return self.low, self.high


def rogan_gladen(rate: float, *, sensitivity: float, specificity: float) -> float | None:
    """The true rate behind an observed one: (rate + specificity - 1) / (sensitivity + specificity - 1), within 0 to 1.

    `sensitivity` is how often the judge passes what people pass, `specificity` how often it fails what people fail.
    None when both together are 1 or less: such a judge tells nothing. Raises ValueError outside 0 to 1.
    Rogan and Gladen (1978).
    """
    for name, value in (("rate", rate), ("sensitivity", sensitivity), ("specificity", specificity)):
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must lie between 0 and 1, not {value}")
    youden = sensitivity + specificity - 1
    if youden <= 0:
        return None
    return min(1.0, max(0.0, (rate + specificity - 1) / youden))


def rogan_gladen_interval(
    passed: int,
    n: int,
    *,
    true_passes: int,
    human_passes: int,
    true_fails: int,
    human_fails: int,
    confidence: float = CONFIDENCE,
) -> IntervalEstimate | None:
    """The corrected rate with an interval that also carries the doubt about sensitivity and specificity.

    The judge passed `passed` of `n`; of `human_passes` items that people passed it passed `true_passes`, of
    `human_fails` that people failed it failed `true_fails`. A rate r is in the interval when the judge would pass
    r·sensitivity + (1 - r)·(1 - specificity) of the items within the doubt of all three proportions: Newcombe's hybrid
    of Wilson limits for a sum of proportions (Zou and Donner, 2008), turned round. Coverage by the number of labels:
    docs/proofs.md. None where `rogan_gladen_refusal` says why. Raises ValueError for counts that cannot be.
    """
    counts = {"true_passes": true_passes, "human_passes": human_passes} | {
        "true_fails": true_fails,
        "human_fails": human_fails,
    }
    if rogan_gladen_refusal(passed, n, **counts, confidence=confidence):
        return None
    point = rogan_gladen(passed / n, sensitivity=true_passes / human_passes, specificity=true_fails / human_fails)
    if point is None:
        return None
    passing = _Passing.of(passed, n, **counts, confidence=confidence)
    low, high = _first(lambda rate: not passing.too_many(rate)), 1 - _first(lambda rate: not passing.too_few(1 - rate))
    return IntervalEstimate(point, low=min(low, point), high=max(high, point), confidence=confidence)


def rogan_gladen_refusal(
    passed: int,
    n: int,
    *,
    true_passes: int,
    human_passes: int,
    true_fails: int,
    human_fails: int,
    confidence: float = CONFIDENCE,
) -> str:
    """Say why these counts give no corrected rate; "" where they do.

    Fewer than MIN_PER_CLASS labels of a class, a judge no better than a coin, or one that passes more (or fewer) of
    these items than it could if people passed all (or none) of them. Raises ValueError for counts that cannot be.
    """
    for some, all_, what in (
        (passed, n, "passed of n"),
        (true_passes, human_passes, "true_passes of human_passes"),
        (true_fails, human_fails, "true_fails of human_fails"),
    ):
        if not 0 <= some <= all_:
            raise ValueError(f"{what}: {some} of {all_} cannot be")
    if not n:
        return "the judge has scored nothing"
    for count, did in ((human_passes, "passed"), (human_fails, "failed")):
        if count < MIN_PER_CLASS:
            return f"people {did} only {count} of the labelled conversations, {MIN_PER_CLASS} are needed"
    if true_passes / human_passes + true_fails / human_fails <= 1:
        return "on the labelled conversations the judge is no better than a coin"
    passing = _Passing.of(
        passed, n, true_passes=true_passes, human_passes=human_passes, true_fails=true_fails, human_fails=human_fails,
        confidence=confidence,
    )  # fmt: skip
    if passing.too_many(1.0):
        return "the judge passes more here than among what people passed: the labelled conversations are not like these"
    if passing.too_few(0.0):
        return (
            "the judge passes fewer here than among what people failed: the labelled conversations are not like these"
        )
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Passing:
    """Rates at which the judge passes items: of all, of those people passed, of those people failed.

    Each proportion has its Wilson limits: (low, estimate, high).
    """

    here: tuple[float, float, float]
    good: tuple[float, float, float]
    bad: tuple[float, float, float]

    @classmethod
    def of(
        cls,
        passed: int,
        n: int,
        *,
        true_passes: int,
        human_passes: int,
        true_fails: int,
        human_fails: int,
        confidence: float,
    ) -> "_Passing":
        def limits(count: int, of: int) -> tuple[float, float, float]:
            low, high = wilson(count, of, confidence=confidence)
            return low, count / of, high

        return cls(
            here=limits(passed, n),
            good=limits(true_passes, human_passes),
            bad=limits(human_fails - true_fails, human_fails),
        )

    def too_many(self, rate: float) -> bool:
        """Tell whether the judge passes more than it would, by more than chance, if people passed this share."""
        return self._excess(rate) > sqrt(
            (self.here[1] - self.here[0]) ** 2
            + (rate * (self.good[2] - self.good[1])) ** 2
            + ((1 - rate) * (self.bad[2] - self.bad[1])) ** 2
        )

    def too_few(self, rate: float) -> bool:
        return -self._excess(rate) > sqrt(
            (self.here[2] - self.here[1]) ** 2
            + (rate * (self.good[1] - self.good[0])) ** 2
            + ((1 - rate) * (self.bad[1] - self.bad[0])) ** 2
        )

    def _excess(self, rate: float) -> float:
        return self.here[1] - rate * self.good[1] - (1 - rate) * self.bad[1]


def _first(holds: Callable[[float], bool]) -> float:
    """The smallest number of 0 to 1 for which it holds, to 1e-12, where it holds for 1 and for all above the first."""
    if holds(0.0):
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """Number of values, their mean and their sample variance: an interval of a mean needs no more."""

    n: int
    mean: float
    variance: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Moments":
        return cls(n=len(values), mean=_mean(values), variance=_variance(values))


def ppi_mean(
    judge_all: Sequence[float],
    judge_labelled: Sequence[float],
    human_labelled: Sequence[float],
    *,
    confidence: float = CONFIDENCE,
) -> IntervalEstimate | None:
    """The mean people would have given: the judge's mean over all items plus its mean error on labelled ones.

    `judge_all` are the judge's scores of all items, `judge_labelled` and `human_labelled` both scores of the same
    labelled items. Prediction-powered inference (Angelopoulos and others, 2023); the interval takes both variances and
    Student's t with Welch's degrees of freedom, because labels are few. None with fewer than two items on either side.
    Raises ValueError when labels do not pair up.
    """
    if len(judge_labelled) != len(human_labelled):
        raise ValueError("judge_labelled and human_labelled must be scores of the same items")
    if len(judge_all) < 2 or len(human_labelled) < 2:
        return None
    errors = [human - judge for human, judge in zip(human_labelled, judge_labelled, strict=True)]
    return ppi_of_moments(judge=Moments.of(judge_all), errors=Moments.of(errors), confidence=confidence)


def ppi_of_moments(*, judge: Moments, errors: Moments, confidence: float = CONFIDENCE) -> IntervalEstimate | None:
    """Return `ppi_mean` from what the database and a certificate hold; None with fewer than two items on either side.

    `errors` are people's label minus the judge's score.
    """
    if judge.n < 2 or errors.n < 2:
        return None
    value = judge.mean + errors.mean
    parts = [(moments.variance / moments.n, moments.n - 1) for moments in (judge, errors)]
    variance = fsum(part for part, _ in parts)
    if variance == 0:
        return IntervalEstimate(value, low=value, high=value, confidence=confidence)
    freedom = variance**2 / fsum(part**2 / degrees for part, degrees in parts)
    half = student_t((1 + confidence) / 2, freedom) * sqrt(variance)
    return IntervalEstimate(value, low=value - half, high=value + half, confidence=confidence)


def stratified(parts: Sequence[tuple[int, IntervalEstimate]]) -> IntervalEstimate | None:
    """Independent estimates of parts of a whole (languages), weighted by how many items each part has.

    Each side of the interval adds up by its square, so that intervals that lean keep leaning. None without parts.
    """
    total = sum(n for n, _ in parts)
    if not total:
        return None
    shares = [(n / total, part) for n, part in parts]
    value = fsum(share * part.value for share, part in shares)
    low = value - sqrt(fsum((share * (part.value - part.low)) ** 2 for share, part in shares))
    high = value + sqrt(fsum((share * (part.high - part.value)) ** 2 for share, part in shares))
    return IntervalEstimate(value, low=low, high=high, confidence=parts[0][1].confidence)


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    centre = _mean(values)
    return fsum((value - centre) ** 2 for value in values) / (len(values) - 1)

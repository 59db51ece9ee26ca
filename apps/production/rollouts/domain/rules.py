"""Decide whether a canary is worse than stable, whether it may be promoted, and what is not known.

Pure. Every metric may be looked at at any time: the mixture sequential test keeps its level over all looks together,
and ALPHA is divided over the guarded metrics. Too little is "no data", never "not worse".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from math import exp, inf, log
from typing import Annotated

from apps.core.documents import Count, Document, one_of
from apps.core.plurals import many
from apps.core.shapes import described
from apps.statistics.sequential import (
    ArmCell,
    StratifiedDifference,
    half_width,
    harm_mixture,
    rounding_variance,
    stratified_difference,
)

ALPHA = 0.05  # of all guarded metrics together, over all looks
LEAST = 30  # conversations an arm, and degrees of freedom: below, the variance is not known well enough
MIN_TIME = timedelta(hours=24)  # before a promotion: a day has its hours


class GuardedMetric(StrEnum):
    SCORE = "score"
    THUMBS_DOWN = "thumbs_down"
    TRANSFER = "transfer"
    COST = "cost"
    LATENCY = "latency"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRule:
    """Rule for one metric of a rollout.

    `tau` is the size of a difference that matters, fixed in advance; within `margin` a difference counts as none.
    `step` is the scale's resolution: arms of equal values get its rounding as their spread, since a canary that is
    always equally bad is the clearest loss. `most` is the largest possible difference. With `logs`, all of them are in
    natural logarithms.
    """

    title: str
    tau: float
    margin: float
    step: float = 0.0
    most: float = inf
    rate: bool = False
    logs: bool = False
    higher_is_better: bool = False


_FIFTH, _HUNDREDTH = log(1.2), log(1.01)
RULES: Mapping[GuardedMetric, MetricRule] = {
    GuardedMetric.SCORE: MetricRule(title="Score", tau=0.5, margin=0.5, step=1, most=10, higher_is_better=True),
    GuardedMetric.THUMBS_DOWN: MetricRule(title="Thumbs down", tau=0.05, margin=0.03, most=1, rate=True),
    GuardedMetric.TRANSFER: MetricRule(title="Handed to a person", tau=0.05, margin=0.03, most=1, rate=True),
    GuardedMetric.COST: MetricRule(title="Cost a conversation", tau=0.1, margin=_FIFTH, step=_HUNDREDTH, logs=True),
    GuardedMetric.LATENCY: MetricRule(title="Latency of a reply", tau=0.1, margin=_FIFTH, step=_HUNDREDTH, logs=True),
}
CALLED_AT = len(RULES) / ALPHA  # Λ₊ from which a loss is called: 100


class MetricVerdict(StrEnum):
    WORSE = "worse"
    WITHIN = "within"
    NOT_TOLD = "not_told"
    NO_DATA = "no_data"


class RolloutMetric(Document, component="RolloutMetric"):
    metric: Annotated[str, one_of(GuardedMetric)]
    title: str
    verdict: Annotated[str, one_of(MetricVerdict)]
    stable_n: Count
    canary_n: Count
    stable: Annotated[float | None, described("Weighted over callers; of cost and latency the geometric mean.")]
    canary: float | None
    harm: Annotated[
        float | None, described("Positive where the canary is worse; of cost and latency a natural logarithm.")
    ]
    low: Annotated[float | None, described("Holds at every look; each side 95 %.")]
    high: float | None
    evidence: Annotated[float | None, described("Of a loss; from called_at on it is one.")]
    called_at: float
    callers: Count
    left_out: Annotated[Count, described("Callers with conversations of one arm alone.")]
    logs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricReading:
    """One metric of both arms. `harm` is positive where the canary is worse, with its always-valid bounds (each side
    95 %); of a metric in logs all three are logs, and the means are geometric ones."""

    metric: GuardedMetric
    verdict: MetricVerdict
    stable_n: int
    canary_n: int
    stable: float | None = None
    canary: float | None = None
    harm: float | None = None
    low: float | None = None
    high: float | None = None
    evidence: float | None = None  # Λ₊
    callers: int = 0
    left_out: int = 0  # callers with conversations in one arm alone

    def document(self) -> RolloutMetric:
        """The reading as a look is stored and the API answers."""
        evidence = None if self.evidence is None else min(self.evidence, 1e12)
        return RolloutMetric(
            metric=self.metric.value,
            title=RULES[self.metric].title,
            verdict=self.verdict.value,
            stable_n=self.stable_n,
            canary_n=self.canary_n,
            stable=self.stable,
            canary=self.canary,
            harm=self.harm,
            low=self.low,
            high=self.high,
            evidence=evidence,
            called_at=CALLED_AT,
            callers=self.callers,
            left_out=self.left_out,
            logs=RULES[self.metric].logs,
        )


def read_metric(
    metric: GuardedMetric, strata: Iterable[tuple[ArmCell, ArmCell]], *, margin: float | None = None
) -> MetricReading:
    """Read a metric from (stable, canary) of each stratum; `margin` replaces the metric's own."""
    rule, whole = RULES[metric], list(strata)
    difference = stratified_difference(
        whole, rate=rule.rate, higher_is_better=rule.higher_is_better, least_spread=rounding_variance(rule.step)
    )
    bare = MetricReading(
        metric=metric,
        verdict=MetricVerdict.NO_DATA,
        stable_n=sum(stable.n for stable, _ in whole),
        canary_n=sum(canary.n for _, canary in whole),
    )
    if difference is None:
        return replace(bare, left_out=sum(bool(stable.n or canary.n) for stable, canary in whole))
    back = exp if rule.logs else float
    counted = replace(
        bare,
        stable_n=difference.stable,
        canary_n=difference.canary,
        stable=back(difference.stable_mean),
        canary=back(difference.canary_mean),
        callers=difference.strata,
        left_out=difference.left_out,
    )
    if min(difference.stable, difference.canary, difference.free) < LEAST:
        return counted
    return _judged(counted, difference, rule, rule.margin if margin is None else margin)


def _judged(bare: MetricReading, difference: StratifiedDifference, rule: MetricRule, margin: float) -> MetricReading:
    width = half_width(difference.variance, rule.tau, 2 * ALPHA)
    evidence = harm_mixture(difference.harm, difference.variance, rule.tau)
    verdict = MetricVerdict.NOT_TOLD
    if evidence >= CALLED_AT:
        verdict = MetricVerdict.WORSE
    elif difference.harm + width < margin:
        verdict = MetricVerdict.WITHIN
    low, high = max(difference.harm - width, -rule.most), min(difference.harm + width, rule.most)
    return replace(bare, verdict=verdict, harm=difference.harm, low=low, high=high, evidence=evidence)


def worse(readings: Sequence[MetricReading]) -> list[MetricReading]:
    """The metrics that were shown to be worse: one is enough for a rollback."""
    return [reading for reading in readings if reading.verdict is MetricVerdict.WORSE]


def thin(readings: Sequence[MetricReading]) -> list[MetricReading]:
    """The metrics for which a person signs, because nothing was shown: neither worse nor within the margin."""
    return [reading for reading in readings if reading.verdict in (MetricVerdict.NO_DATA, MetricVerdict.NOT_TOLD)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionRefusal:
    """Reason why a canary is not promoted now."""

    code: str
    sentence: str


def promotion_refusals(
    readings: Sequence[MetricReading], *, started_at: datetime, now: datetime, margin: float
) -> list[PromotionRefusal]:
    """Return the reasons against a promotion; none where a person may sign it.

    It takes a day, enough conversations, no inferior score, and no guarded metric that is worse.
    """
    refusals = [
        PromotionRefusal(code="worse", sentence=f"{RULES[reading.metric].title} is worse.")
        for reading in worse(readings)
    ]
    if now - started_at < MIN_TIME:
        left = MIN_TIME - (now - started_at)
        hours = max(1, round(left.total_seconds() / 3600))
        refusals.append(PromotionRefusal(code="too_early", sentence=f"A day is needed: {many(hours, 'hour')} more."))
    score = next((reading for reading in readings if reading.metric is GuardedMetric.SCORE), None)
    if score is None or score.verdict is MetricVerdict.NO_DATA:
        refusals.append(PromotionRefusal(code="too_few", sentence=_too_few(score)))
    elif score.verdict is MetricVerdict.NOT_TOLD:
        refusals.append(
            PromotionRefusal(
                code="not_shown",
                sentence=f"It is not shown yet that the score is at most {margin:g} lower: it may be "
                f"{max(score.high or 0.0, 0.0):.2f} lower.",
            )
        )
    return refusals


def _too_few(score: MetricReading | None) -> str:
    """The things that are missing until scores are compared: a caller with both versions, conversations, or several of
    a caller."""
    if score is None or not score.stable_n + score.canary_n:
        return f"Nothing is judged yet: {LEAST} conversations of each version are needed."
    canary, stable = score.canary_n, score.stable_n
    if not score.callers:
        return (
            f"No caller has judged conversations of both versions: {canary} of the canary and {stable} of stable are "
            "judged, and versions are compared within a caller."
        )
    if min(canary, stable) < LEAST:
        return (
            f"Too few are judged of callers with both versions: {canary} of the canary and {stable} of stable, and "
            f"{LEAST} of each are needed."
        )
    return (
        f"Too few are judged of each caller: {canary} of the canary and {stable} of stable are of "
        f"{many(score.callers, 'caller')}, and {2 * score.callers + LEAST} together are needed to know how much the "
        "scores of a caller vary."
    )


def harm_in_words(reading: MetricReading) -> str:
    """The difference with its bounds, as the first line of the page and an alert say it."""
    if reading.harm is None or reading.low is None or reading.high is None:
        return "too little is known"
    rule = RULES[reading.metric]
    if rule.logs:
        share, least, most = (100 * (exp(value) - 1) for value in (reading.harm, reading.low, reading.high))
        return f"{share:+.0f} % [{least:+.0f}, {most:+.0f}]"
    if rule.rate:
        return f"{100 * reading.harm:+.1f} points [{100 * reading.low:+.1f}, {100 * reading.high:+.1f}]"
    way = "lower" if reading.harm >= 0 else "higher"
    low, high = (reading.low, reading.high) if reading.harm >= 0 else (-reading.high, -reading.low)
    return f"{abs(reading.harm):.1f} {way} [{low:.1f}, {high:.1f}]"


def loss_sentence(reading: MetricReading) -> str:
    """Say why a canary was rolled back: "it scores 0.9 lower [0.5, 1.3] than stable"."""
    words = harm_in_words(reading)
    match reading.metric:
        case GuardedMetric.SCORE:
            return f"it scores {words} than stable"
        case GuardedMetric.THUMBS_DOWN:
            return f"it gets more thumbs down than stable: {words}"
        case GuardedMetric.TRANSFER:
            return f"it is handed to a person more often than stable: {words}"
        case GuardedMetric.COST:
            return f"it costs more than stable: {words}"
        case GuardedMetric.LATENCY:
            return f"it answers more slowly than stable: {words}"

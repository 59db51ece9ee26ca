"""Tell which questions show a loss, by exact tests corrected for their number, and by the margin.

A loss is shown where its one-sided p, corrected, is small enough (means: sign flips; shares: McNemar), and counts where
it is larger than the margin too. Of n cases that all lose p is 1 / 2^n: a question needs so many that this is small
enough, and one about a part that has fewer can only raise a doubt. Half of the declared chance of a false alarm is for
the questions about the whole, half for those about parts (languages, criteria, checks); within each half Holm's
correction holds. So a pull request without effect is called worse with at most that chance, whatever the number of
languages and criteria. Where two looks are declared, each has half of the chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, fsum, log2

from apps.gates.domain.paired_metrics import PairedValues
from apps.gates.domain.policy import GatePolicy
from apps.statistics.paired import bootstrap_interval, holm, mcnemar_loss_p, pairs_needed, sign_flip_loss_p

DIGITS = 6
_TIE = 1e-9


class MetricOutcome(StrEnum):
    """Outcome of one question.

    `no_loss`: a loss as large as the margin is excluded. `possible`: it is not excluded, and none is shown.
    """

    LOSS = "loss"
    POSSIBLE = "possible"
    NO_LOSS = "no_loss"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateMetric:
    """One question's answer; differences are candidate less baseline. `interval` leaves `alpha` (a look's
    share of it) out at either end.

    `p` is one-sided, for a loss; `adjusted` after the correction, held against `level`. `gained` and `lost` are the
    digests of cases that pass on one side only (shares alone). `least`: below so many cases no loss can be shown.
    `needed`: about how many more cases it takes to tell.
    """

    metric: str
    language: str
    primary: bool
    share: bool
    n: int
    margin: float
    baseline: float
    candidate: float
    difference: float
    interval: tuple[float, float] | None
    p: float | None
    adjusted: float | None = None
    level: float = 0.0
    least: int = 0
    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    outcome: MetricOutcome = MetricOutcome.POSSIBLE
    needed: int | None = None
    lower_is_better: bool = False
    title: str = ""  # of a criterion

    @property
    def gain(self) -> float:
        """The difference, more is better."""
        return -self.difference if self.lower_is_better else self.difference

    @property
    def gain_interval(self) -> tuple[float, float] | None:
        """The interval, more is better."""
        if self.interval is None or not self.lower_is_better:
            return self.interval
        return (-self.interval[1], -self.interval[0])


def gate_metrics(questions: Sequence[PairedValues], *, policy: GatePolicy, seed: int) -> list[GateMetric]:
    """Every question answered, the whole first. Costs 0.1 to 2 s of resampling for 500 cases. Pure: the same values
    and seed give the same answers."""
    metrics = []
    for primary in (True, False):
        family = [question for question in questions if question.primary is primary]
        level = policy.alpha_of_a_look / 2
        least = least_pairs(level, questions=len(family))
        answers = [_measure(question, policy, seed, least=least) for question in family]
        adjusted = holm([answer.p for answer in answers])
        metrics += [
            _decided(replace(answer, adjusted=_rounded(p), level=level), policy)
            for answer, p in zip(answers, adjusted, strict=True)
        ]
    return metrics


def least_pairs(level: float, *, questions: int) -> int:
    """Return the least number of cases for a loss in each of them to be rarer than `level`.

    With Holm's correction for so many questions it is the least n with 1 / 2^n <= level / questions.
    """
    return ceil(log2(max(1, questions) / level) - _TIE)


def _measure(values: PairedValues, policy: GatePolicy, seed: int, *, least: int) -> GateMetric:
    digests = list(values.baseline)
    sign = -1 if values.lower_is_better else 1
    deltas = [sign * (values.candidate[digest] - values.baseline[digest]) for digest in digests]  # more is better
    n = len(deltas)
    lost, gained = _turned(values, digests) if values.share else ((), ())
    p = mcnemar_loss_p(len(lost), len(gained)) if values.share else sign_flip_loss_p(deltas, seed=seed)
    interval = bootstrap_interval(deltas, seed=seed, confidence=1 - 2 * policy.alpha_of_a_look)
    if interval is not None and values.lower_is_better:
        interval = (-interval[1], -interval[0])
    margin = values.margin or policy.margin * values.scale / 10
    margin = max(policy.margin / 10, policy.net_loss / n) if values.share else margin
    return GateMetric(
        metric=values.metric,
        language=values.language,
        primary=values.primary,
        share=values.share,
        n=n,
        margin=round(margin, DIGITS),
        baseline=round(fsum(values.baseline.values()) / n, DIGITS),
        candidate=round(fsum(values.candidate.values()) / n, DIGITS),
        difference=round(sign * fsum(deltas) / n, DIGITS),
        lower_is_better=values.lower_is_better,
        interval=(round(interval[0], DIGITS), round(interval[1], DIGITS)) if interval else None,
        p=_rounded(p),
        least=least,
        gained=gained,
        lost=lost,
        needed=_needed(deltas, margin, policy, least=least),
    )


def _turned(values: PairedValues, digests: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Cases of which half of the trials or more pass on one side only: (lost, gained)."""
    before = {digest for digest in digests if values.baseline[digest] >= 0.5}
    after = {digest for digest in digests if values.candidate[digest] >= 0.5}
    return tuple(sorted(before - after)), tuple(sorted(after - before))


def _needed(deltas: Sequence[float], margin: float, policy: GatePolicy, *, least: int) -> int | None:
    """More cases until a loss of the margin would be seen four times in five."""
    needed = pairs_needed(deltas, effect=margin, alpha=2 * policy.alpha_of_a_look) if len(deltas) > 1 else None
    return None if needed is None else max(1, max(least, needed) - len(deltas))


def _decided(metric: GateMetric, policy: GatePolicy) -> GateMetric:
    if _shown(metric) and _large(metric, policy):
        return replace(metric, outcome=MetricOutcome.LOSS, needed=None)
    enough = metric.n >= least_pairs(metric.level, questions=1)
    if enough and metric.gain_interval is not None and metric.gain_interval[0] > -metric.margin - _TIE:
        return replace(metric, outcome=MetricOutcome.NO_LOSS, needed=None)
    return metric


def _shown(metric: GateMetric) -> bool:
    return metric.adjusted is not None and metric.adjusted <= metric.level + _TIE


def _large(metric: GateMetric, policy: GatePolicy) -> bool:
    if metric.share:
        return len(metric.lost) - len(metric.gained) >= policy.net_loss
    return metric.gain <= -metric.margin + _TIE


def suspected(metric: GateMetric) -> bool:
    """Tell whether a part looks worse by more than the margin, and its p would do as the only question.

    Where it has too few cases for any p to do, the look suffices.
    """
    if (
        metric.primary
        or metric.outcome is not MetricOutcome.POSSIBLE
        or metric.p is None
        or metric.gain_interval is None
    ):
        return False
    is_significant = metric.p <= metric.level + _TIE or metric.n < least_pairs(metric.level, questions=1)
    return is_significant and metric.gain_interval[1] < -metric.margin + _TIE


def _rounded(p: float | None) -> float | None:
    return None if p is None else round(p, DIGITS)

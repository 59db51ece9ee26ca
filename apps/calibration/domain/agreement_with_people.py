"""Measure how well a judge agrees with people on one criterion in one language, for a certificate.

Everything that decides stands in `Declared`, written down before the judge has answered: which kappa, how high, on how
many conversations, and how a score of 0-10 becomes a point of the people's scale.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from math import fsum
from typing import Any

from apps.evaluations.figures.domain.rating_scale import Binning, Rating, RatingScale, agreed
from apps.statistics.agreement import cohen_kappa, gwet_ac1, krippendorff_alpha, raw_agreement
from apps.statistics.bootstrap import kappa_interval

ALPHA_FLOOR = 0.667  # below it not even tentative conclusions: Krippendorff (2004), Content Analysis, 241
RESAMPLES = 2000


class CertificateVerdict(StrEnum):
    CERTIFIED = "certified"
    REFUSED = "refused"
    UNMEASURABLE = "unmeasurable"


class CertificateStatus(StrEnum):
    """The state of a judge's certificate, as its evaluation shows it: `changed` when only an earlier state of it was
    certified."""

    CERTIFIED = "certified"
    REFUSED = "refused"
    EXPIRED = "expired"
    NONE = "none"


class CertificateRule(StrEnum):
    """Rule for a certificate: the estimate itself must reach the target, or the lower end of its interval."""

    POINT = "point"
    LOWER_BOUND = "lower_bound"


class Kappa(StrEnum):
    """The kappa that decides."""

    UNWEIGHTED = "unweighted"
    LINEAR = "linear"
    QUADRATIC = "quadratic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """The rule of a calibration, as it was declared beforehand. Targets from the tenant's settings."""

    target: float = 0.7
    rule: CertificateRule = CertificateRule.POINT
    min_items: int = 30
    alpha_floor: float = ALPHA_FLOOR
    decides: Mapping[str, Kappa] = field(default_factory=dict)
    bins: Mapping[str, Binning] = field(default_factory=dict)
    seed: int = 0
    resamples: int = RESAMPLES
    days: int = 35
    left_out: tuple[str, ...] = ()  # labelled criteria that this judge does not judge

    def as_json(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "rule": self.rule.value,
            "left_out": list(self.left_out),
            "decides": {name: kappa.value for name, kappa in self.decides.items()},
            "bins": {name: binning.as_json() for name, binning in self.bins.items()},
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Declared":
        return cls(
            **{
                **stored,
                "rule": CertificateRule(stored["rule"]),
                "left_out": tuple(stored.get("left_out", ())),
                "decides": {name: Kappa(kappa) for name, kappa in stored["decides"].items()},
                "bins": {name: Binning.from_json(binning) for name, binning in stored["bins"].items()},
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedPair:
    """One labelled conversation: what people gave (None where somebody could not say) and the judge's score."""

    people: tuple[Rating, ...]
    judge: float | None


def measure(
    *, criterion: str, language: str, pairs: Sequence[RatedPair], binning: Binning, pass_mark: float, declared: Declared
) -> dict[str, Any]:
    """One item of the certificate: figures, verdict and the reason in words. Plain JSON; pure.

    People's label is their median (words: their majority; a tie leaves the conversation out and is counted). `interval`
    is the 95 % percentile bootstrap of the kappa that decides, over conversations. `passes` and `errors` are what
    corrected rates and means are made of, on the judge's own scale. About 0.1 s for 100 conversations.
    """
    scale = binning.scale
    usual = Kappa.QUADRATIC if scale.ordered and len(scale.points) > 2 else Kappa.UNWEIGHTED
    decides = declared.decides.get(criterion, usual)
    labels = [agreed(pair.people, scale) for pair in pairs]
    both = [
        (label, binning.point(pair.judge), float(pair.judge))
        for label, pair in zip(labels, pairs, strict=True)
        if label is not None and pair.judge is not None
    ]
    people, judge = [label for label, _, _ in both], [point for _, point, _ in both]
    figures: dict[str, Any] = {
        "criterion": criterion,
        "language": language,
        "n": len(both),
        **_agreement(people, judge, scale, decides, declared),
        "human_alpha": _alpha_of_people([pair.people for pair in pairs], scale),
        "raters": max((sum(rating is not None for rating in pair.people) for pair in pairs), default=0),
        "left_out": {
            "people_tied_or_silent": sum(label is None for label in labels),
            "judge_without_score": sum(pair.judge is None for pair in pairs),
        },
        "confusion": _confusion(people, judge, scale),
        "bias": _bias(both, binning),
        "passes": _passes(both, binning, pass_mark),
        "errors": _errors(both, binning),
    }
    why = _refusals(figures, people=people, judge=judge, decides=decides, declared=declared)
    figures["verdict"] = (CertificateVerdict.REFUSED if why else CertificateVerdict.CERTIFIED).value
    figures["reason"] = "; ".join(why) if why else _certified(figures, deciding(figures), decides, declared)
    return figures


def _agreement(
    people: Sequence[Rating], judge: Sequence[Rating], scale: RatingScale, decides: Kappa, declared: Declared
) -> dict[str, Any]:
    """Raw agreement, the kappas (weighted ones only where the scale is ordered), AC1, and the interval."""
    kappas = {
        kappa: cohen_kappa(people, judge, weights=_weights(kappa), labels=scale.points)
        if scale.ordered or kappa is Kappa.UNWEIGHTED
        else None
        for kappa in Kappa
    }
    interval = kappa_interval(
        people, judge, weights=_weights(decides), labels=scale.points, resamples=declared.resamples, seed=declared.seed
    )
    return {
        "agreement": raw_agreement(people, judge),
        "kappa": kappas[Kappa.UNWEIGHTED],
        "kappa_linear": kappas[Kappa.LINEAR],
        "kappa_quadratic": kappas[Kappa.QUADRATIC],
        "decides": decides.value,
        "ac1": gwet_ac1(people, judge),
        "interval": list(interval) if interval else None,
    }


def deciding(item: Mapping[str, Any]) -> float | None:
    """The kappa of an item that decides."""
    key = {"unweighted": "kappa", "linear": "kappa_linear", "quadratic": "kappa_quadratic"}[item["decides"]]
    kappa: float | None = item[key]
    return kappa


def lowest_item(items: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The item of the lowest deciding kappa; None where none has one."""
    return min(
        (item for item in items if deciding(item) is not None), key=lambda item: deciding(item) or 0.0, default=None
    )


def overall(items: Sequence[Mapping[str, Any]]) -> CertificateVerdict:
    """Certified when every item is; unmeasurable when the judge scored nothing that people labelled."""
    if not any(item["n"] for item in items):
        return CertificateVerdict.UNMEASURABLE
    good = all(item["verdict"] == CertificateVerdict.CERTIFIED for item in items)
    return CertificateVerdict.CERTIFIED if good else CertificateVerdict.REFUSED


def _refusals(
    figures: Mapping[str, Any], *, people: Sequence[Rating], judge: Sequence[Rating], decides: Kappa, declared: Declared
) -> list[str]:
    """Every reason to refuse, in words; none means certified. Too few is said alone."""
    n, alpha = figures["n"], figures["human_alpha"]
    if not n:
        return ["nothing to compare: the judge scored none of the conversations that people labelled"]
    if n < declared.min_items:  # the other figures are noise then
        return [f"too few: {n} labelled conversation{'s' if n != 1 else ''}, {declared.min_items} are needed"]
    why = []
    for who, ratings in (("people", people), ("the judge", judge)):
        if len(set(ratings)) == 1:  # first: alpha is near 0 then, however well people agree
            why.append(f"one class only: {who} gave every conversation {ratings[0]!s}, so agreement says nothing")
    if alpha is not None and alpha < declared.alpha_floor:
        why.append(
            f"people disagree among themselves: Krippendorff's alpha {alpha:.2f}, below {declared.alpha_floor:g}, "
            "so they are no measure for a judge"
        )
    kappa, interval = deciding(figures), figures["interval"]
    if len(set(people)) > 1 and len(set(judge)) > 1:
        why += _too_low(kappa, interval, decides, declared)
    return why


def _too_low(kappa: float | None, interval: Sequence[float] | None, decides: Kappa, declared: Declared) -> list[str]:
    if kappa is None:
        return ["kappa is undefined on these labels"]
    if kappa < declared.target:
        return [f"the judge and people disagree: kappa ({decides}) {kappa:.2f}, below {declared.target:g}"]
    if declared.rule is CertificateRule.LOWER_BOUND and (interval is None or interval[0] < declared.target):
        low = "undefined" if interval is None else f"{interval[0]:.2f}"
        return [
            f"not sure enough: kappa ({decides}) {kappa:.2f}, but the lower end of its interval is {low}, "
            f"below {declared.target:g}"
        ]
    return []


def _certified(figures: Mapping[str, Any], kappa: float | None, decides: Kappa, declared: Declared) -> str:
    sentence = f"kappa ({decides}) {kappa:.2f} on {figures['n']} conversations reaches {declared.target:g}"
    return sentence if figures["human_alpha"] is not None else f"{sentence}; one rater only, so no ceiling is known"


def _weights(kappa: Kappa) -> Any:
    return None if kappa is Kappa.UNWEIGHTED else kappa.value


def _alpha_of_people(rated: Sequence[Sequence[Rating]], scale: RatingScale) -> float | None:
    """Krippendorff's alpha, interval for numbers and nominal for words. Places in a list need not be the same rater."""
    width = max(map(len, rated), default=0)
    rows = [[ratings[place] if place < len(ratings) else None for ratings in rated] for place in range(width)]
    return krippendorff_alpha(rows, level="interval" if scale.ordered else "nominal") if rows else None


def _confusion(people: Sequence[Rating], judge: Sequence[Rating], scale: RatingScale) -> dict[str, Any]:
    """Rows are people's labels, columns the judge's."""
    counts = Counter(zip(people, judge, strict=True))
    return {
        "labels": list(scale.points),
        "rows": [[counts[row, column] for column in scale.points] for row in scale.points],
    }


def _bias(both: Sequence[tuple[Rating, Rating, float]], binning: Binning) -> dict[str, float] | None:
    """Means on the people's own scale, and how much higher the judge is. None for words."""
    if not both or not binning.scale.ordered:
        return None
    people = fsum(float(label) for label, _, _ in both) / len(both)
    judge = fsum(float(point) for _, point, _ in both) / len(both)
    return {"people": people, "judge": judge, "difference": judge - people}


def _passes(both: Sequence[tuple[Rating, Rating, float]], binning: Binning, mark: float) -> dict[str, int] | None:
    """Count how often the judge passes what people pass, and fails what people fail. None where words have no order."""
    if not both or binning.anchors is None:
        return None
    pairs = [(binning.anchor(label) >= mark, score >= mark) for label, _, score in both]
    return {
        "human_passes": sum(human for human, _ in pairs),
        "true_passes": sum(human and judge for human, judge in pairs),
        "human_fails": sum(not human for human, _ in pairs),
        "true_fails": sum(not human and not judge for human, judge in pairs),
    }


def _errors(both: Sequence[tuple[Rating, Rating, float]], binning: Binning) -> dict[str, float] | None:
    """People's label on the judge's scale minus the judge's score: count, mean, variance. None below two."""
    if len(both) < 2 or binning.anchors is None:
        return None
    errors = [binning.anchor(label) - score for label, _, score in both]
    mean = fsum(errors) / len(errors)
    return {"n": len(errors), "mean": mean, "variance": fsum((e - mean) ** 2 for e in errors) / (len(errors) - 1)}

"""One measurement by a metric of DeepEval's, with its known defects taken off.

A score outside 0 to 1 is clamped; none, NaN, an error and verdicts that are no verdicts are errors and never a pass. A
ConversationalGEval with a rubric is scaled by the rubric's range (DeepEval divides by ten whatever it is), and its
score is the judge's own number (DeepEval weighs the first token that looks like it).
"""

import math
from typing import Any

_RAW_SPAN = 10.0  # ConversationalGEval calls raw / 10 its score
_DECIDED, _OPEN = ("yes", "no"), ("idk",)


class MetricUnmeasurable(Exception):
    """A metric came to no score; the sentence says why."""


def measure(metric: Any, case: Any) -> float:
    """Measures `case` and gives the score, from 0 to 1; sets `metric.score` and `metric.success`.

    Raises `MetricUnmeasurable`. Costs what the metric asks its judge; may be repeated with a fresh metric.
    """
    conversational = hasattr(metric, "generate_weighted_summed_score")
    if conversational:
        metric.generate_weighted_summed_score = lambda raw_score, raw_response: raw_score
    try:
        metric.measure(case)
    except Exception as error:
        raise MetricUnmeasurable(f"{type(error).__name__}: {error}"[:1000]) from error
    if getattr(metric, "error", None):
        raise MetricUnmeasurable(str(metric.error)[:1000])
    _refuse_no_verdicts(getattr(metric, "verdicts", None))
    score = metric.score
    if isinstance(score, bool) or not isinstance(score, int | float) or math.isnan(score):
        raise MetricUnmeasurable(f"the score is {score!r}, which is no number")
    scaled = _by_rubric(metric, float(score)) if conversational else float(score)
    clamped = min(max(scaled, 0.0), 1.0)
    if clamped != score:
        metric.score = clamped
        metric.success = metric.threshold is None or clamped >= metric.threshold
    return clamped


def _by_rubric(metric: Any, score: float) -> float:
    rubric = getattr(metric, "rubric", None)
    if not rubric or getattr(metric, "strict_mode", False):
        return score
    low, high = min(one.score_range[0] for one in rubric), max(one.score_range[1] for one in rubric)
    return (score * _RAW_SPAN - low) / (high - low) if high > low else score


def _refuse_no_verdicts(verdicts: Any) -> None:
    """A metric that counts verdicts calls nothing at all a pass."""
    if not isinstance(verdicts, list):
        return
    words = [_word(verdict) for verdict in verdicts]
    odd = next((word for word in words if word is not None and word not in (*_DECIDED, *_OPEN)), None)
    if odd is not None:
        raise MetricUnmeasurable(f"the judge's verdict {odd!r} is none of yes, no, idk")
    if not verdicts or all(word in _OPEN for word in words):
        raise MetricUnmeasurable("the judge gave no verdict at all")


def _word(verdict: Any) -> str | None:
    value = getattr(verdict, "verdict", None)
    value = getattr(value, "value", value)
    return str(value).strip().lower() if value is not None else None

"""Metrics that are a rubric: DeepEval's ConversationalGEval around our own steps, with its defects taken off.

The steps are stored, so they are not written anew for each case (twice the cost, and another rubric every time); the
list of parameters is a fresh one, as it is changed in place; the raw score is scaled over the rubric's own range and
clamped to [0, 1]; what is no finite number is an error (docs/adr/0071).
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from apps.checks.metrics.base import Case, MeasuredMetric, MetricError, MetricJudge
from apps.checks.metrics.conversation_case import conversational
from apps.checks.metrics.deepeval_environment import PINNED, deepeval
from apps.checks.metrics.judge_model import WORDING, deepeval_model
from apps.core.errors import RatibaError
from apps.evaluations.domain.evidence import Checker
from apps.evaluations.domain.transcript import neutralised

_QUOTES = re.compile(r"[\"“„«]([^\"“”„«»]{3,300})[\"”“»]")
_MAX_QUOTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """The rubric of a question. `bands` are (lowest, highest, expectation) of raw scores; `span` is the raw score's
    range.

    `tools` shows the judge tool calls and their results.
    """

    name: str
    steps: tuple[str, ...]
    bands: tuple[tuple[int, int, str], ...]
    span: tuple[float, float] = (0.0, 10.0)
    tools: bool = False

    def wording(self) -> tuple[str, ...]:
        """Return everything that a score by this rubric depends on."""
        bands = (f"{low}-{high}: {text}" for low, high, text in self.bands)
        return (f"deepeval {PINNED}", *WORDING, self.name, *self.steps, *bands, str(self.span))


async def by_rubric(case: Case, judge: MetricJudge, rubric: Rubric, *, facts: Sequence[str] = ()) -> MeasuredMetric:
    """One question (two where the first answer is of no use). Raises MetricError and NotApplicable.

    `facts` are shown beside the conversation, as facts. The reason's quotes are looked up in the transcript.
    """
    shown = "Known facts, which are certain:\n" + "\n".join(f"- {neutralised(fact)}" for fact in facts)
    test_case = conversational(case, scenario=shown if facts else None)
    metric = geval(rubric, deepeval_model(judge), facts=bool(facts))
    await measured(metric, test_case.case)
    score, note = scaled(metric.score, rubric.span)
    reason = str(metric.reason or "").strip()
    return MeasuredMetric(score=score, reason=f"{reason} {note}".strip(), evidence=quotes_of(reason, case))


def geval(rubric: Rubric, model: Any, *, facts: bool = False) -> Any:
    """DeepEval's metric for a rubric: a fresh one for each case, as they keep state."""
    params = deepeval("test_case").MultiTurnParams
    chosen = [params.CONTENT, params.ROLE]
    chosen += [params.TOOLS_CALLED] if rubric.tools else []
    chosen += [params.SCENARIO] if facts else []  # of its CONTEXT DeepEval only makes a KeyError
    band: Any = deepeval("metrics.g_eval").Rubric
    return deepeval("metrics").ConversationalGEval(
        name=rubric.name,
        evaluation_params=chosen,
        evaluation_steps=list(rubric.steps),
        rubric=[band(score_range=(low, high), expected_outcome=text) for low, high, text in rubric.bands],
        model=model,
        threshold=None,
        async_mode=True,
    )


async def measured(metric: Any, case: Any) -> None:
    """Let DeepEval measure. Whatever breaks inside it is a MetricError: never a pass, and never a crash of a batch."""
    try:
        await metric.a_measure(case, _show_indicator=False)
    except RatibaError:
        raise
    except Exception as error:  # a library's own inside, whatever it throws
        raise MetricError(
            f"DeepEval could not measure: {type(error).__name__}: {error}"[:500], code="deepeval"
        ) from error


def scaled(score: Any, span: tuple[float, float] = (0.0, 10.0)) -> tuple[float, str]:
    """DeepEval's score (raw / 10, whatever the range) as ours, and what had to be done to it.

    Raises MetricError for None, NaN and infinities.
    """
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        raise MetricError(f"the judge's score is {score!r}, which is no number", code="bad_score")
    low, high = span
    raw = float(score) * 10
    share = (raw - low) / (high - low)
    clipped = min(1.0, max(0.0, share))
    note = (
        f"[the judge said {raw:g} on a scale from {low:g} to {high:g}; counted as {clipped:g}]"
        if clipped != share
        else ""
    )
    return round(clipped, 6), note


def quotes_of(reason: str, case: Case) -> tuple[dict[str, Any], ...]:
    """The reason's words in quotation marks, verified against the turns."""
    checker = Checker(case.turns)
    evidence = [checker.verify(words) for words in dict.fromkeys(_QUOTES.findall(reason))][:_MAX_QUOTES]
    return tuple(
        {"turn": one.turn, "quote": one.quote, "kind": str(one.kind), "repair": one.repair} for one in evidence
    )

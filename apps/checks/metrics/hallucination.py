"""Does any turn of the agent contradict what is true? DeepEval's HallucinationMetric, turn by turn, against the known
facts of the agent's profile.

DeepEval's takes one answer and not conversations, and turned round in 4.2.0: since then, and here always, 1 is good.
The score is the worst turn's: the share of facts it does not contradict. The default line is 1: one is too many.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from apps.checks.metrics.base import (
    Case,
    MeasuredMetric,
    Metric,
    MetricError,
    MetricJudge,
    NotApplicable,
    needs_judge,
    turn_text,
)
from apps.checks.metrics.deepeval_environment import deepeval
from apps.checks.metrics.judge_model import QUESTIONS, deepeval_model
from apps.checks.metrics.rubric_judging import measured
from apps.checks.metrics.verdict_metrics import WORDING, expect_verdicts, metric, why, words_of
from apps.evaluations.domain.transcript import neutralised

__version__ = "1.1.0"  # raise it with DeepEval's version


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """One question for each of the agent's turns. Raises MetricError, also where the profile knows no facts, and
    NotApplicable."""
    asker = needs_judge(judge, "Hallucination")
    if not case.facts:
        raise MetricError("the agent's profile has no known facts to hold its words against", code="no_facts")
    if not case.agent_turns:
        raise NotApplicable("the agent says nothing in this conversation")
    model = deepeval_model(asker)
    turns = await asyncio.gather(*(_of_turn(case, turn, model) for turn in case.agent_turns))
    worst = min(turns, key=lambda turn: turn["score"])
    against = [one for one in turns if one["contradicts"]]
    examples = " ".join(f"Turn {one['turn']}: {one['contradicts'][0]['why']}" for one in against[:5])
    return MeasuredMetric(
        score=worst["score"],
        reason=f"{len(against)} of {len(turns)} turns contradict a known fact. {examples}".strip(),
        evidence=tuple(turns),
    )


async def _of_turn(case: Case, turn: int, model: Any) -> Mapping[str, Any]:
    question = next(
        (turn_text(case.turns[at]) for at in range(turn, -1, -1) if case.turns[at].get("role") == "user"), ""
    )
    test_case = deepeval("test_case").LLMTestCase(
        input=neutralised(question) or "(nothing)",
        actual_output=neutralised(turn_text(case.turns[turn])),
        context=list(case.facts),
    )
    hallucination = metric("HallucinationMetric", model)
    await measured(hallucination, test_case)
    verdicts = expect_verdicts(hallucination.verdicts, len(case.facts), "facts")
    wrong = [
        {"fact": fact, "why": why(verdict)}
        for fact, verdict in zip(case.facts, verdicts, strict=True)
        if verdict.verdict == "no"
    ]
    return {
        "turn": turn,
        "quote": words_of(case, turn),
        "kind": "exact",
        "score": round(1 - len(wrong) / len(verdicts), 6),
        "contradicts": wrong,
    }


METRIC = Metric(
    name="HallucinationMetric",
    module="hallucination",
    version=__version__,
    threshold=1.0,
    wording=WORDING,
    measure=measure,
    calls=lambda case: QUESTIONS * len(case.agent_turns),
)

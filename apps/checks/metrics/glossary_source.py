"""Did the agent answer from the glossary, or from general knowledge? In two phases (brief 004).

First the sixteen hedging phrases (domain/hedging): any of them in the agent's words is 0 without a question to anybody.
Only then the judge scores from 0 to 10 how much the answers come from the glossary; threshold 0.8, as in the seed.
"""

from apps.checks.domain.hedging import PHRASES, find_hedging
from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricJudge, NotApplicable, needs_judge, quoted
from apps.checks.metrics.judge_model import QUESTIONS
from apps.checks.metrics.rubric_judging import Rubric, by_rubric

__version__ = "1.1.0"  # raise it when a text changes

RUBRIC = Rubric(
    name="Glossary source",
    steps=(
        "Find the turns in which the assistant defines or explains a term.",
        "Does each such answer come from an authoritative glossary? Signs of it: a lookup among the tool calls whose "
        "result says the same, one definite definition in the words of this business, or known facts given beside the "
        "conversation.",
        "Does it read like general knowledge instead? Signs of that: several meanings side by side, a definition that "
        "would fit any company, hedging, or a claim that no lookup and no given fact supports.",
        "A glossary's definition may be paraphrased; that is no fault. An honest 'this term is not in the glossary' is "
        "better than an invented definition.",
    ),
    bands=(
        (0, 3, "General knowledge: generic, hedged or invented."),
        (4, 7, "Partly from the glossary, partly filled up."),
        (8, 10, "Every definition is the glossary's, in its own or in other words."),
    ),
    tools=True,
)


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """Score 0 without a question where the agent hedges, else ask the judge once."""
    if not case.agent_turns:
        raise NotApplicable("the agent says nothing in this conversation")
    hedges = find_hedging(case.turns)
    if hedges:
        shown = ", ".join(sorted({" ".join(hedge.words.lower().split()) for hedge in hedges}))
        return MeasuredMetric(
            score=0.0,
            reason=f"The agent hedges, so it did not look it up: {shown}. No judge was asked.",
            evidence=tuple(quoted(hedge.turn, hedge.words) for hedge in hedges),
        )
    return await by_rubric(case, needs_judge(judge, "Glossary source"), RUBRIC, facts=case.facts)


METRIC = Metric(
    name="GlossarySourceMetric",
    module="glossary_source",
    version=__version__,
    threshold=0.8,
    wording=(*RUBRIC.wording(), *PHRASES),
    measure=measure,
    calls=lambda case: 0 if find_hedging(case.turns) else QUESTIONS,
)

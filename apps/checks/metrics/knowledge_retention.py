"""Does the agent remember what the customer told it? DeepEval's KnowledgeRetentionMetric, from 0 to 1: the share of the
agent's turns that do not ask again for, or forget, what was said before."""

from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricJudge, NotApplicable, needs_judge, quoted
from apps.checks.metrics.conversation_case import conversational
from apps.checks.metrics.judge_model import QUESTIONS, deepeval_model
from apps.checks.metrics.rubric_judging import measured
from apps.checks.metrics.verdict_metrics import WORDING, expect_verdicts, metric, why, words_of

__version__ = "1.1.0"  # raise it with DeepEval's version


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """One question for each customer's turn, and one for each of the agent's with something to remember before it.

    Raises MetricError, and NotApplicable where there is nothing to remember (DeepEval calls that 1).
    """
    asker = needs_judge(judge, "Knowledge retention")
    test_case = conversational(case)
    retention = metric("KnowledgeRetentionMetric", deepeval_model(asker))
    await measured(retention, test_case.case)
    known = [bool(knowledge is not None and knowledge.data) for knowledge in retention.knowledges]
    positions = [at for at in sorted(test_case.agent()) if any(known[:at])]
    if not positions:
        raise NotApplicable("the customer said nothing that could be forgotten")
    verdicts = expect_verdicts(retention.verdicts, len(positions), "turns")
    forgot = [(at, verdict) for at, verdict in zip(positions, verdicts, strict=True) if verdict.verdict == "yes"]
    turns = [test_case.numbers[at] for at, _ in forgot]
    shown = zip(turns, forgot, strict=True)
    return MeasuredMetric(
        score=round(1 - len(forgot) / len(positions), 6),
        reason=f"{len(forgot)} of {len(positions)} turns forget something. " + " ".join(why(one) for _, one in forgot),
        evidence=tuple(quoted(turn, words_of(case, turn), why=why(one)) for turn, (_, one) in shown),
    )


METRIC = Metric(
    name="KnowledgeRetentionMetric",
    module="knowledge_retention",
    version=__version__,
    threshold=0.5,
    wording=WORDING,
    measure=measure,
    calls=lambda case: QUESTIONS * len(case.turns),
)

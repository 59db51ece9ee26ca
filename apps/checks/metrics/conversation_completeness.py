"""Did the customer get what they came for? DeepEval's ConversationCompletenessMetric, from 0 to 1: the share of the
customer's intentions that were met."""

from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricError, MetricJudge, needs_judge
from apps.checks.metrics.conversation_case import conversational
from apps.checks.metrics.judge_model import QUESTIONS, deepeval_model
from apps.checks.metrics.rubric_judging import measured
from apps.checks.metrics.verdict_metrics import WORDING, expect_verdicts, metric, why

__version__ = "1.0.0"  # raise it with DeepEval's version
MOST_INTENTIONS = 8  # what is reserved for; more are rare


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """One question for the intentions, and one for each. Raises MetricError, also where the judge finds no intention
    (DeepEval calls that 1), and NotApplicable."""
    asker = needs_judge(judge, "Conversation completeness")
    test_case = conversational(case)
    completeness = metric("ConversationCompletenessMetric", deepeval_model(asker))
    await measured(completeness, test_case.case)
    intentions = [str(one) for one in completeness.user_intentions]
    if not intentions:
        raise MetricError("the judge found no intention of the customer", code="no_intentions")
    verdicts = expect_verdicts(completeness.verdicts, len(intentions), "intentions")
    unmet = [(wish, one) for wish, one in zip(intentions, verdicts, strict=True) if one.verdict == "no"]
    return MeasuredMetric(
        score=round(1 - len(unmet) / len(intentions), 6),
        reason=f"{len(intentions) - len(unmet)} of {len(intentions)} intentions were met. "
        + " ".join(f"Not met: {wish}: {why(one)}" for wish, one in unmet),
        evidence=tuple(
            {"turn": None, "kind": "verdict", "intention": wish, "met": one.verdict == "yes", "why": why(one)}
            for wish, one in zip(intentions, verdicts, strict=True)
        ),
    )


METRIC = Metric(
    name="ConversationCompletenessMetric",
    module="conversation_completeness",
    version=__version__,
    threshold=0.5,
    wording=WORDING,
    measure=measure,
    calls=lambda case: QUESTIONS * (1 + MOST_INTENTIONS),
)

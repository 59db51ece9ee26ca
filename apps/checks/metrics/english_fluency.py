"""Is the agent's English that of a small Kenyan business? (brief 000 §6). Applies where the agent speaks English."""

from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricJudge, needs_judge
from apps.checks.metrics.judge_model import QUESTIONS
from apps.checks.metrics.rubric_judging import Rubric, by_rubric

__version__ = "1.1.0"  # raise it when a text changes

RUBRIC = Rubric(
    name="English fluency",
    steps=(
        "Look only at what the assistant says in English. What it says in Swahili is another metric's; what the user "
        "says is only the background.",
        "Is it natural Kenyan English? Phrases that sound like American customer-service English in translation count "
        "against it ('I'd be more than happy to assist you with that today!').",
        "Is the formality that of a small business: warmer than corporate English, more direct than a luxury hotel's?",
        "Are the sentences correct and easy to follow? Swahili words that everybody in Kenya uses in English "
        "('karibu', 'asante', 'sawa') are natural, not errors.",
        "Where the user mixes English and Swahili, does the assistant go along gracefully? Mixing by itself "
        "is no fault.",
        "Do not score whether the booking succeeded, whether prices are right or how long the answers are.",
    ),
    bands=(
        (0, 2, "Broken English, or text that no person would write."),
        (3, 5, "Understandable, but stiff, translated or of the wrong register in several places."),
        (6, 7, "Good English with a few slips or phrases of a foreign register."),
        (8, 9, "Natural throughout, at most one slip that nobody would mind."),
        (10, 10, "A Kenyan reader would take it for a person at the front desk."),
    ),
)


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """Ask the judge once about the agent's English. Raises MetricError and NotApplicable."""
    return await by_rubric(case, needs_judge(judge, "English fluency"), RUBRIC)


METRIC = Metric(
    name="EnglishFluencyMetric",
    module="english_fluency",
    version=__version__,
    threshold=0.8,
    wording=RUBRIC.wording(),
    measure=measure,
    calls=lambda case: QUESTIONS,
    language="en",
)

"""Is the agent's Italian that of a good salesperson or front desk? Ours: the seeds have Italian conversations and no
metric for them. Applies where the agent speaks Italian."""

from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricJudge, needs_judge
from apps.checks.metrics.judge_model import QUESTIONS
from apps.checks.metrics.rubric_judging import Rubric, by_rubric

__version__ = "1.1.0"  # raise it when a text changes

RUBRIC = Rubric(
    name="Italian fluency",
    steps=(
        "Look only at what the assistant says in Italian; what the user says is only the background.",
        "Is it idiomatic Italian? Literal translations from English count against it ('fare senso', 'al tuo servizio "
        "oggi', 'supportare' for helping), and so do wrong prepositions, agreement and subjunctives.",
        "Does it keep one form of address? It follows the user's (tu or Lei) and does not change it midway without a "
        "reason.",
        "Does it avoid English words that have an everyday Italian equivalent ('schedulare', 'follow-up')? Names of "
        "products and words that are Italian by now ('budget', 'email', 'spa') are no fault.",
        "Is the register that of a friendly, competent person in a shop or an office: neither bureaucratic "
        "nor gushing?",
        "Do not score whether anything was sold or booked, whether facts are right or how long the answers are.",
    ),
    bands=(
        (0, 2, "Hardly Italian, or a translation that an Italian would not understand without effort."),
        (3, 5, "Understandable, with several unidiomatic sentences or a wavering form of address."),
        (6, 7, "Good Italian with a few slips."),
        (8, 9, "Natural throughout, at most one slip that nobody would mind."),
        (10, 10, "An Italian reader would take it for a person."),
    ),
)


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """Ask the judge once about the agent's Italian. Raises MetricError and NotApplicable."""
    return await by_rubric(case, needs_judge(judge, "Italian fluency"), RUBRIC)


METRIC = Metric(
    name="ItalianFluencyMetric",
    module="italian_fluency",
    version=__version__,
    threshold=0.8,
    wording=RUBRIC.wording(),
    measure=measure,
    calls=lambda case: QUESTIONS,
    language="it",
)

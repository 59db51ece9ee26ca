"""Is the agent's Swahili that of a Kenyan service business? (brief 000 §6). Applies where the agent speaks Swahili."""

from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricJudge, needs_judge
from apps.checks.metrics.judge_model import QUESTIONS
from apps.checks.metrics.rubric_judging import Rubric, by_rubric

__version__ = "1.1.0"  # raise it when a text changes

RUBRIC = Rubric(
    name="Swahili fluency",
    steps=(
        "Look only at what the assistant says in Swahili. What it says in English is another metric's; what the user "
        "says is only the background.",
        "Is it idiomatic Swahili, as a service business in Kenya writes it when it takes bookings? Literal "
        "translations, wrong noun classes and wrong verb forms count against it.",
        "Does it avoid Anglicisms unless they are conventional? 'spa', 'booking', 'salon', 'M-Pesa' and the names of "
        "treatments are conventional; 'reservation', 'availability' and 'confirm' inside a Swahili sentence are not.",
        "Where the user mixes English and Swahili, does the assistant go along gracefully, without correcting the user "
        "and without falling into English for good? Mixing by itself is no fault.",
        "Is it culturally apt for a small Kenyan business: greeting, courtesy, the right register ('samahani' for a "
        "request or a small fault, 'pole' for sympathy)?",
        "Do not score whether the booking succeeded, whether prices are right or how long the answers are.",
    ),
    bands=(
        (0, 2, "Hardly Swahili, or a translation that a speaker would not understand without effort."),
        (3, 5, "Understandable, with several unidiomatic sentences or needless Anglicisms."),
        (6, 7, "Good Swahili with a few slips."),
        (8, 9, "Natural throughout, at most one slip that nobody would mind."),
        (10, 10, "A Kenyan reader would take it for a person at the front desk."),
    ),
)


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """Ask the judge once about the agent's Swahili. Raises MetricError and NotApplicable."""
    return await by_rubric(case, needs_judge(judge, "Swahili fluency"), RUBRIC)


METRIC = Metric(
    name="SwahiliFluencyMetric",
    module="swahili_fluency",
    version=__version__,
    threshold=0.8,
    wording=RUBRIC.wording(),
    measure=measure,
    calls=lambda case: QUESTIONS,
    language="sw",
)

"""Are the slots the agent offers and confirms those of its tools? Facts first (domain/booking_facts), judge second.

Where facts decide, no question is asked: 1 when every time offered or confirmed is what the tools say, 0 when one
certainly is not. Where they do not decide (no tool calls, a time that no result names), the judge is shown the facts.
Any language (brief 000 §6; the brief's line is 1.0).
"""

from apps.checks.domain.booking_facts import BOOKS, NOT_BOOKING, BookingFacts, Remark, booking_facts
from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricJudge, NotApplicable, needs_judge, quoted
from apps.checks.metrics.judge_model import QUESTIONS
from apps.checks.metrics.rubric_judging import Rubric, by_rubric

__version__ = "1.1.0"  # raise it when a text or a rule of domain/booking_facts changes

RUBRIC = Rubric(
    name="Booking slot consistency",
    steps=(
        "List every appointment time the assistant offers or confirms. Opening hours and times it declines are no "
        "offers. Swahili clock time counts from six: 'saa nne asubuhi' is 10:00.",
        "Where known facts say what tools listed or booked, an offered time must be among those, and a confirmed one "
        "must be the one that was booked. These facts are certain.",
        "Within the conversation, a confirmed time and day must be one that was offered or that the user asked for, "
        "and later turns must not contradict it.",
        "A corrected mistake counts as a smaller fault than one that stands.",
    ),
    bands=(
        (0, 2, "A time is confirmed that was not available or not booked, and it is not put right."),
        (3, 6, "Times contradict each other, or one is offered that nothing supports."),
        (7, 9, "Consistent in the end; something was unclear or put right on the way."),
        (10, 10, "Every time offered and confirmed is consistent."),
    ),
    tools=True,
)


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """No question where facts decide, else one. Raises MetricError, and NotApplicable where no slot is spoken of."""
    facts = booking_facts(case.turns)
    if not facts.spoken:
        raise NotApplicable("no slot is offered or confirmed")
    if facts.settled is not None:
        return _by_facts(facts)
    judged = await by_rubric(case, needs_judge(judge, _what(facts)), RUBRIC, facts=facts.known)
    return MeasuredMetric(score=judged.score, reason=judged.reason, evidence=(*judged.evidence, *_shown(facts.open)))


def _by_facts(facts: BookingFacts) -> MeasuredMetric:
    if facts.wrong:
        return MeasuredMetric(
            score=0.0,
            reason=f"The agent's words and its tools disagree: {facts.wrong[0].why}. No judge was asked.",
            evidence=_shown(facts.wrong),
        )
    count = len(facts.sound)
    return MeasuredMetric(
        score=1.0,
        reason=f"All {count} times offered or confirmed are what the tools say. No judge was asked.",
        evidence=_shown(facts.sound),
    )


def _shown(remarks: tuple[Remark, ...]) -> tuple[dict[str, object], ...]:
    return tuple(quoted(remark.turn, remark.quote, why=remark.why) for remark in remarks[:20])


def _what(facts: BookingFacts) -> str:
    why = facts.open[0].why if facts.open else "no tool call speaks of slots"
    return f"Booking slot consistency (facts do not decide: {why})"


METRIC = Metric(
    name="BookingSlotConsistencyMetric",
    module="booking_slot_consistency",
    version=__version__,
    threshold=1.0,
    wording=(*RUBRIC.wording(), BOOKS.pattern, NOT_BOOKING.pattern),
    measure=measure,
    calls=lambda case: QUESTIONS if booking_facts(case.turns).settled is None else 0,
)

"""What the page of production shows, and the panel of a real conversation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from apps.core.plurals import many
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.queries.production_scores import ProductionScores, production_scores
from apps.gates.queries.prevented import PreventedCount, prevented_count
from apps.production.models import Feedback, ProductionConversation, Promotion, SampledConversation
from apps.production.promotion.queries.candidates import waiting_candidates
from apps.production.sampling.domain.states import Phase, SamplingBasis
from apps.production.sampling.queries.overview import (
    DAYS,
    AgentIntake,
    HeldConversations,
    NegativeConversation,
    RatedGroup,
    WeekRatings,
    agent_intakes,
    feedback_of,
    held_conversations,
    negative_conversations,
    rated_groups,
    week_ratings,
)
from apps.production.traces.queries.notices import IntakeNotice, PressCounts, press_counts, span_notices
from apps.runs.domain.kind_traits import traits_of
from apps.runs.models import Conversation
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

_HIGH, _STEP = 80.0, 44


@dataclass(frozen=True, slots=True)
class IntakeDay:
    """A bar: how many conversations came in that day, and where it stands in the drawing."""

    day: date
    count: int
    x: int
    y: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionPage:
    headline: Headline
    days: Sequence[IntakeDay]
    top: int
    agents: Sequence[AgentIntake]
    ratings: Sequence[RatedGroup]
    week: WeekRatings
    waiting: int
    prevented: PreventedCount
    held: HeldConversations
    keep_days: int
    settle_minutes: int
    negative: Sequence[NegativeConversation]
    notices: Sequence[IntakeNotice]
    presses: PressCounts
    scores: ProductionScores | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionPanel:
    """Beside a real conversation: what its customer and the team said of it, until when it is kept, and which test it
    became. `judged_for` says why it was judged, "" where it was not; then `may_be_picked` whether a person may."""

    row: ProductionConversation
    feedback: Sequence[Feedback]
    promotion: Promotion | None
    judged_for: str = ""
    may_be_picked: bool = False


_JUDGED_FOR: Mapping[str, str] = {
    SamplingBasis.SHARE: "It was drawn by chance for the sample of its window, and judged.",
    SamplingBasis.FLOOR: "It was drawn by chance for the sample of its window, and judged.",
    SamplingBasis.THUMBS_DOWN: "It is judged for its thumbs-down, apart from the sample.",
    SamplingBasis.SURPRISING: "It is judged for what is surprising in it, apart from the sample.",
    SamplingBasis.HAND_PICKED: "Somebody picked it to be judged, apart from the sample.",
}


def production_page(*, now: datetime, chosen: Mapping[str, str] | None = None) -> ProductionPage:
    """All of the page; `chosen` filters the trend. Ten queries, and those of `production_scores` from phase 2 on."""
    settings = workflow_config(current_slug())
    agents, week, held = agent_intakes(now=now), week_ratings(now=now), held_conversations(now=now)
    waiting = waiting_candidates()
    days, top = _days(agents, now)
    return ProductionPage(
        headline=_headline(agents, week, held, waiting),
        days=days,
        top=top,
        agents=agents,
        ratings=rated_groups(now=now),
        week=week,
        waiting=waiting,
        prevented=prevented_count(),
        held=held,
        keep_days=settings.keep_days,
        settle_minutes=settings.settle_minutes,
        negative=negative_conversations(),
        notices=span_notices(now=now),
        presses=press_counts(now=now),
        scores=production_scores(settings, chosen=chosen or {}, mark=settings.pass_mark, now=now),
    )


def production_panel(conversation: Conversation) -> ProductionPanel | None:
    """None for a conversation that did not come from a real customer, without a query; else four."""
    if not traits_of(conversation.kind).endless:
        return None
    row = (
        ProductionConversation.objects.select_related("conversation__promotion__scenario")
        .filter(conversation=conversation)
        .first()
    )
    if row is None:
        return None
    promotion = getattr(row.conversation, "promotion", None)
    basis = SampledConversation.objects.filter(conversation=conversation).values_list("basis", flat=True).first() or ""
    may_be_picked = (
        not basis
        and row.settled_at is not None
        and row.deleted_at is None
        and workflow_config(current_slug()).phase >= Phase.SAMPLING
    )
    return ProductionPanel(
        row=row,
        feedback=feedback_of(conversation.pk),
        promotion=promotion,
        judged_for=_JUDGED_FOR.get(basis, ""),
        may_be_picked=may_be_picked,
    )


def _days(agents: Sequence[AgentIntake], now: datetime) -> tuple[list[IntakeDay], int]:
    first = now.date() - timedelta(days=DAYS - 1)
    counts = [
        (day, sum(agent.by_day.get(day, 0) for agent in agents))
        for day in (first + timedelta(days=n) for n in range(DAYS))
    ]
    top = max((count for _, count in counts), default=0)
    days = []
    for n, (day, count) in enumerate(counts):
        height = max(_HIGH * count / top, 2.0) if count else 0.5
        days.append(IntakeDay(day=day, count=count, x=n * _STEP, y=_HIGH - height, height=height))
    return days, top


def _headline(agents: Sequence[AgentIntake], week: WeekRatings, held: HeldConversations, waiting: int) -> Headline:
    if not held.ever:
        return Headline(text="No real conversation has come in yet.")
    came = sum(agent.total for agent in agents)
    text = f"{many(came, 'real conversation')} came in within {DAYS} days"
    but = f"{many(week.down, 'thumbs-down', 'thumbs-down')} this week" if week.down else ""
    parts = []
    if waiting:
        verb = "waits" if waiting == 1 else "wait"
        parts.append(f"{many(waiting, 'candidate')} {verb} for you to become {'a test' if waiting == 1 else 'tests'}.")
    if held.overdue:
        verb = "is" if held.overdue == 1 else "are"
        parts.append(f"{many(held.overdue, 'conversation')} {verb} to be deleted: workers do it within a minute.")
    return Headline(text=f"{text}, " if but else f"{text}.", but=but, note=" ".join(parts))

"""The content of the production page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from apps.core.plurals import many
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.results.queries.production_scores import ProductionScores, production_scores
from apps.gates.queries.prevented import PreventedCount, prevented_count
from apps.production.promotion.queries.candidates import waiting_candidates
from apps.production.sampling.queries.overview import (
    DAYS,
    AgentIntake,
    HeldConversations,
    NegativeConversation,
    RatedGroup,
    WeekRatings,
    agent_intakes,
    held_conversations,
    negative_conversations,
    rated_groups,
    week_ratings,
)
from apps.production.traces.queries.notices import IntakeNotice, PressCounts, press_counts, span_notices
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


def production_page(*, now: datetime, chosen: Mapping[str, str] | None = None) -> ProductionPage:
    """Return the content of the production page; `chosen` filters the trend.

    Ten queries, and those of `production_scores` from phase 2 on.
    """
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

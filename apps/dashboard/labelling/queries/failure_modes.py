"""The content of the pages of failure modes: the list, and one mode with its notes and rates."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.calibration.models import ConversationNote
from apps.catalog.models import Criterion
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.labelling.domain.mode_words import (
    ONLY_COUNTED,
    criterion_words,
    mode_headline,
    modes_headline,
    movement_words,
    rate_words,
)
from apps.dashboard.queries.criterion_titles import NAMES, Titles
from apps.improvement.drafts.domain.states import ProposalStatus
from apps.improvement.failure_modes.domain.rates import ModeRate, RateSource
from apps.improvement.failure_modes.queries.modes import (
    ModeFigures,
    ShownNote,
    figures_of,
    find_mode,
    latest_grouping,
    mode_detail,
    named_modes,
    open_notes,
    proposals,
)
from apps.improvement.failure_modes.services.requesting_groupings import MIN_NOTES
from apps.improvement.models import FailureMode, ModeGrouping

MAX_WAITING = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeLine:
    """A mode in the list; `often` is its newest rate in words, or why there is none."""

    figures: ModeFigures
    often: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModesPage:
    headline: Headline
    lines: Sequence[ModeLine]
    proposals: Sequence[tuple[FailureMode, Sequence[ShownNote]]]
    waiting: Sequence[ConversationNote]
    waiting_count: int
    grouping: ModeGrouping | None
    live: bool
    may_group: bool
    fewest: int = MIN_NOTES


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLine:
    """A rate with where it was measured; `left` and `right` are its interval on a scale of 100."""

    rate: ModeRate
    words: str
    address: str
    point: float
    left: float
    right: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModePage:
    mode: FailureMode
    headline: Headline
    notes: Sequence[ShownNote]
    hidden: int
    rates: Sequence[RateLine]
    movements: Sequence[str]
    cannot: str
    criterion: str
    criterion_id: uuid.UUID | None
    criteria: Sequence[str]
    others: Sequence[FailureMode]


def modes_page() -> ModesPage:
    """Return the content of the page of failure modes. Some fifteen queries, whatever there is."""
    figures = sorted(figures_of(named_modes()), key=lambda figure: (-figure.conversations, figure.mode.name))
    waiting = open_notes()
    count, grouping = waiting.count(), latest_grouping()
    live = grouping is not None and grouping.status == ProposalStatus.PENDING
    first = figures[0] if figures else None
    return ModesPage(
        headline=modes_headline(
            modes=len(figures),
            most=str(first.mode) if first else "",
            beside=first.conversations if first else 0,
            waiting=count,
        ),
        lines=[ModeLine(figures=one, often=rate_words(one.rate) if one.rate else ONLY_COUNTED) for one in figures],
        proposals=proposals(),
        waiting=list(waiting[:MAX_WAITING]),
        waiting_count=count,
        grouping=grouping,
        live=live,
        may_group=not live and count >= MIN_NOTES,
    )


def mode_page(mode_id: uuid.UUID, *, now: datetime, titles: Titles = NAMES) -> ModePage:
    """Return the content of a failure mode's page. Some sixteen queries. Raises NotFound.

    `titles` are the names that the reader sees for criteria.
    """
    mode = find_mode(mode_id)
    detail = mode_detail(mode)
    measured = any(rate.source is RateSource.CRITERION for rate in detail.rates)
    failing = sum(note.shows == "failure" for note in detail.notes)
    return ModePage(
        mode=mode,
        headline=mode_headline(
            name=mode.name,
            conversations=detail.figures.conversations,
            since=detail.figures.since,
            now=now,
            rate=detail.figures.rate,
        ),
        notes=detail.notes,
        hidden=max(0, detail.figures.notes - failing),
        rates=[_rate_line(rate) for rate in detail.rates],
        movements=[movement_words(movement) for movement in detail.comparison.movements] if detail.comparison else (),
        cannot=detail.comparison.cannot if detail.comparison else "",
        criterion=criterion_words(titles.get(mode.criterion, mode.criterion), detail.published_in, measured=measured),
        criterion_id=Criterion.objects.filter(name=mode.criterion).values_list("pk", flat=True).first()
        if mode.criterion
        else None,
        criteria=list(Criterion.objects.order_by("name").values_list("name", flat=True)),
        others=[named_mode for named_mode in named_modes() if named_mode.pk != mode.pk],
    )


def _rate_line(rate: ModeRate) -> RateLine:
    low, high = rate.interval
    of_queue = rate.source is RateSource.QUEUE
    return RateLine(
        rate=rate,
        words=rate_words(rate),
        address=f"/labelling/queues/{rate.id}/" if of_queue else f"/evaluations/{rate.id}/",
        point=100 * rate.share,
        left=100 * low,
        right=100 * high,
    )

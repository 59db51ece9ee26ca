"""Home: what needs somebody, how every agent stands, and what happened lately."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.catalog.models import Agent, Scenario
from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.sentences import Headline, home_headline
from apps.dashboard.home.domain.needs import Need, of_reader
from apps.dashboard.home.queries.needs import needs_of
from apps.dashboard.queries.criterion_titles import NAMES
from apps.dashboard.results.domain.agent_standing import AgentStanding, share_words
from apps.dashboard.results.domain.changes import AgentChange, change_sentence, standing_sentence
from apps.dashboard.results.domain.list_verdicts import standing_look
from apps.dashboard.results.queries.agent_changes import agent_pairs, changes_of, measured_evaluations
from apps.dashboard.results.queries.agent_standing import agent_standings
from apps.dashboard.results.queries.evaluation import subject_of
from apps.dashboard.results.queries.list_verdicts import run_looks
from apps.dashboard.results.queries.scores import PlayedCounts, Tally, played, tallies
from apps.dashboard.results.queries.trend import AgentTrend, agent_trend, latest_marks
from apps.dashboard.usage.queries.month import MonthSpent, month_spent
from apps.evaluations.models import Evaluation
from apps.gates.queries.prevented import PreventedCount, prevented_count
from apps.jobs.domain.dismissals import without_dismissed
from apps.jobs.queries.dismissals import dismissals_of
from apps.production.models import ProductionConversation
from apps.production.overview.queries.standing import production_standing
from apps.runs.domain.kind_traits import RUN_LIST
from apps.runs.models import TestRun

LATEST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    run: TestRun
    played: PlayedCounts
    subject: str
    evaluation: Evaluation | None
    tally: Tally | None
    look: Badge


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLine:
    """One agent: how it stands by its newest evaluation, and what moved since the one before."""

    change: AgentChange
    look: Badge
    share: str
    score: str
    moved: str


@dataclass(frozen=True, slots=True)
class HomeReader:
    """The reader of Home: a user name, and a function that says whether this user has a permission."""

    user: str
    may: Callable[[str], bool]


ANYBODY = HomeReader("", lambda _: True)


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage:
    headline: Headline
    needs: Sequence[Need]  # of this reader
    others: Sequence[Need]  # what somebody else may mend
    dismissed: Sequence[Need]
    lines: Sequence[RunLine]
    month: MonthSpent
    trend: AgentTrend | None
    agents: Sequence[AgentLine]  # those that got worse first
    prevented: PreventedCount
    production: str  # what came in from real customers, "" for nothing
    untouched: bool  # nothing is in the tenant yet: no agent, no scenario, no run, no real conversation


def home_page(*, now: datetime, titles: Mapping[str, str] = NAMES, reader: HomeReader = ANYBODY) -> HomePage:
    """Return the content of the home page. At most 43 queries whatever the size.

    `titles` are the names that its sentences give to criteria.
    """
    month = month_spent(now)
    pairs = agent_pairs()
    marks = latest_marks() if any(pair.named for pair in pairs) else {}
    measured = measured_evaluations({*marks, *(pk for pair in pairs for pk in pair.ids)})
    changes = changes_of(pairs, measured)
    newest = [change.new for change in changes]
    lines, counts = _lines([one.id for one in newest])
    standings = agent_standings(newest, counts)
    production = production_standing(now)
    every = needs_of(changes, standings, month=month, production=production, titles=titles, now=now)
    mine, others = of_reader(every, reader.may)
    needs, dismissed = without_dismissed(mine, dismissals_of(reader.user, now=now))
    told = needs or others
    untouched = not lines and not any(model.objects.exists() for model in (Agent, Scenario, ProductionConversation))
    return HomePage(
        headline=home_headline(
            len(needs), others=len(others), empty=untouched, worst=[one.short for one in told if one.short]
        ),
        needs=needs,
        others=others,
        dismissed=dismissed,
        lines=lines,
        month=month,
        trend=agent_trend(marks, measured),
        agents=[_agent_line(change, standings.get(change.new.id), titles) for change in changes],
        prevented=prevented_count(),
        production=production.sentence,
        untouched=untouched,
    )


def _agent_line(change: AgentChange, standing: AgentStanding | None, titles: Mapping[str, str]) -> AgentLine:
    return AgentLine(
        change=change,
        look=standing_look(standing),
        share=share_words(standing.split) if standing else "",
        score=standing_sentence(change.new, titles),
        moved=change_sentence(change, titles),
    )


def _lines(also: Sequence[uuid.UUID]) -> tuple[list[RunLine], dict[uuid.UUID, Tally]]:
    """The latest runs with the newest evaluation of each; the counts of these evaluations and `also` of those."""
    runs = list(TestRun.objects.filter(kind__in=RUN_LIST).select_related("agent").order_by("-id")[:LATEST])
    conversations = played(run.pk for run in runs)
    evaluations: dict[uuid.UUID, Evaluation] = {}
    for evaluation in Evaluation.objects.filter(run__in=runs).defer("snapshot").order_by("created_at"):
        evaluations[evaluation.run_id] = evaluation
    counts = tallies({*also, *(one.pk for one in evaluations.values())})
    newest = {run: (one.pk, one.status) for run, one in evaluations.items()}
    looks = run_looks(runs, newest, counts)
    lines = [
        RunLine(
            run=run,
            played=conversations[run.pk],
            subject=subject_of(run),
            evaluation=evaluations.get(run.pk),
            tally=counts.get(evaluations[run.pk].pk) if run.pk in evaluations else None,
            look=looks[run.pk],
        )
        for run in runs
    ]
    return lines, counts

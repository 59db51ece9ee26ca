"""What needs somebody, oldest worry first, and what happened lately."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, Min, OuterRef, Q
from django.urls import reverse

from apps.budgets.domain.scopes import ScopeKind
from apps.catalog.domain.states import GoldenStatus, PersonaStatus
from apps.catalog.models import GoldenSession, GoldenVersion, Persona
from apps.dashboard.domain.badges import LOOKS, Badge
from apps.dashboard.domain.changes import AgentChange, Movement, change_sentence, standing_sentence
from apps.dashboard.domain.figures import ago, dollars, many
from apps.dashboard.domain.sentences import Headline, home_headline
from apps.dashboard.queries.agent_changes import agent_changes
from apps.dashboard.queries.calibration_needs import calibration_needs
from apps.dashboard.queries.criterion_titles import NAMES
from apps.dashboard.queries.evaluation import subject_of
from apps.dashboard.queries.scores import PlayedTurn, Tally, played, tallies
from apps.dashboard.queries.trend import AgentTrend, agent_trend
from apps.dashboard.queries.usage import MonthSpent, month_spent
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.models import Evaluation, Judgement
from apps.runs.domain.golden_age import CONFIRM_AFTER
from apps.runs.domain.states import ConversationStatus, RunStatus
from apps.runs.models import Conversation, TestRun

LATEST = 8
SHOWN = 5  # of one kind of worry; the list behind it holds all
_URGENCY = ("bad", "near", "idle")
RECENT = timedelta(days=7)  # older failures are history


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    look: Badge
    title: str
    note: str
    url: str
    verb: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    run: TestRun
    played: PlayedTurn
    subject: str
    evaluation: Evaluation | None
    tally: Tally | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage:
    headline: Headline
    needs: Sequence[Need]
    lines: Sequence[RunLine]
    month: MonthSpent
    trend: AgentTrend | None
    agents: Sequence[tuple[AgentChange, str, str]]  # each with what moved and where it stands, worse ones first


def home_page(*, now: datetime, titles: Mapping[str, str] = NAMES) -> HomePage:
    """All of the page. Twenty-two queries whatever the size. `titles` is what its sentences call criteria."""
    month = month_spent(now)
    lines = _lines()
    needs = [*_stuck(now), *_stopped(now), *_budget(month), *_personas(), *_unparsed(now)]
    needs += [_need(*one) for one in calibration_needs(now)]
    needs += _goldens(now)
    needs.sort(key=lambda one: _URGENCY.index(one.look.value))  # what stops work first
    changes = agent_changes()
    worse = [one.new.agent for one in changes if one.movement is Movement.WORSE]
    return HomePage(
        headline=home_headline(len(needs), empty=not lines, worse=worse),
        needs=needs,
        lines=lines,
        month=month,
        trend=agent_trend(),
        agents=[(one, change_sentence(one, titles), standing_sentence(one.new, titles)) for one in changes],
    )


def _need(tone: str, title: str, note: str, url: str, verb: str = "Badge") -> Need:
    return Need(look=LOOKS["need"][tone], title=title, note=note, url=url, verb=verb)


def _stuck(now: datetime) -> list[Need]:
    """Runs whose conversations wait for something that has a name."""
    waiting: Any = (
        Conversation.objects.filter(
            run__status__in=[RunStatus.PENDING, RunStatus.RUNNING],
            status__in=[ConversationStatus.PENDING, ConversationStatus.RUNNING],
            not_before__gt=now,
        )
        .exclude(waiting_for="")
        .values("run_id", "run__name", "waiting_for")
        .annotate(n=Count("id"), until=Min("not_before"))
        .order_by("run_id")[:SHOWN]
    )
    return [
        _need(
            "bad",
            f"{row['run__name'] or 'A run'} waits: {row['waiting_for']}",
            f"{many(row['n'], 'conversation')}; next try {ago(row['until'], now)}, by itself.",
            _run(row["run_id"]),
        )
        for row in waiting
    ]


def _stopped(now: datetime) -> list[Need]:
    """Paused runs, then those that failed lately."""
    paused = TestRun.objects.filter(status=RunStatus.PAUSED).order_by("created_at")
    failed = TestRun.objects.filter(
        status__in=[RunStatus.FAILED, RunStatus.TIMEOUT], ended_at__gte=now - RECENT
    ).order_by("ended_at")
    wanted = ("id", "name", "kind", "status", "error_message", "created_at", "ended_at")
    rows = list(paused.only(*wanted)[:SHOWN].union(failed.only(*wanted)[:SHOWN], all=True))
    rows.sort(key=lambda run: (run.status != RunStatus.PAUSED, run.ended_at or run.created_at))
    return [_paused(run) if run.status == RunStatus.PAUSED else _failed(run, now) for run in rows]


def _paused(run: TestRun) -> Need:
    return _need("near", f"{run} is paused", "It waits until somebody resumes it.", _run(run.pk))


def _failed(run: TestRun, now: datetime) -> Need:
    how = "failed" if run.status == RunStatus.FAILED else "was stopped by the watchdog"
    when = f" {ago(run.ended_at, now).capitalize()}." if run.ended_at else ""
    return _need("bad", f"{run} {how}", f"{run.error_message or 'Each conversation says why.'}{when}", _run(run.pk))


def _budget(month: MonthSpent) -> list[Need]:
    """Budgets that stopped work, and those near their end."""
    needs = []
    for budget in month.budgets:
        if not budget.sentence:
            continue
        stopped = budget.stopped_at is not None
        note = "Work waits for it and goes on by itself when there is money." if stopped else ""
        if budget.scope.kind is ScopeKind.MONTH and not stopped:
            note = f"About {dollars(month.expected)} by the month's end if it goes on like this."
        title = budget.sentence[:1].upper() + budget.sentence[1:]
        needs.append(_need("bad" if stopped else "near", title, note, reverse("usage")))
    return needs


def _personas() -> list[Need]:
    counts = Persona.objects.aggregate(
        pending=Count("id", filter=Q(status=PersonaStatus.PENDING_VALIDATION)),
        rejected=Count("id", filter=Q(status=PersonaStatus.REJECTED)),
    )
    address = reverse("admin:catalog_persona_changelist")
    needs = []
    if counts["pending"]:
        verb = "waits" if counts["pending"] == 1 else "wait"
        needs.append(
            _need(
                "near",
                f"{many(counts['pending'], 'persona')} {verb} for validation",
                "They may not play until then.",
                f"{address}?status__exact={PersonaStatus.PENDING_VALIDATION}",
                "Review",
            )
        )
    if counts["rejected"]:
        needs.append(
            _need(
                "idle",
                f"{many(counts['rejected'], 'persona')} rejected",
                "Edit and validate again, approve by hand, or archive.",
                f"{address}?status__exact={PersonaStatus.REJECTED}",
                "Review",
            )
        )
    return needs


def _goldens(now: datetime) -> list[Need]:
    """Golden sessions in use that nobody has confirmed for long."""
    approved = GoldenVersion.objects.filter(golden=OuterRef("pk"), status=GoldenStatus.APPROVED)
    since = now - CONFIRM_AFTER
    old = GoldenSession.objects.filter(Q(confirmed_at__lt=since) | Q(confirmed_at=None)).filter(Exists(approved))
    names = list(old.order_by("confirmed_at", "name").values_list("pk", "name")[: SHOWN + 1])
    if not names:
        return []
    more = " and more" if len(names) > SHOWN else ""
    told = ", ".join(name for _, name in names[:SHOWN])
    return [
        _need(
            "idle",
            "Golden sessions nobody has confirmed lately",
            f"{told}{more}: not for {CONFIRM_AFTER.days} days. Are they still right?",
            reverse("golden", args=[names[0][0]]),
            "Look",
        )
    ]


def _unparsed(now: datetime) -> list[Need]:
    rows: Any = (
        Judgement.objects.filter(
            status__in=[JudgementStatus.PARSE_ERROR, JudgementStatus.MODEL_ERROR], judged_at__gte=now - RECENT
        )
        .values("evaluation_id", "evaluation__config_ref", "status")
        .annotate(n=Count("id"), last=Min("judged_at"))
        .order_by("last")[:SHOWN]
    )
    return [
        _need(
            "idle" if row["status"] == JudgementStatus.PARSE_ERROR else "near",
            f"{many(row['n'], 'reply', 'replies')} of the judge could not be parsed"
            if row["status"] == JudgementStatus.PARSE_ERROR
            else f"{many(row['n'], 'conversation')} could not be judged: the model failed",
            f"Evaluation with {row['evaluation__config_ref']}, {ago(row['last'], now)}.",
            f"{reverse('evaluation', args=[row['evaluation_id']])}?state={row['status']}",
            "Review",
        )
        for row in rows
    ]


def _lines() -> list[RunLine]:
    """The latest runs with the newest evaluation of each."""
    runs = list(TestRun.objects.select_related("agent").order_by("-id")[:LATEST])
    conversations = played(run.pk for run in runs)
    evaluations: dict[uuid.UUID, Evaluation] = {}
    for one in Evaluation.objects.filter(run__in=runs).defer("snapshot").order_by("created_at"):
        evaluations[one.run_id] = one
    found = tallies(one.pk for one in evaluations.values())
    return [
        RunLine(
            run=run,
            played=conversations[run.pk],
            subject=subject_of(run),
            evaluation=evaluations.get(run.pk),
            tally=found.get(evaluations[run.pk].pk) if run.pk in evaluations else None,
        )
        for run in runs
    ]


def _run(run_id: uuid.UUID) -> str:
    return reverse("run", args=[run_id])

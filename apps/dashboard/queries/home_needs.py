"""What needs somebody: what stops work, which agents fail or got worse, and what waits for a person."""

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
from apps.dashboard.domain.agent_standing import AgentStanding, AgentVerdict, worry_note, worry_title
from apps.dashboard.domain.badges import LOOKS, Badge
from apps.dashboard.domain.changes import AgentChange, Movement, change_sentence
from apps.dashboard.domain.figures import ago, dollars, many
from apps.dashboard.queries.calibration_needs import calibration_needs
from apps.dashboard.queries.usage import MonthSpent
from apps.evaluations.domain.states import EvaluationStatus, JudgementStatus
from apps.evaluations.models import Evaluation, Judgement
from apps.runs.domain.golden_age import CONFIRM_AFTER
from apps.runs.domain.states import ConversationStatus, Kind, RunStatus
from apps.runs.models import Conversation, TestRun

SHOWN = 5  # of one kind of worry; the list behind it holds all
URGENCY = ("bad", "failed", "fails", "worse", "near", "idle")
GOLDENS = 50  # looked at; a few of them are named
RECENT = timedelta(days=7)  # older failures are history


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """One thing that needs somebody: how it looks, what it is, where it is mended. `short` is what the page's first
    sentence says of it, "" for what it only counts."""

    look: Badge
    title: str
    note: str
    url: str
    verb: str
    short: str = ""


def needs_of(
    changes: Sequence[AgentChange],
    standings: Mapping[uuid.UUID, AgentStanding],
    *,
    month: MonthSpent,
    titles: Mapping[str, str],
    now: datetime,
) -> list[Need]:
    """Everything, what stops work first. Twelve queries whatever the size."""
    needs = [*_stuck(now), *_stopped(now), *_unjudged(now), *agent_needs(changes, standings, titles)]
    needs += [*_budget(month), *_personas(), *_unparsed(now)]
    needs += [_need(*one) for one in calibration_needs(now)]
    needs += _goldens(now)
    return sorted(needs, key=lambda one: URGENCY.index(one.look.value))


def agent_needs(
    changes: Sequence[AgentChange], standings: Mapping[uuid.UUID, AgentStanding], titles: Mapping[str, str]
) -> list[Need]:
    """At most one of each agent: that it plainly fails, else that it got worse, both where both are so. No query."""
    return [one for change in changes if (one := _agent_need(change, standings.get(change.new.id), titles))]


def _agent_need(change: AgentChange, one: AgentStanding | None, titles: Mapping[str, str]) -> Need | None:
    worse = change.movement is Movement.WORSE
    moved = change_sentence(change, titles) if worse else ""
    fell = f"{change.new.agent} got worse" if worse else ""
    title = worry_title(one, titles, worse=worse) if one else ""
    if one and title:
        fails = one.verdict is AgentVerdict.FAILS
        tone = "fails" if fails else "worse" if worse else "near"
        address = reverse("evaluation", args=[change.new.id])
        return _need(tone, title, worry_note(one, titles, moved=moved), address, short=title if fails else fell)
    if worse and change.old:
        address = f"{reverse('comparison')}?a={change.old.id}&b={change.new.id}"
        return _need("worse", fell, f"{moved[:1].upper()}{moved[1:]}.", address, "Compare", fell)
    return None


def _unjudged(now: datetime) -> list[Need]:
    """Evaluations that failed or were stopped lately, unless the same run was judged with the same version since."""
    again = Evaluation.objects.filter(
        run=OuterRef("run"), config_version=OuterRef("config_version"), created_at__gt=OuterRef("created_at")
    )
    rows = (
        Evaluation.objects.filter(
            status__in=[EvaluationStatus.FAILED, EvaluationStatus.TIMEOUT], ended_at__gte=now - RECENT
        )
        .filter(~Exists(again))
        .select_related("run")
        .defer("snapshot", "sums", "run__plan")
        .order_by("-ended_at")[:SHOWN]
    )
    return [_unjudged_need(one, now) for one in rows]


def _unjudged_need(one: Evaluation, now: datetime) -> Need:
    how = "failed" if one.status == EvaluationStatus.FAILED else "was stopped by the watchdog"
    when = f" {ago(one.ended_at, now).capitalize()}." if one.ended_at else ""
    title = f"Judging {one.run} with {one.config_ref} {how}"
    note = f"{one.error_message or 'Each conversation says why.'}{when}"
    return _need("failed", title, note, reverse("evaluation", args=[one.pk]))


def _need(tone: str, title: str, note: str, url: str, verb: str = "Open", short: str = "") -> Need:
    return Need(look=LOOKS["need"][tone], title=title, note=note, url=url, verb=verb, short=short)


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
    failed = (
        TestRun.objects.filter(status__in=[RunStatus.FAILED, RunStatus.TIMEOUT], ended_at__gte=now - RECENT)
        .exclude(kind=Kind.PROBE)  # a persona waits then, and says why
        .order_by("ended_at")
    )
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
        unreleased=Count("id", filter=Q(status=PersonaStatus.VALIDATED, may_play=False)),
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
    if counts["unreleased"]:
        needs.append(
            _need(
                "near",
                f"{many(counts['unreleased'], 'validated persona')} not released",
                "A model wrote them: they play once a curator has read and released them.",
                f"{address}?status__exact={PersonaStatus.VALIDATED}&may_play__exact=0",
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
    """Golden sessions that wait for approval and cannot be replayed until then; those in use that nobody has confirmed
    for long. One query."""
    versions = GoldenVersion.objects.filter(golden=OuterRef("pk"))
    in_use = Exists(versions.filter(status=GoldenStatus.APPROVED))
    waits = Exists(versions.filter(status=GoldenStatus.CANDIDATE))
    old = Q(confirmed_at__lt=now - CONFIRM_AFTER) | Q(confirmed_at=None)
    rows: Any = GoldenSession.objects.annotate(in_use=in_use).filter(old & Q(in_use=True) | Q(waits, in_use=False))
    rows = rows.order_by("confirmed_at", "name").values_list("in_use", "pk", "name")[:GOLDENS]
    used = [(pk, name) for in_use, pk, name in rows if in_use]
    new = [(pk, name) for in_use, pk, name in rows if not in_use]
    needs = []
    if new:
        note = f"{_named(new)}: not replayed until somebody approves a version."
        address = reverse("golden", args=[new[0][0]])
        needs.append(_need("near", "Golden sessions wait for approval", note, address, "Review"))
    if used:
        note = f"{_named(used)}: not for {CONFIRM_AFTER.days} days. Are they still right?"
        address = reverse("golden", args=[used[0][0]])
        needs.append(_need("idle", "Golden sessions nobody has confirmed lately", note, address, "Look"))
    return needs


def _named(rows: Sequence[tuple[uuid.UUID, str]]) -> str:
    return ", ".join(name for _, name in rows[:SHOWN]) + (" and more" if len(rows) > SHOWN else "")


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


def _run(run_id: uuid.UUID) -> str:
    return reverse("run", args=[run_id])

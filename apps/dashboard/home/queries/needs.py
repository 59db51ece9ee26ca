"""Needs for a person: stopped work, agents that fail or got worse, and work that waits for somebody."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q
from django.urls import reverse

from apps.budgets.domain.scopes import ScopeKind
from apps.catalog.domain.states import GoldenStatus, PersonaStatus
from apps.catalog.models import GoldenSession, GoldenVersion, Persona, PromptLine
from apps.dashboard.domain.figures import dollars, many
from apps.dashboard.home.domain.causes import sentence
from apps.dashboard.home.domain.needs import START, Need, need, ranked
from apps.dashboard.home.queries.calibration_needs import calibration_needs
from apps.dashboard.home.queries.judging_needs import judging_needs, runs_named
from apps.dashboard.home.queries.production_needs import production_needs
from apps.dashboard.home.queries.run_needs import failed_runs, paused_needs, paused_runs, stuck_runs
from apps.dashboard.results.domain.agent_standing import (
    AgentStanding,
    AgentVerdict,
    worry_note,
    worry_title,
)
from apps.dashboard.results.domain.changes import AgentChange, Movement, change_sentence
from apps.dashboard.usage.queries.month import MonthSpent
from apps.improvement.failure_modes.domain.complaints import complaints_sentence
from apps.improvement.failure_modes.queries.complaints import complaints_of
from apps.improvement.optimizer.queries.needs_optimization import needing_optimization
from apps.production.overview.queries.standing import ProductionStanding
from apps.production.promotion.queries.candidates import waiting_candidates
from apps.runs.goldens.domain.age import CONFIRM_AFTER
from apps.runs.models import TestRun

SHOWN = 5  # of one kind of worry; the list behind it holds all
GOLDENS = 50  # looked at; a few of them are named


def needs_of(
    changes: Sequence[AgentChange],
    standings: Mapping[uuid.UUID, AgentStanding],
    *,
    month: MonthSpent,
    production: ProductionStanding,
    titles: Mapping[str, str],
    now: datetime,
) -> list[Need]:
    """Return everything that needs somebody, first what stops work. Seventeen queries whatever the size."""
    paused = paused_runs()
    needs = [*stuck_runs(now), *failed_runs(now), *judging_needs(now), *production_needs(production, now)]
    needs += [*agent_needs(changes, standings, titles)]
    needs += [
        *_budget(month, paused),
        *paused_needs(paused),
        *_personas(),
        *calibration_needs(now),
        *_goldens(now),
        *_candidates(),
    ]
    needs += [*_prompts(), *_unfixed()]
    return ranked(needs)


def agent_needs(
    changes: Sequence[AgentChange], standings: Mapping[uuid.UUID, AgentStanding], titles: Mapping[str, str]
) -> list[Need]:
    """Return at most one need of each agent: that it plainly fails, or that it got worse, or both. No query."""
    return [one for change in changes if (one := _agent_need(change, standings.get(change.new.id), titles))]


def _agent_need(change: AgentChange, one: AgentStanding | None, titles: Mapping[str, str]) -> Need | None:
    worse = change.movement is Movement.WORSE
    moved = change_sentence(change, titles) if worse else ""
    fell = f"{change.new.agent} got worse" if worse else ""
    key = f"agent {change.new.agent} {change.new.kind}" if change.new.named else f"judged {change.new.id}"
    which: Any = {"key": key, "about": str(change.new.id), "right": START}
    which["concerns"] = one.split.failed + one.agent_failed if one else 0
    title = worry_title(one, titles, worse=worse) if one else ""
    if one and title:
        fails = one.verdict in (AgentVerdict.FAILS, AgentVerdict.STOPPED)
        tone = "fails" if fails else "worse" if worse else "near"
        address = reverse("evaluation", args=[change.new.id])
        return need(tone, title, worry_note(one, titles, moved=moved), address, short=title if fails else fell, **which)
    if worse and change.old:
        address = f"{reverse('comparison')}?a={change.old.id}&b={change.new.id}"
        note = f"{sentence(moved)}."
        return need("worse", fell, note, address, verb="Compare", short=fell, **which)
    return None


def _budget(month: MonthSpent, paused: list[TestRun]) -> list[Need]:
    """Budgets that stopped work, with the runs that each has paused, which it takes out of `paused`; and those near
    their end."""
    needs = []
    for budget in month.budgets:
        if not budget.sentence:
            continue
        waiting = [run for run in paused if budget.stopped_at and str(budget.scope) in run.error_message]
        paused[:] = [run for run in paused if run not in waiting]
        stopped = budget.stopped_at is not None
        note = "Work waits for it and goes on by itself when there is money." if stopped else ""
        if budget.scope.kind is ScopeKind.MONTH and not stopped:
            note = f"About {dollars(month.expected)} by the month's end if it goes on like this."
        if waiting:
            note = f"{sentence(runs_named(waiting))} wait{'' if waiting[1:] else 's'} for it. {note}"
        tone, key = "bad" if stopped else "near", f"budget {budget.scope}"
        needs.append(
            need(
                tone,
                sentence(budget.sentence),
                note,
                reverse("usage"),
                key=key,
                about=tone,
                count=len(waiting),
                right="budgets.change_budget",
            )
        )
    return needs


_PERSONAS = {  # tone, noun, words, the rest, note, query of the list
    "pending": (
        "near",
        "persona",
        "wait",
        " for validation",
        "They may not play until then.",
        f"status__exact={PersonaStatus.PENDING_VALIDATION}",
    ),
    "unreleased": (
        "near",
        "validated persona",
        "not released",
        "",
        "A model wrote them: they play once a curator has read and released them.",
        f"status__exact={PersonaStatus.VALIDATED}&may_play__exact=0",
    ),
    "rejected": (
        "idle",
        "persona",
        "rejected",
        "",
        "Edit and validate again, approve by hand, or archive.",
        f"status__exact={PersonaStatus.REJECTED}",
    ),
}


def _personas() -> list[Need]:
    counts = Persona.objects.aggregate(
        pending=Count("id", filter=Q(status=PersonaStatus.PENDING_VALIDATION)),
        rejected=Count("id", filter=Q(status=PersonaStatus.REJECTED)),
        unreleased=Count("id", filter=Q(status=PersonaStatus.VALIDATED, may_play=False)),
    )
    address = reverse("admin:catalog_persona_changelist")
    return [
        need(
            tone,
            f"{many(counts[name], noun)} {'waits' if name == 'pending' and counts[name] == 1 else words}{rest}",
            note,
            f"{address}?{query}",
            key=f"personas {name}",
            about=name,
            count=counts[name],
            right="catalog.change_persona",
            verb="Review",
        )
        for name, (tone, noun, words, rest, note, query) in _PERSONAS.items()
        if counts[name]
    ]


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
        needs.append(_golden_need("near", "Golden sessions wait for approval", note, address, new))
    if used:
        note = f"{_named(used)}: not for {CONFIRM_AFTER.days} days. Are they still right?"
        address = reverse("golden", args=[used[0][0]])
        needs.append(_golden_need("idle", "Golden sessions nobody has confirmed lately", note, address, used))
    return needs


def _candidates() -> list[Need]:
    """Conversations that wait to become tests. One query."""
    waiting = waiting_candidates()
    if not waiting:
        return []
    title = f"{many(waiting, 'candidate')} {'waits' if waiting == 1 else 'wait'} for a person"
    note = "Conversations that may become tests: say what must not happen again, and release them."
    return [
        need(
            "near",
            title,
            note,
            reverse("candidates"),
            key="candidates",
            about="candidates",
            count=waiting,
            right="production.change_promotion",
            verb="Review",
        )
    ]


def _prompts() -> list[Need]:
    """Live prompts that missed a mark and were not released since. One query."""
    return [
        need(
            "near",
            f"{one.name} needs optimization",
            one.sentence,
            reverse("improve", args=[one.evaluation_id]),
            key=f"prompt {one.name}",
            about=str(one.evaluation_id),
            right="improvement.add_optimization",
            verb="Improve",
        )
        for one in list(needing_optimization().values())[:SHOWN]
    ]


def _unfixed() -> list[Need]:
    """Live prompts with which a released complaint happens again. Five queries at most."""
    live = dict(PromptLine.objects.values_list("live__version", "live_id"))
    shown = []
    for version, complaints in sorted(complaints_of({*live}).items()):
        if not any(complaint.unfixed for complaint in complaints):
            continue
        address = reverse("prompt", args=[live[version]])
        about = " ".join(
            f"{complaint.scenario} {complaint.passes}/{complaint.plays}"
            for complaint in complaints
            if complaint.unfixed
        )
        shown.append(
            need(
                "near",
                f"{version}, which is live, has complaints that are not fixed",
                complaints_sentence(complaints),
                address,
                key=f"complaints {version}",
                about=about,
                right="improvement.add_promptdraft",
            )
        )
    return shown[:SHOWN]


def _golden_need(tone: str, title: str, note: str, url: str, rows: Sequence[tuple[uuid.UUID, str]]) -> Need:
    about = " ".join(sorted(str(pk) for pk, _ in rows))
    return need(tone, title, note, url, key=title, about=about, right="catalog.change_goldensession", verb="Review")


def _named(rows: Sequence[tuple[uuid.UUID, str]]) -> str:
    return ", ".join(name for _, name in rows[:SHOWN]) + (" and more" if len(rows) > SHOWN else "")

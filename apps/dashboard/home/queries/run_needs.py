"""Needs for a person because runs stand still: they wait, are paused, or failed. What has one cause is one need."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Count, Min, OuterRef, Subquery
from django.urls import reverse

from apps.core.digest import sha256_hex
from apps.dashboard.domain.figures import ago, many
from apps.dashboard.home.domain.causes import cause_of, sentence
from apps.dashboard.home.domain.needs import STEER_RUNS, Need, need
from apps.dashboard.home.queries.judging_needs import LOOKED_AT, RECENT, SHOWN, runs_named
from apps.runs.domain.kind_traits import RUN_LIST
from apps.runs.domain.states import ConversationStatus, RunStatus
from apps.runs.models import Conversation, TestRun

_Row = TypeVar("_Row")
_WANTED = ("id", "name", "kind", "status", "error_message", "created_at", "ended_at", "progress_at")


def stuck_runs(now: datetime) -> list[Need]:
    """Return a need for each group of runs whose conversations wait for the same named cause. One query."""
    waiting: Any = (
        Conversation.objects.filter(
            run__status__in=[RunStatus.PENDING, RunStatus.RUNNING],
            status__in=[ConversationStatus.PENDING, ConversationStatus.RUNNING],
            not_before__gt=now,
        )
        .exclude(waiting_for="")
        .values("run_id", "run__name", "run__kind", "run__created_at", "waiting_for")
        .annotate(n=Count("id"), until=Min("not_before"))
        .order_by("run_id")[:LOOKED_AT]
    )
    return [_stuck(rows, now) for rows in _alike(waiting, lambda row: str(row["waiting_for"]))]


def _stuck(rows: Sequence[dict[str, Any]], now: datetime) -> Need:
    first = rows[0]
    n, until = sum(row["n"] for row in rows), min(row["until"] for row in rows)
    runs = [
        TestRun(id=row["run_id"], name=row["run__name"], kind=row["run__kind"], created_at=row["run__created_at"])
        for row in rows
    ]
    one = f"{first['run__name'] or 'A run'} waits"
    of = f" of {runs_named(runs)}" if rows[1:] else ""
    return _need(
        "bad",
        f"{f'{len(rows)} runs wait' if rows[1:] else one}: {first['waiting_for']}",
        f"{many(n, 'conversation')}{of}; next try {ago(until, now)}, by itself.",
        runs,
        key=f"stuck {first['waiting_for']}",
        concerns=n,
    )


def paused_runs() -> list[TestRun]:
    """Return the paused runs, the earliest first. Asks one query."""
    rows = TestRun.objects.filter(status=RunStatus.PAUSED).order_by("created_at")
    return list(rows.only(*_WANTED)[:LOOKED_AT])


def paused_needs(runs: Iterable[TestRun]) -> list[Need]:
    """Return the needs for paused runs; those that one sentence explains are one need."""
    return [_paused(rows) for rows in _alike(runs, lambda run: cause_of(run.error_message) or str(run.pk))]


def _paused(rows: Sequence[TestRun]) -> Need:
    why = cause_of(rows[0].error_message)
    note = "They wait until somebody resumes them." if rows[1:] else "It waits until somebody resumes it."
    title = f"{len(rows)} runs are paused" if rows[1:] else f"{rows[0]} is paused"
    about = " ".join(str(run.progress_at) for run in rows)
    note = f"{sentence(runs_named(rows))}. {note}" if rows[1:] else note
    key = f"paused {why or rows[0].pk}"
    return _need("near", f"{title}: {why}" if why else title, note, rows, key=key, about=about)


def failed_runs(now: datetime) -> list[Need]:
    """Return the needs for runs that failed or were stopped lately. Asks one query."""
    lost = Conversation.objects.filter(run=OuterRef("pk"), status=ConversationStatus.FAILED).exclude(error_message="")
    rows: Any = (
        TestRun.objects.filter(status__in=[RunStatus.FAILED, RunStatus.TIMEOUT], ended_at__gte=now - RECENT)
        .filter(kind__in=RUN_LIST)  # of a probe: a persona waits then, and says why
        .annotate(first_error=Subquery(lost.order_by("position").values("error_message")[:1]))
        .only(*_WANTED)
        .order_by("-ended_at")[:LOOKED_AT]
    )
    return [_failed(alike, now) for alike in _alike(rows, lambda run: _why(run) or str(run.pk))]


def _why(run: Any) -> str:
    """Return what its first conversation says, where every one failed; else what it says itself."""
    return cause_of(run.first_error if run.status == RunStatus.FAILED and run.first_error else run.error_message)


def _failed(rows: Sequence[Any], now: datetime) -> Need:
    newest = rows[0]
    how = "failed" if newest.status == RunStatus.FAILED else "was stopped by the watchdog"
    why = f"{sentence(_why(newest))}." if _why(newest) else "Each conversation says why."
    title, note = f"{newest} {how}", f"{why} {ago(newest.ended_at, now).capitalize()}."
    if rows[1:]:
        title = f"{len(rows)} runs failed for one cause"
        note = f"{why} {sentence(runs_named(rows))}, the last {ago(newest.ended_at, now)}."
    key = f"run {sha256_hex(_why(newest))[:16] if rows[1:] else newest.pk}"
    return _need("bad", title, note, rows, key=key, about=str(newest.ended_at))


def _alike(rows: Iterable[_Row], cause: Callable[[_Row], str]) -> list[list[_Row]]:
    """Return the rows by their cause; the causes of most rows, at most SHOWN."""
    groups: dict[str, list[_Row]] = {}
    for row in rows:
        groups.setdefault(cause(row), []).append(row)
    return sorted(groups.values(), key=lambda alike: -len(alike))[:SHOWN]


def _need(tone: str, title: str, note: str, runs: Sequence[TestRun], **more: Any) -> Need:
    address = reverse("run", args=[runs[0].pk])
    return need(tone, title, note, address, right=STEER_RUNS, count=len(runs), **more)

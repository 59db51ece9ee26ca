"""The platform's health as a page: who works, what is late, whose rows have waited longest."""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.timesince import timesince

from apps.core.events import EventType, log_event
from apps.jobs.work import registered
from apps.tenants.admin import platform_admin
from apps.tenants.context import in_public
from apps.tenants.public_schema import public_schema
from apps.tenants.queries import last_ticks, tenant_schemas
from ratiba_eval.health import older_sentence, tenant_sentences
from ratiba_eval.queues import messages_waiting
from ratiba_eval.tenant_metrics import figures_of_tenants

SHOWN = 25  # waiting rows on the page, oldest first
LATE_WORK = timedelta(minutes=5)  # workers look every 15 s: what waits for minutes waits for somebody
NEVER = "never"
LATE_TICKS = 4  # intervals: a tick that missed one is caught up by the next
ASK_S = 0.7  # workers on the same network answer within 0.1 s


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Queue, with the workers that take from it. `messages` is None where the broker could not be asked."""

    name: str
    workers: Sequence[str]
    messages: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TickAge:
    """Age of a tick: when it last ended well, in words."""

    name: str
    every: str
    ago: str
    late: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BacklogRow:
    """The oldest row of one kind in one tenant."""

    tenant: str
    kind: str
    age: str
    late: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Everything the page shows; `troubles` are sentences, the worst first."""

    sentence: str
    troubles: Sequence[str]
    queues: Sequence[Queue]
    ticks: Sequence[TickAge]
    backlog: Sequence[BacklogRow]
    more: int
    tenants: int
    unreadable: Sequence[str]
    took_ms: int


def page(request: HttpRequest) -> HttpResponse:
    """For staff of the public schema who may see tenants."""
    if not request.user.has_perm("tenants.view_tenant"):
        raise PermissionDenied("tenants.view_tenant")
    context = {**platform_admin.each_context(request), "title": "Workers and waiting work"}
    return render(request, "tenants/health.html", {**context, "found": health(now=timezone.now())})


def health(*, now: datetime, workers: Mapping[str, Sequence[str]] | None = None) -> Health:
    """Cost: two round trips to the broker (0.7 s at most), those of `figures_of_tenants`, five queries. `workers` by
    queue, where somebody asked them already; None asks."""
    waiting = messages_waiting()
    by_queue = workers or (workers_by_queue() if workers is None and waiting else {})  # a broker that is away: 5 s more
    queues = [
        Queue(name=queue, workers=by_queue.get(queue, ()), messages=waiting.get(queue)) for queue in settings.QUEUES
    ]
    ticks, schemas = _ticks(now), _schemas()
    start = time.perf_counter()
    figures = list(figures_of_tenants(now=now))
    took_ms = round((time.perf_counter() - start) * 1000)
    labels = {work.name: work.label for work in registered()}
    ages = sorted(
        (
            (now - datetime.fromisoformat(since), slug, labels.get(work, work))
            for slug, one in figures
            for work, (_, since) in (one or {"work": {}})["work"].items()
            if since and datetime.fromisoformat(since) <= now
        ),
        reverse=True,
    )
    unreadable = [slug for slug, one in figures if one is None]
    troubles = _troubles(queues, ticks, ages, unreadable, broker=bool(waiting)) + schemas
    return Health(
        sentence="Something needs you:" if troubles else "All is well: each queue has a worker, each tick is on time.",
        troubles=troubles,
        queues=queues,
        ticks=ticks,
        backlog=[
            BacklogRow(tenant=slug, kind=kind, age=_words(age), late=age > LATE_WORK)
            for age, slug, kind in ages[:SHOWN]
        ],
        more=max(0, len(ages) - SHOWN),
        tenants=len(figures),
        unreadable=unreadable,
        took_ms=took_ms,
    )


def workers_by_queue() -> dict[str, list[str]]:
    """Names of the workers that answer, by the queue they take from; empty where the broker or nobody answers."""
    from ratiba_eval.broker_errors import BROKER_ERRORS  # noqa: PLC0415 - as below
    from ratiba_eval.celery import app  # noqa: PLC0415 - 0.3 s that only this page needs

    try:
        with app.connection_for_read() as connection:  # closed again: nobody else in a web process needs it
            answers: Mapping[str, Any] = app.control.inspect(timeout=ASK_S, connection=connection).active_queues() or {}
    except BROKER_ERRORS as error:
        log_event(EventType.LOG, level=logging.WARNING, check="workers", why=type(error).__name__)
        return {}
    workers: dict[str, list[str]] = {}
    for worker, queues in sorted(answers.items()):
        for queue in queues:
            workers.setdefault(str(queue["name"]), []).append(worker)
    return workers


def _ticks(now: datetime) -> list[TickAge]:
    with in_public():
        known = last_ticks()
    ticks = []
    for name, entry in settings.CELERY_BEAT_SCHEDULE.items():
        last, every = known.get(name), timedelta(seconds=float(str(entry["schedule"])))
        ticks.append(
            TickAge(
                name=name.replace("_", " "),
                every=_words(every),
                ago=f"{_words(now - last)} ago" if last else NEVER,
                late=last is not None and now - last > every * LATE_TICKS,  # one that never ran may not be due yet
            )
        )
    return ticks


def _troubles(
    queues: Sequence[Queue],
    ticks: Sequence[TickAge],
    ages: Sequence[tuple[timedelta, str, str]],
    unreadable: Sequence[str],
    *,
    broker: bool,
) -> list[str]:
    troubles = [] if broker else ["the broker does not answer."]
    idle = [queue.name for queue in queues if not queue.workers]
    if idle and broker:
        troubles.append(f"no worker takes from {', '.join(idle)}.")
    late = [tick.name for tick in ticks if tick.late]
    if ticks and all(tick.ago == NEVER for tick in ticks):
        troubles.append("no tick has ended yet: is beat running?")
    elif late and len(late) == len(ticks):
        troubles.append("no tick ended well lately: is beat running?")
    elif late:
        troubles.append(f"late: {', '.join(late)}.")
    if ages and ages[0][0] > LATE_WORK:
        age, slug, kind = ages[0]
        troubles.append(f"{kind}: one of {slug} has waited {_words(age)}.")
    if unreadable:
        troubles.append(f"{len(unreadable)} tenant{'s' if len(unreadable) != 1 else ''} cannot be read.")
    return troubles


def _schemas() -> list[str]:
    """Say what does not fit this code, with the tenants' names."""
    with in_public():
        schema = public_schema()
        sentences = tenant_sentences(tenant_schemas(), newer=schema.newer, named=True)
    return ([f"{older_sentence(schema.missing)}."] if schema.missing else []) + sentences


def _words(age: timedelta) -> str:
    """`12 s`, or as Django says it from a minute on."""
    seconds = max(0, round(age.total_seconds()))
    moment = timezone.now()
    return f"{seconds} s" if seconds < 60 else timesince(moment - age, moment, depth=1)

"""Workers' doors: one tick and one task serve every kind of work that a room has registered."""

import random
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from celery import shared_task
from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string

from apps.core.events import EventType, log_event
from apps.jobs.active_tenants import visits_due
from apps.jobs.domain.former_tasks import FORMER_TASKS
from apps.jobs.queries.due_work import calls_due
from apps.jobs.queued_calls import next_call
from apps.jobs.services.interactive import run_due
from apps.jobs.services.leases import returning_leases
from apps.jobs.shutdown import shutting_down
from apps.jobs.tenant_threads import SLICE, Assignment, TenantThreads
from apps.jobs.work import TimeSlice, Work, registered, serving, work_named
from apps.tenants.tasks import TenantTask

MAX_ROUNDS = 4  # of a tick's calls wait in a queue: those of the last minute, older ones are void
SHIFT = timedelta(minutes=6)  # of a process: a task may last for 15, and a model may take five to answer


@shared_task(name="apps.jobs.tasks.tick")
def tick(*, every_s: float) -> None:
    """Call workers in tenants where something moved, for work of this interval that is due.

    Once an hour they are called for all of it. A call that nobody had time for expires; the next tick finds the same
    rows.
    """
    log_event(EventType.TICK, every_s=every_s)
    visits = visits_due(every_s=every_s)
    kinds = [kind for kind in registered() if kind.every_s == every_s]
    calls = calls_due(visits, kinds=kinds, now=timezone.now())
    queues = {kind.queue for kind in kinds if calls[kind.name]}
    full = {queue for queue in queues if _is_full(queue, kinds, len(visits.slugs))}
    for kind in kinds:
        if kind.queue not in full:
            _call(kind, calls[kind.name])


def _is_full(queue: str, kinds: Sequence[Work], tenants: int) -> bool:
    """Tell whether as many messages as four such ticks could add wait there already.

    A queue that nobody takes from does not grow. One round trip to the broker.
    """
    adds = tenants * sum(kind.workers() for kind in kinds if kind.queue == queue)
    with serve.app.connection_or_acquire() as connection:
        try:
            waiting = connection.default_channel.queue_declare(queue=queue, passive=True).message_count
        except connection.channel_errors:  # nobody ever took from it, or sent to it
            return False
    return bool(waiting >= MAX_ROUNDS * max(adds, 1))


def _call(kind: Work, tenants: Sequence[str]) -> None:
    for _ in range(kind.workers()):  # everybody's first worker before anybody's second
        for tenant in tenants:
            serve.apply_async(kwargs={"tenant": tenant, "work": kind.name}, queue=kind.queue, expires=kind.expires_s)


@shared_task(name="apps.jobs.tasks.serve", base=TenantTask)
def serve(*, tenant: str, work: str) -> None:
    """Do one tenant's work of this kind, and repeat while more is due.
    Other calls run beside it in the same process; work of the queue `control` is short and runs alone."""
    kind, one = work_named(work), Assignment(tenant=tenant, work=work)
    if kind.queue != "control" and not serve.request.called_directly:
        _serve_many(one)
        return
    until = timezone.now() + SLICE
    time_slice = TimeSlice(tenant=tenant, now=timezone.now, until=until, ending=shutting_down, work=work)
    with returning_leases(now=timezone.now), serving(time_slice):
        more = import_string(kind.serve)(time_slice)
    if more:
        _again(one)


def _serve_many(first: Assignment) -> None:
    queues = set(serve.app.amqp.queues.consume_from) - {"control"}
    threads = TenantThreads(
        most=settings.TENANTS_AT_ONCE,
        until=timezone.now() + SHIFT * random.uniform(0.7, 1.0),  # so that not all processes end theirs together
        now=timezone.now,
        next_call=partial(next_call, serve.app, queues, task=serve.name),
        again=_again,
        task=serve.name,
        ending=shutting_down,
    )
    threads.run(first)


def _again(assignment: Assignment) -> None:
    """Call a worker to what is left. A broker that is away costs a tick."""
    queue = work_named(assignment.work).queue
    serve.apply_async_on_commit(kwargs={"tenant": assignment.tenant, "work": assignment.work}, queue=queue)


def interactive(time_slice: TimeSlice) -> bool:
    """Do what people of one tenant asked for by a button."""
    return run_due(now=time_slice.now, until=time_slice.until)


def _former(name: str, work: str) -> Any:
    def run(*, tenant: str) -> None:
        serve.run(tenant=tenant, work=work)

    return shared_task(name=name, base=TenantTask)(run)


former = [_former(name, work) for name, work in FORMER_TASKS.items()]

"""Tasks of workers for runs: play conversations, and end runs that make no progress."""

import asyncio
from datetime import timedelta
from functools import partial

from celery import shared_task
from django.utils import timezone

from apps.jobs.active_tenants import each_tenant_to_visit
from apps.jobs.wakeups import call_another_worker
from apps.jobs.work import TimeSlice
from apps.runs.agents.services.limits import fail_limited
from apps.runs.agents.services.refusals import fail_refused
from apps.runs.playing.services import battle_slot, control
from apps.runs.services import word_index
from apps.tenants.queries import workflow_config
from apps.tenants.tasks import TenantTask


def play(time_slice: TimeSlice) -> bool:
    """Play one tenant's conversations, beside other workers, until none is left.

    Where there is more than this worker takes, it calls one more. A worker that finds nothing to do returns at once.
    """
    config = workflow_config(time_slice.tenant)
    report = battle_slot.play(
        tenant_limit=config.max_concurrent_battles,
        now=time_slice.now,
        sleep=asyncio.sleep,
        lease=timedelta(seconds=config.heartbeat_timeout_s),
        on_more=partial(call_another_worker, time_slice.tenant, "playing"),
        time_slice=time_slice,
    )
    control.finish_runs(now=time_slice.now())
    return report is not None and report.more


def index_words(time_slice: TimeSlice) -> bool:
    """Let search find one tenant's conversations that are over; return whether more are due."""
    while time_slice.seconds > 0:
        time_slice.check()
        if not word_index.index_words():
            return False
    return True


@shared_task(name="apps.runs.tasks.rescue_stalled")
def rescue_stalled() -> None:
    """The watchdog's quick half: end runs whose rows have all ended, time out runs that stand still."""
    for tenant in each_tenant_to_visit(every_s=60):
        rescue_tenant.apply_async(kwargs={"tenant": tenant}, queue="control", expires=60)


@shared_task(name="apps.runs.tasks.rescue_tenant", base=TenantTask)
def rescue_tenant(*, tenant: str) -> None:
    now, config = timezone.now(), workflow_config(tenant)
    fail_refused(now=now)
    fail_limited(now=now, minutes=config.agent_limit_minutes)
    control.finish_runs(now=now)
    control.time_out_runs(now=now, minutes=config.watchdog_minutes)

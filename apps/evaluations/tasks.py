"""Workers' doors into evaluations: conversations are judged, budgets recounted, what stands still is closed."""

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from apps.budgets.domain.scopes import Scope, ScopeKind, month_of
from apps.budgets.services.accounts import recount
from apps.budgets.services.ledger import settle_lost
from apps.budgets.services.response_cache import evict_cached
from apps.evaluations.figures.services.figures import store_due_figures
from apps.evaluations.judging.services.completion import finish_evaluations, time_out_evaluations
from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.evaluations.judging.services.judging import judge_in_free_slot
from apps.evaluations.progress.services.resume import resume_after_budget_raise
from apps.evaluations.signals import evaluations_ended
from apps.jobs.wakeups import wake_workers_on_commit
from apps.jobs.work import TimeSlice
from apps.tenants.queries import each_ready_tenant, workflow_config
from apps.tenants.tasks import TenantTask


def judge(time_slice: TimeSlice) -> bool:
    """Judge one tenant's conversations until none is left, and end what is judged."""
    if resume_after_budget_raise(now=time_slice.now()):
        wake_workers_on_commit(time_slice.tenant, "playing")
    settle_lost(now=time_slice.now())
    enqueue_judgements(now=time_slice.now())
    report = judge_in_free_slot(
        slots=settings.JUDGING_LANES,
        concurrency=workflow_config(time_slice.tenant).max_concurrent_judgements,
        now=time_slice.now,
        work_for_s=time_slice.seconds,
    )
    _finish(time_slice.tenant, figures=2)
    return report is not None and report.more


@shared_task(name="apps.evaluations.tasks.roll_budgets")
def roll_budgets() -> None:
    """Every hour, in every ready tenant: budgets are recounted from the ledger, and old answers forgotten."""
    for tenant in each_ready_tenant():
        roll_tenant.apply_async(kwargs={"tenant": tenant}, queue="control", expires=3600)


@shared_task(name="apps.evaluations.tasks.roll_tenant", base=TenantTask)
def roll_tenant(*, tenant: str) -> None:
    now = timezone.now()
    settle_lost(now=now)
    recount([month_of(now), Scope(ScopeKind.TENANT)])
    evict_cached(now=now, days=settings.ANSWER_CACHE_DAYS, megabytes=settings.ANSWER_CACHE_MB)


@shared_task(name="apps.evaluations.tasks.watchdog")
def watchdog() -> None:
    """Every ten minutes (brief 003), in every ready tenant: close evaluations that stand still."""
    for tenant in each_ready_tenant():
        watch_tenant.apply_async(kwargs={"tenant": tenant}, queue="control", expires=600)


@shared_task(name="apps.evaluations.tasks.watch_tenant", base=TenantTask)
def watch_tenant(*, tenant: str) -> None:
    now = timezone.now()
    _finish(tenant, figures=20)
    time_out_evaluations(now=now, minutes=workflow_config(tenant).watchdog_minutes)


def _finish(tenant: str, *, figures: int) -> None:
    """End the evaluations that are all judged, tell other rooms of it, and store missing figures.

    It stores the figures of at most `figures` evaluations that ended in another way, or changed since.
    """
    if finish_evaluations(now=timezone.now()):
        evaluations_ended.send_robust(sender=None, tenant=tenant)
    store_due_figures(limit=figures)

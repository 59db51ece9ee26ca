"""Workers' doors into evaluations: ticks fan out to tenants, lanes judge what is owed."""

import random

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from apps.budgets.domain.scopes import Scope, ScopeKind, month_of
from apps.budgets.services.accounts import recount
from apps.budgets.services.ledger import settle_lost
from apps.budgets.services.response_cache import evict_cached
from apps.core.events import EventType, log_event
from apps.evaluations.services.completion import finish_evaluations, time_out_evaluations
from apps.evaluations.services.enqueue import enqueue_judgements
from apps.evaluations.services.judging import judge_lane
from apps.evaluations.services.resume import resume_after_budget_raise
from apps.evaluations.signals import evaluations_ended
from apps.jobs.active_tenants import each_tenant_to_visit
from apps.runs.tasks import play_tenant
from apps.tenants.queries import each_ready_tenant, workflow_config
from apps.tenants.tasks import TenantTask


@shared_task(name="apps.evaluations.tasks.judge_due")
def judge_due() -> None:
    """The tick: in every ready tenant, judge what is owed. As many knocks as there are lanes; spare ones return."""
    log_event(EventType.TICK, tick="judge_due")
    tenants = list(each_tenant_to_visit(every_s=15))
    random.shuffle(tenants)  # knocks that nobody had time for expire: not always those of the same tenants
    for _ in range(settings.JUDGING_LANES):  # everybody's first lane before anybody's second
        for tenant in tenants:
            judge_tenant.apply_async(kwargs={"tenant": tenant}, queue="judging", expires=60)


@shared_task(name="apps.evaluations.tasks.judge_tenant", base=TenantTask)
def judge_tenant(*, tenant: str) -> None:
    """Judge what one tenant is owed until nothing is left. Safe to repeat: rows decide."""
    if resume_after_budget_raise(now=timezone.now()):
        play_tenant.apply_async(kwargs={"tenant": tenant}, queue="battles")
    settle_lost(now=timezone.now())
    enqueue_judgements(now=timezone.now())
    report = judge_lane(
        lanes=settings.JUDGING_LANES,
        concurrency=workflow_config(tenant).max_concurrent_judgements,
        now=timezone.now,
    )
    _finish(tenant)
    if report is not None and report.more:
        judge_tenant.apply_async(kwargs={"tenant": tenant}, queue="judging")


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
    """Every ten minutes (seeds 003), in every ready tenant: close evaluations that stand still."""
    for tenant in each_ready_tenant():
        watch_tenant.apply_async(kwargs={"tenant": tenant}, queue="control", expires=600)


@shared_task(name="apps.evaluations.tasks.watch_tenant", base=TenantTask)
def watch_tenant(*, tenant: str) -> None:
    now = timezone.now()
    _finish(tenant)
    time_out_evaluations(now=now, minutes=workflow_config(tenant).watchdog_minutes)


def _finish(tenant: str) -> None:
    """End what is judged, and let other rooms hear of it."""
    if finish_evaluations(now=timezone.now()):
        evaluations_ended.send_robust(sender=None, tenant=tenant)

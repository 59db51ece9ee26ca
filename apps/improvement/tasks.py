"""Workers' doors into improvement: analyses that are due."""

from celery import shared_task
from django.utils import timezone

from apps.improvement.services.analysing import pay_analyses
from apps.improvement.services.enqueue_analyses import enqueue_analyses
from apps.jobs.active_tenants import each_tenant_to_visit
from apps.tenants.tasks import TenantTask


@shared_task(name="apps.improvement.tasks.analyse_due")
def analyse_due() -> None:
    """The tick: in every tenant where something moved, analyse what asked for it."""
    for tenant in each_tenant_to_visit(every_s=15):
        analyse_tenant.apply_async(kwargs={"tenant": tenant}, queue="improvement", expires=60)


@shared_task(name="apps.improvement.tasks.analyse_tenant", base=TenantTask)
def analyse_tenant(*, tenant: str) -> None:
    """Pay the analyses that one tenant is owed. Safe to repeat and to race: rows decide."""
    enqueue_analyses(now=timezone.now())
    pay_analyses(now=timezone.now)

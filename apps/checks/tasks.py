"""Workers' doors into checks: what runs assert, measured when their conversations are over."""

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from apps.checks.services.enqueue_checks import enqueue_checks
from apps.checks.services.run_checks import measure_due_checks
from apps.checks.services.session_isolation import check_isolation
from apps.jobs.active_tenants import each_tenant_to_visit
from apps.tenants.tasks import TenantTask

TURN = timedelta(minutes=3)  # then another tenant's task may come first


@shared_task(name="apps.checks.tasks.measure_due")
def measure_due() -> None:
    """The tick: in every tenant where something moved, measure what its runs assert."""
    for tenant in each_tenant_to_visit(every_s=15):
        measure_tenant.apply_async(kwargs={"tenant": tenant}, queue="improvement", expires=60)


@shared_task(name="apps.checks.tasks.measure_tenant", base=TenantTask)
def measure_tenant(*, tenant: str) -> None:
    """Measure what one tenant's conversations assert. Safe to repeat and to race: rows decide."""
    enqueue_checks(now=timezone.now())
    check_isolation(now=timezone.now())
    if measure_due_checks(now=timezone.now, until=timezone.now() + TURN):
        measure_tenant.apply_async(kwargs={"tenant": tenant}, queue="improvement")

"""Workers' door into jobs: what people asked for by a button."""

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from apps.jobs.active_tenants import each_tenant_to_visit
from apps.jobs.services.interactive import run_due
from apps.tenants.tasks import TenantTask

TURN = timedelta(minutes=3)  # then another tenant's task may come first


@shared_task(name="apps.jobs.tasks.interactive_due")
def interactive_due() -> None:
    """The tick: in every tenant where something moved, do what people wait for."""
    for tenant in each_tenant_to_visit(every_s=15):
        run_interactive_jobs.apply_async(kwargs={"tenant": tenant}, queue="improvement", expires=60)


@shared_task(name="apps.jobs.tasks.run_interactive_jobs", base=TenantTask)
def run_interactive_jobs(*, tenant: str) -> None:
    """Do what people of one tenant wait for. Safe to repeat and to race: rows decide."""
    if run_due(now=timezone.now, until=timezone.now() + TURN):
        run_interactive_jobs.apply_async(kwargs={"tenant": tenant}, queue="improvement")

"""Workers' doors into personas: sets that are to be generated, personas that are to be validated."""

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from apps.jobs.active_tenants import each_tenant_to_visit
from apps.jobs.wakeups import wake_workers_on_commit
from apps.personas.queries.probes_to_play import probes_to_play
from apps.personas.services.generating import generate_due
from apps.personas.services.simulator_review import review_lane
from apps.personas.services.validating import validate_due
from apps.runs.services.control import finish_runs
from apps.tenants.tasks import TenantTask

TURN = timedelta(minutes=3)  # then another tenant's task may come first


@shared_task(name="apps.personas.tasks.personas_due")
def personas_due() -> None:
    """The tick: in every tenant where something moved, generate and validate personas."""
    for tenant in each_tenant_to_visit(every_s=15):
        work_tenant.apply_async(kwargs={"tenant": tenant}, queue="improvement", expires=60)


@shared_task(name="apps.personas.tasks.reviews_due")
def reviews_due() -> None:
    """The tick: in every tenant where something moved, reach the verdicts on simulated customers."""
    for tenant in each_tenant_to_visit(every_s=15):
        review_tenant.apply_async(kwargs={"tenant": tenant}, queue="judging", expires=60)


@shared_task(name="apps.personas.tasks.review_tenant", base=TenantTask)
def review_tenant(*, tenant: str) -> None:
    """Reach the verdicts of one tenant's battles, and end the runs that waited for them. Safe to repeat and to race."""
    report = review_lane(now=timezone.now)
    finish_runs(now=timezone.now())
    if report is not None and report.more:
        review_tenant.apply_async(kwargs={"tenant": tenant}, queue="judging")


@shared_task(name="apps.personas.tasks.work_tenant", base=TenantTask)
def work_tenant(*, tenant: str) -> None:
    """Write and validate one tenant's personas. Safe to repeat and to race: rows decide."""
    until = timezone.now() + TURN
    more = generate_due(now=timezone.now, until=until)
    more = validate_due(now=timezone.now, until=until) or more
    if probes_to_play():
        wake_workers_on_commit(tenant, "playing")
    if more:
        work_tenant.apply_async(kwargs={"tenant": tenant}, queue="improvement")

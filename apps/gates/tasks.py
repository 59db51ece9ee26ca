"""Workers' doors into gates: those whose evaluations have ended are decided."""

from celery import shared_task
from django.utils import timezone

from apps.gates.services.deciding import decide_due_gates
from apps.jobs.active_tenants import each_tenant_to_visit
from apps.tenants.tasks import TenantTask


@shared_task(name="apps.gates.tasks.gates_due")
def gates_due() -> None:
    """The tick: in every tenant where something moved, decide the gates that can be decided."""
    for tenant in each_tenant_to_visit(every_s=15):
        decide_tenant.apply_async(kwargs={"tenant": tenant}, queue="improvement", expires=60)


@shared_task(name="apps.gates.tasks.decide_tenant", base=TenantTask)
def decide_tenant(*, tenant: str) -> None:
    """Decide one tenant's gates. Safe to repeat and to race: rows decide."""
    decide_due_gates(now=timezone.now())

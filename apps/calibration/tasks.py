"""Workers' doors into calibration: certificates that are due, and the month's labelling."""

from celery import shared_task
from django.utils import timezone

from apps.calibration.services.certification import certify_ended
from apps.calibration.services.labelling import open_round
from apps.jobs.work import TimeSlice
from apps.tenants.queries import each_ready_tenant
from apps.tenants.tasks import TenantTask


def certify(time_slice: TimeSlice) -> bool:
    """Write the certificates whose judge has answered."""
    certify_ended(now=time_slice.now())
    return False


@shared_task(name="apps.calibration.tasks.open_rounds")
def open_rounds() -> None:
    """Every hour, in every ready tenant: open the month's labelling once its first Monday has come (brief 000 §3)."""
    for tenant in each_ready_tenant():
        open_round_of.apply_async(kwargs={"tenant": tenant}, queue="control", expires=3600)


@shared_task(name="apps.calibration.tasks.open_round_of", base=TenantTask)
def open_round_of(*, tenant: str) -> None:
    open_round(now=timezone.now())

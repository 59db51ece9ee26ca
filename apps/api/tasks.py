"""The tick that tells callers what ended."""

from celery import shared_task
from django.utils import timezone

from apps.api.services.callbacks import enqueue_callbacks
from apps.api.services.idempotency import evict_cached
from apps.core.events import EventType, log_event
from apps.jobs.active_tenants import each_tenant_to_visit
from apps.jobs.services.delivering import deliver_due, deliver_to_slow, slow_is_due
from apps.tenants.tasks import TenantTask


@shared_task(name="apps.api.tasks.send_callbacks")
def send_callbacks() -> None:
    """Every five seconds, the first delays of the schedule: in every ready tenant, send what is due."""
    log_event(EventType.TICK, tick="send_callbacks")
    for tenant in each_tenant_to_visit(every_s=5):
        # Longer than a slow receiver of another tenant is waited for, short enough not to pile up.
        send_tenant_callbacks.apply_async(kwargs={"tenant": tenant}, queue="control", expires=20)


@shared_task(name="apps.api.tasks.send_tenant_callbacks", base=TenantTask)
def send_tenant_callbacks(*, tenant: str) -> None:
    """Owe and send one tenant's callbacks; forget answers nobody may ask for again. Safe to repeat and to race."""
    enqueue_callbacks(now=timezone.now())
    deliver_due(now=timezone.now)
    if slow_is_due(now=timezone.now()):  # they may take their time where no tick waits behind them
        send_slow_callbacks.apply_async(kwargs={"tenant": tenant}, queue="improvement", expires=20)
    evict_cached(now=timezone.now())


@shared_task(name="apps.api.tasks.send_slow_callbacks", base=TenantTask)
def send_slow_callbacks(*, tenant: str) -> None:
    """Send what goes to one tenant's slow receivers. Safe to repeat and to race."""
    deliver_to_slow(now=timezone.now)

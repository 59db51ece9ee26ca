"""The work of workers for every kind of delivery (apps.jobs.deliveries)."""

from django.utils.module_loading import import_string

from apps.jobs.deliveries import delivery_kind_of
from apps.jobs.services.delivering import deliver_due, deliver_to_slow, slow_is_due
from apps.jobs.wakeups import call_another_worker
from apps.jobs.work import TimeSlice


def deliver(time_slice: TimeSlice) -> bool:
    """Write down and send one tenant's deliveries of a kind."""
    kind = delivery_kind_of(time_slice.work)
    if kind.enqueue:
        import_string(kind.enqueue)(now=time_slice.now())
    deliver_due(now=time_slice.now, kinds=[kind])
    if slow_is_due(now=time_slice.now(), kinds=[kind]):  # they may take their time where no tick waits behind them
        call_another_worker(time_slice.tenant, kind.slow_work, for_s=20)
    if kind.after:
        import_string(kind.after)(now=time_slice.now())
    return False


def deliver_slow(time_slice: TimeSlice) -> bool:
    """Send what goes to one tenant's slow receivers."""
    deliver_to_slow(now=time_slice.now, kinds=[delivery_kind_of(time_slice.work)])
    return False

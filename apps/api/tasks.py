"""Workers' doors into the API: callers are told what ended."""

from apps.api.services.callbacks import enqueue_callbacks
from apps.api.services.idempotency import evict_cached
from apps.jobs.services.delivering import deliver_due, deliver_to_slow, slow_is_due
from apps.jobs.wakeups import call_another_worker
from apps.jobs.work import TimeSlice


def send_callbacks(time_slice: TimeSlice) -> bool:
    """Write down and send one tenant's callbacks; forget answers nobody may ask for again."""
    enqueue_callbacks(now=time_slice.now())
    deliver_due(now=time_slice.now)
    if slow_is_due(now=time_slice.now()):  # they may take their time where no tick waits behind them
        call_another_worker(time_slice.tenant, "slow_callbacks", for_s=20)
    evict_cached(now=time_slice.now())
    return False


def send_slow_callbacks(time_slice: TimeSlice) -> bool:
    """Send what goes to one tenant's slow receivers."""
    deliver_to_slow(now=time_slice.now)
    return False

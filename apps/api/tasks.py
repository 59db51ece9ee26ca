"""Workers' doors into the API: callers are told what ended."""

from apps.api.services.callbacks import enqueue_callbacks
from apps.api.services.idempotency import evict_cached
from apps.jobs.services.delivering import deliver_due, deliver_to_slow, slow_is_due
from apps.jobs.wakeups import call_another_worker
from apps.jobs.work import Turn


def send_callbacks(turn: Turn) -> bool:
    """Write down and send one tenant's callbacks; forget answers nobody may ask for again."""
    enqueue_callbacks(now=turn.now())
    deliver_due(now=turn.now)
    if slow_is_due(now=turn.now()):  # they may take their time where no tick waits behind them
        call_another_worker(turn.tenant, "slow_callbacks", for_s=20)
    evict_cached(now=turn.now())
    return False


def send_slow_callbacks(turn: Turn) -> bool:
    """Send what goes to one tenant's slow receivers."""
    deliver_to_slow(now=turn.now)
    return False

"""Workers' doors into production."""

from apps.jobs.work import TimeSlice
from apps.production.services.promoting_feedback import enqueue_round, pay_rounds
from apps.production.services.retention import delete_expired
from apps.production.services.settling import settle_due


def promote(time_slice: TimeSlice) -> bool:
    """Do one tenant's weekly promotion where it is due, and owe the next one."""
    pay_rounds(now=time_slice.now())
    enqueue_round(now=time_slice.now())
    return False


def settle(time_slice: TimeSlice) -> bool:
    """Settle one tenant's conversations that nobody posted to for a while; whether more are due."""
    return settle_due(now=time_slice.now()).more


def retain(time_slice: TimeSlice) -> bool:
    """Delete what one tenant has kept long enough; whether more is due."""
    return delete_expired(now=time_slice.now()).more

"""Workers' doors into erasure."""

from apps.erasure.services import retention
from apps.erasure.services.requests import pay_erasures
from apps.jobs.work import TimeSlice


def erase(time_slice: TimeSlice) -> bool:
    """Do one tenant's erasures that are due, until the time is up; return whether more may be."""
    while pay_erasures(now=time_slice.now):
        if time_slice.seconds <= 0:
            return True
    return False


def retain(time_slice: TimeSlice) -> bool:
    """Delete the words that one tenant has kept long enough; return whether more are due."""
    return retention.retain(now=time_slice.now(), seconds=lambda: time_slice.seconds)

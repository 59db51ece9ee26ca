"""Workers' doors into alerts."""

from apps.alerts.services.looking import pay_rounds
from apps.jobs.work import TimeSlice


def look(time_slice: TimeSlice) -> bool:
    """Look at one tenant's rules where it is due."""
    pay_rounds(now=time_slice.now())
    return False

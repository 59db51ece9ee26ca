"""Workers' doors into improvement: analyses that are due."""

from apps.improvement.services.analysing import pay_analyses
from apps.improvement.services.enqueue_analyses import enqueue_analyses
from apps.jobs.work import TimeSlice


def analyse(time_slice: TimeSlice) -> bool:
    """Do the analyses of one tenant, ten at a time."""
    enqueue_analyses(now=time_slice.now())
    pay_analyses(now=time_slice.now)
    return False

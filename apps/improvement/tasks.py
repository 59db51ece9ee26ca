"""Workers' doors into improvement: analyses that are due."""

from apps.improvement.services.analysing import pay_analyses
from apps.improvement.services.enqueue_analyses import enqueue_analyses
from apps.jobs.work import Turn


def analyse(turn: Turn) -> bool:
    """Do the analyses of one tenant, ten at a time."""
    enqueue_analyses(now=turn.now())
    pay_analyses(now=turn.now)
    return False

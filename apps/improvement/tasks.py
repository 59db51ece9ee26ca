"""Workers' doors into improvement: analyses, trials, fixes and playgrounds that are due."""

from apps.improvement.analysis.services.analysing import pay_analyses
from apps.improvement.analysis.services.enqueue_analyses import enqueue_analyses
from apps.improvement.drafts.services.advancing_trials import advance_trials
from apps.improvement.failure_modes.services.grouping_notes import group_due
from apps.improvement.optimizer.services.advancing_optimizations import advance_optimizations
from apps.improvement.optimizer.services.proposing import propose_due
from apps.improvement.playground.services.answering import answer_due
from apps.jobs.wakeups import wake_workers_on_commit
from apps.jobs.work import TimeSlice


def analyse(time_slice: TimeSlice) -> bool:
    """Do the analyses of one tenant."""
    enqueue_analyses(now=time_slice.now())
    more = pay_analyses(now=time_slice.now, until=time_slice.until).more
    wake_workers_on_commit(time_slice.tenant, "optimization")
    return more


def trial(time_slice: TimeSlice) -> bool:
    """Take one tenant's trials a step further. What waits for runs is looked at again by the next tick."""
    steps = advance_trials(now=time_slice.now())
    if steps.started:
        wake_workers_on_commit(time_slice.tenant, "playing", "judging")
    if steps.ended:
        wake_workers_on_commit(time_slice.tenant, "optimization")
    return False


def propose(time_slice: TimeSlice) -> bool:
    """Ask for the fixes that one tenant's findings wait for."""
    more = propose_due(now=time_slice.now, until=time_slice.until)
    wake_workers_on_commit(time_slice.tenant, "optimization")
    return more


def playground(time_slice: TimeSlice) -> bool:
    """Ask for the answers that one tenant's playgrounds wait for."""
    return answer_due(now=time_slice.now, until=time_slice.until)


def optimize(time_slice: TimeSlice) -> bool:
    """Take one tenant's optimizations on. What waits for models and trials is looked at again when they have ended."""
    woke = advance_optimizations(now=time_slice.now()).woke
    if woke:
        wake_workers_on_commit(time_slice.tenant, *sorted(woke))
    return False


def group_notes(time_slice: TimeSlice) -> bool:
    """Ask which of one tenant's notes tell of the same failure."""
    return group_due(now=time_slice.now, until=time_slice.until)

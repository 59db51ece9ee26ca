"""Workers' door into reports: summaries that somebody asked for."""

from apps.budgets.services.paid_work import do_paid_work
from apps.jobs.work import TimeSlice
from apps.reports.run_reports.services.writing_summaries import SummaryRows


def summarise(time_slice: TimeSlice) -> bool:
    """Write the summaries that one tenant's reports wait for."""
    return do_paid_work(SummaryRows(), now=time_slice.now, until=time_slice.until).more

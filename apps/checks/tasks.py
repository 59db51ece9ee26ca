"""Workers' doors into checks: what runs assert, measured when their conversations are over."""

from apps.checks.services.enqueue_checks import enqueue_checks
from apps.checks.services.run_checks import measure_due_checks
from apps.checks.services.session_isolation import check_isolation
from apps.jobs.work import TimeSlice


def measure(time_slice: TimeSlice) -> bool:
    """Run the assertion checks that are due for one tenant's conversations."""
    enqueue_checks(now=time_slice.now())
    check_isolation(now=time_slice.now())
    return measure_due_checks(now=time_slice.now, until=time_slice.until)

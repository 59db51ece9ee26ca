"""Measuring what a run asserts from the process that waits for it: its own worker, under the same leases as any."""

import time
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta

from apps.checks.queries.check_results import pending_checks
from apps.checks.services.enqueue_checks import enqueue_checks
from apps.checks.services.run_checks import measure_due_checks
from apps.checks.services.session_isolation import check_isolation
from apps.core.plurals import many
from apps.evaluations.progress.services.wait import WaitTimeout

LOOK_AGAIN_S = 0.5  # where another worker holds the lease, or a judge's limit must pass


def finish_checks(*, run_id: uuid.UUID, now: Callable[[], datetime], timeout_s: float) -> str:
    """Measure until every check of the run has its result; what it waits for, where that is a budget.

    Raises WaitTimeout. Safe to run beside workers: rows decide who measures what.
    """
    until = time.monotonic() + timeout_s
    check_isolation(now=now(), run_id=run_id)
    while True:
        enqueue_checks(now=now())
        measure_due_checks(now=now, until=now() + timedelta(seconds=max(0.0, until - time.monotonic())))
        pending, waits_for = pending_checks(run_id=run_id)
        if not pending or waits_for == "the budget":
            return waits_for if pending else ""
        if time.monotonic() >= until:
            raise WaitTimeout(f"Not ended after {timeout_s:g} s: {many(pending, 'conversation')} not checked yet.")
        time.sleep(LOOK_AGAIN_S)

"""Full: one draft that answers all findings."""

from datetime import datetime

from apps.improvement.drafts.domain.states import DraftMode
from apps.improvement.optimizer.models import Optimization
from apps.improvement.optimizer.services.drafts import ask_for_draft


def propose(row: Optimization, now: datetime) -> None:
    """Request one proposal that covers all findings."""
    every = list(range(1, len(row.analysis.findings) + 1))
    ask_for_draft(row, findings=every, mode=DraftMode.FULL, now=now)

"""Full: one draft that answers all findings."""

from datetime import datetime

from apps.improvement.domain.drafts import DraftMode
from apps.improvement.models import Optimization
from apps.improvement.services.optimization_drafts import ask_for_draft


def propose(row: Optimization, now: datetime) -> None:
    """Owe one proposal for everything that was found."""
    every = list(range(1, len(row.analysis.findings) + 1))
    ask_for_draft(row, findings=every, mode=DraftMode.FULL, now=now)

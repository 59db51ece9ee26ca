"""Surgical: so many drafts with one fix each, for the findings that can be believed most."""

from datetime import datetime

from apps.improvement.drafts.domain.states import DraftMode
from apps.improvement.optimizer.models import Optimization
from apps.improvement.optimizer.services.drafts import ask_for_draft


def propose(row: Optimization, now: datetime) -> None:
    """Request one proposal for each finding, believable ones first, up to the wanted number."""
    for number in range(1, min(row.wanted, len(row.analysis.findings)) + 1):
        ask_for_draft(row, findings=[number], mode=DraftMode.SURGICAL, now=now)

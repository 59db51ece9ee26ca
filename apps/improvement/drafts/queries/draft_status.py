"""Derive a draft's status from its trials; it is never stored beside them."""

import uuid

from apps.improvement.domain.acceptance import AcceptanceVerdict
from apps.improvement.drafts.domain.release import BREAKER, verdict_after
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.drafts.domain.trial_states import TrialStatus
from apps.improvement.drafts.models import Trial
from apps.improvement.holdout.domain.parts import Part

_STATUS = {
    AcceptanceVerdict.BETTER: DraftStatus.BETTER,
    AcceptanceVerdict.NOT_SHOWN: DraftStatus.NOT_SHOWN,
    AcceptanceVerdict.BLOCKED: DraftStatus.BLOCKED,
}


def deciding_trial(draft_id: uuid.UUID) -> Trial | None:
    """The newest trial that decided about this draft on a hold-out set. One query."""
    decided = Trial.objects.filter(draft=draft_id, part=Part.HOLD_OUT, status=TrialStatus.COMPLETED)
    return decided.order_by("-decided_at", "-id").first()


def verdict_of_trial(trial: Trial) -> AcceptanceVerdict:
    """The verdict of a trial, lifted blocks taken away. No query."""
    return verdict_after(trial.decision, trial.lifted)


def status_of_draft(draft_id: uuid.UUID) -> DraftStatus:
    """Return the status of a draft outside every trial, from its decision; `proposed` without one.
    Before a hold-out trial decides, a regression in any trial blocks the draft. Two queries at most."""
    trial = deciding_trial(draft_id)
    if trial is not None:
        return _STATUS[verdict_of_trial(trial)]
    return DraftStatus.BLOCKED if regressed_trial(draft_id) is not None else DraftStatus.PROPOSED


def regressed_trial(draft_id: uuid.UUID) -> Trial | None:
    """The newest completed trial where it is one whose circuit breaker blocks the draft. One query."""
    newest = Trial.objects.filter(draft=draft_id, status=TrialStatus.COMPLETED).order_by("-decided_at", "-id").first()
    return newest if newest is not None and BREAKER in newest.decision.get("codes", ()) else None

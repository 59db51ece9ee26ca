"""Stop a trial, and let a criterion pass that blocks one."""

import uuid
from datetime import datetime

from django.db import transaction

from apps.catalog.configs.queries.criterion_titles import criterion_names
from apps.core.errors import Conflict
from apps.core.events import EventType, log_event
from apps.core.timestamps import format_timestamp
from apps.evaluations.domain.states import EVALUATION_TERMINAL
from apps.evaluations.judging.services.completion import cancel_evaluation, cancel_run_and_judging
from apps.improvement.drafts.domain.release import refuse_lift
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.drafts.domain.trial_states import TRIAL_OPEN, TrialStatus
from apps.improvement.drafts.models import PromptDraft, Trial
from apps.improvement.drafts.queries.draft_status import deciding_trial, status_of_draft
from apps.improvement.drafts.queries.trials import find_trial
from apps.improvement.drafts.services.advancing_trials import end_without_decision
from apps.improvement.holdout.domain.parts import Part
from apps.runs.domain.states import RUN_TERMINAL


@transaction.atomic
def cancel_trial(trial_id: uuid.UUID | str, *, by: str, now: datetime) -> None:
    """Stop its runs and judging for good. No look is spent unless conversations of the draft were scored already.

    Raises NotFound, and Conflict (`wrong_state`) where it has ended. Some ten queries.
    """
    row = _locked(trial_id)
    if row.status not in TRIAL_OPEN:
        raise Conflict(f"A trial that is {row.status} cannot be cancelled.", code="wrong_state", status_now=row.status)
    for side in row.sides.select_related("test_run", "evaluation").exclude(test_run=None):
        if side.test_run.status not in RUN_TERMINAL:
            cancel_run_and_judging(run_id=side.test_run.pk, now=now)
        elif side.evaluation.status not in EVALUATION_TERMINAL:
            cancel_evaluation(evaluation_id=side.evaluation.pk, now=now)
    end_without_decision(row, TrialStatus.CANCELLED, f"Cancelled by {by}.", now)


@transaction.atomic
def lift_block(trial_id: uuid.UUID | str, *, criterion: str, reason: str, by: str, now: datetime) -> None:
    """A person lets a criterion that blocks the draft be worse, with a reason that is kept. What is left of the verdict
    is the draft's.

    Raises NotFound; BadInput (`no_reason`, `not_blocked`), Conflict (`lifted_already`, `not_decided`, `superseded`).
    """
    row = _locked(trial_id)
    if row.status != TrialStatus.COMPLETED:
        raise Conflict(f"A trial that is {row.status} blocks nothing.", code="not_decided", status_now=row.status)
    if row.part != Part.HOLD_OUT:
        message = f"This trial chose among drafts, and nothing of it is lifted: {row.sentence}"
        raise Conflict(message, code="not_decided", status_now=row.status)
    newest = deciding_trial(row.draft_id)
    if newest is None or newest.pk != row.pk:
        raise Conflict("A later trial on the hold-out decides about this draft: look there.", code="superseded")
    criterion = criterion_names().name_of(criterion)
    refuse_lift(row.decision, row.lifted, criterion, reason)
    lifted = {"criterion": criterion, "reason": reason.strip(), "by": by, "at": format_timestamp(now)}
    Trial.objects.filter(pk=row.pk).update(lifted_blocks=[*row.lifted_blocks, lifted])
    PromptDraft.objects.advance(row.draft_id, expected=DraftStatus.BLOCKED, to=status_of_draft(row.draft_id))
    log_event(EventType.BLOCK_LIFTED, trial=str(row.pk), criterion=criterion, by=by)


def _locked(trial_id: uuid.UUID | str) -> Trial:
    trial = find_trial(trial_id)
    return Trial.objects.select_for_update().get(pk=trial.pk)

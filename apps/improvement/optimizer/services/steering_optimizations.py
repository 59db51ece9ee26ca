"""Stop an optimization, combine its winners by a person's choice, and send one of its drafts to the hold-out."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import IntegrityError, transaction

from apps.core.errors import BadInput, Conflict, NotFound
from apps.core.events import EventType, log_event
from apps.evaluations.domain.states import AnalysisStatus
from apps.improvement.analysis.models import Analysis
from apps.improvement.domain.optimization_states import (
    OPTIMIZATION_OPEN,
    DraftPlace,
    LeftOut,
    OptimizationStatus,
)
from apps.improvement.drafts.domain.states import ProposalStatus
from apps.improvement.drafts.domain.trial_states import TRIAL_OPEN
from apps.improvement.drafts.models import FixProposal
from apps.improvement.drafts.services.combining_drafts import combine_drafts
from apps.improvement.drafts.services.steering_trials import cancel_trial
from apps.improvement.optimizer.models import Optimization, OptimizationDraft
from apps.improvement.optimizer.queries.facts import optimization_state
from apps.improvement.optimizer.queries.search_trials import open_search_trials
from apps.improvement.optimizer.services.advancing_optimizations import end_optimization, start_proof
from apps.improvement.optimizer.services.drafts import add_draft, leave_out
from apps.jobs.domain.work_states import FOR_A_WORKER


@transaction.atomic
def cancel_optimization(optimization_id: uuid.UUID | str, *, by: str, now: datetime) -> None:
    """Cancel an optimization: nothing more is asked, played or judged for it; its results stay.

    Some twenty queries. Raises NotFound, and Conflict (`wrong_state`) where it has ended.
    """
    row = locked(optimization_id)
    if row.status not in OPTIMIZATION_OPEN:
        message = f"An optimization that is {row.status} cannot be cancelled."
        raise Conflict(message, code="wrong_state", status_now=row.status)
    why = f"Cancelled by {by}."
    for draft in row.drafts.select_related("trial").order_by("position"):
        if draft.trial is not None and draft.trial.status in TRIAL_OPEN:
            cancel_trial(draft.trial.pk, by=by, now=now)
        if draft.trial is None or draft.trial.status in TRIAL_OPEN:
            leave_out(draft, LeftOut.CANCELLED, why)
    for trial in open_search_trials(row):
        cancel_trial(trial.pk, by=by, now=now)
    if row.proof is not None and row.proof.status in TRIAL_OPEN:
        cancel_trial(row.proof.pk, by=by, now=now)
    proposals = FixProposal.objects.filter(
        pk__in=row.drafts.exclude(proposal=None).values("proposal"), status=ProposalStatus.PENDING
    )
    ended = {"error_message": why, "ended_at": now, "lease_token": None, "lease_expires_at": None, "waiting_for": ""}
    proposals.update(status=ProposalStatus.FAILED, **ended)
    analyses = Analysis.objects.filter(
        pk__in=[row.analysis_id] if row.analysis_id else [], status=AnalysisStatus.PENDING
    )
    analyses.update(status=AnalysisStatus.FAILED, **ended)
    end_optimization(row, OptimizationStatus.CANCELLED, now, error=why)


@transaction.atomic
def combine_optimization(
    optimization_id: uuid.UUID | str,
    *,
    by: str,
    now: datetime,
    drafts: Sequence[uuid.UUID | str] = (),
    choices: Mapping[str, str] | None = None,
) -> uuid.UUID:
    """Winning fixes in one draft, which the optimization then tries: it goes on. The draft's id. `drafts` empty: all
    that helped; `choices` as `combine_drafts`.

    Raises NotFound; BadInput for fewer than two, or a draft that is not of it; Conflict: `wrong_state` while it goes
    on, `sections_conflict` where a person must choose, `optimizing` where another of this prompt goes on by now.
    """
    row = locked(optimization_id)
    if row.status != OptimizationStatus.COMPLETED:
        message = f"An optimization that is {row.status} has no winners to combine: wait until it has tried its drafts."
        raise Conflict(message, code="wrong_state", status_now=row.status)
    own = {str(draft) for draft in row.drafts.exclude(draft=None).values_list("draft_id", flat=True)}
    named = [str(draft) for draft in drafts] or [str(winner.draft_id) for winner in optimization_state(row).winners]
    for place, one in enumerate(named):
        if one not in own:
            message = f"Draft {one} is not of this optimization."
            raise BadInput(message, code="bad_drafts", pointer=f"/drafts/{place}")
    made = combine_drafts(named, by=by, choices=choices, round=row.round)
    add_draft(row, made, place=DraftPlace.COMBINED)
    _reopen(row, combined_at=now)
    log_event(EventType.OPTIMIZATION_STEP, optimization=str(row.pk), step="combine")
    return made


@transaction.atomic
def prove_draft(
    optimization_id: uuid.UUID | str, *, by: str, now: datetime, draft_id: uuid.UUID | str | None = None
) -> uuid.UUID:
    """A person sends one draft to the hold-out, the one that helped most unless named; the trial's id. Live is played
    anew, and one of three looks is spent.

    Raises NotFound; BadInput (`bad_drafts`); Conflict: `wrong_state`, `proven` for a second time, `nothing_helped`, and
    what `request_trial` refuses (`no_hold_out`, `hold_out_worn`).
    """
    row = locked(optimization_id)
    if row.status != OptimizationStatus.COMPLETED:
        message = f"An optimization that is {row.status} has nothing to prove yet."
        raise Conflict(message, code="wrong_state", status_now=row.status)
    if row.proof is not None:
        message = "One draft of this optimization was on the hold-out: try another from its own page."
        raise Conflict(message, code="proven")
    draft = _draft_of(row, draft_id)
    _reopen(row)
    return start_proof(row, draft, by=by, now=now)


def _draft_of(row: Optimization, draft_id: uuid.UUID | str | None) -> OptimizationDraft:
    state = optimization_state(row)
    if draft_id is not None:
        for one in state.rows:
            if str(one.draft_id) == str(draft_id) and not one.left_out:
                return one
        raise BadInput(f"Draft {draft_id} was not tried here.", code="bad_drafts", pointer="/draft")
    if state.best is None:
        raise Conflict(
            "No draft scored higher where drafts are chosen: there is nothing to prove.", code="nothing_helped"
        )
    return state.best


def _reopen(row: Optimization, **fields: object) -> None:
    """Reopen an optimization; its outcome is decided anew at the next end."""
    try:
        with transaction.atomic():
            Optimization.objects.filter(pk=row.pk).update(
                status=OptimizationStatus.RUNNING,
                outcome="",
                sentence="",
                ended_at=None,
                attempts=0,
                waiting_for=FOR_A_WORKER,
                **fields,
            )
    except IntegrityError as error:
        raise Conflict("Another optimization of this prompt goes on by now: wait for it.", code="optimizing") from error


def locked(optimization_id: uuid.UUID | str) -> Optimization:
    """The row under its lock. Raises NotFound."""
    try:
        key = uuid.UUID(str(optimization_id))
    except ValueError:
        raise NotFound(f"There is no optimization {optimization_id}.") from None
    rows = Optimization.objects.select_related("line__live", "base", "analysis", "proof", "evaluation")
    row = rows.select_for_update(of=("self",)).filter(pk=key).first()
    if row is None:
        raise NotFound(f"There is no optimization {optimization_id}.")
    return row

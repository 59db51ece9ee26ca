"""Optimizations that go on: one step at a time, each a transaction under the row's lock, told from rows alone.

Nothing here asks a model. A worker that is killed leaves no half step, and whoever comes next goes on where the rows
say: each proposal and each trial belongs to one draft by a constraint, so that nothing is asked or tried twice.
"""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.utils.module_loading import import_string

from apps.budgets.domain.scopes import Scope, ScopeKind
from apps.budgets.models import Budget
from apps.budgets.queries.limits import limits_in_force
from apps.core.errors import BadInput, Conflict, NotFound, RatibaError
from apps.core.events import EventType, log_event
from apps.evaluations.judging.services.completion import cancel_run_and_judging
from apps.improvement.analysis.models import Analysis
from apps.improvement.analysis.services.enqueue_analyses import analyzer_of
from apps.improvement.domain.acceptance import AcceptanceVerdict
from apps.improvement.domain.optimization_states import (
    OPTIMIZATION_OPEN,
    DraftPlace,
    LeftOut,
    OptimizationOutcome,
    OptimizationStatus,
)
from apps.improvement.drafts.domain.trial_states import TRIAL_OPEN, TrialStatus
from apps.improvement.drafts.models import TrialSide
from apps.improvement.drafts.queries.draft_status import verdict_of_trial
from apps.improvement.drafts.services.combining_drafts import combine_drafts
from apps.improvement.drafts.services.requesting_trials import request_trial
from apps.improvement.drafts.services.steering_trials import cancel_trial
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.optimizer.domain.modes import mode_named
from apps.improvement.optimizer.domain.steps import NextStep, Step, next_step
from apps.improvement.optimizer.domain.words import outcome_of, selection_sentence
from apps.improvement.optimizer.models import Optimization, OptimizationDraft
from apps.improvement.optimizer.queries.facts import OptimizationState, optimization_state
from apps.improvement.optimizer.services.drafts import add_draft, leave_out, settle_proposals
from apps.improvement.optimizer.services.reflective_mode import end_search
from apps.improvement.optimizer.services.requesting_optimizations import trial_choices_of
from apps.improvement.prompt_templates.domain.texts import ANALYZER_PURPOSES
from apps.jobs.row_errors import row_error
from apps.runs.domain.states import RUN_TERMINAL

MAX_ATTEMPTS = 20  # of one step; each waits for the next tick
MAX_STEPS = 12  # of one row in one visit: a round without a model's answer or a trial in it is shorter
NO_MONEY = "The budget of this optimization does not pay for it."


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizationSteps:
    """The steps that one visit took: `woke` names the work that is due now."""

    taken: int = 0
    woke: frozenset[str] = frozenset()


def advance_optimizations(*, now: datetime) -> OptimizationSteps:
    """Take each open optimization on until it waits. Safe to repeat and to race. Six queries where it waits, some sixty
    to request a trial."""
    taken, woke = 0, set()
    for pk in list(Optimization.objects.filter(status__in=OPTIMIZATION_OPEN).order_by("created_at").values_list("pk")):
        for _ in range(MAX_STEPS):
            step = _step(pk[0], now)
            if step is None or step is Step.WAIT:
                break
            taken += 1
            woke |= _WAKES.get(step, set())
    return OptimizationSteps(taken=taken, woke=frozenset(woke))


_WAKES: Mapping[Step, set[str]] = {
    Step.ANALYSE: {"analysis"},
    Step.PROPOSE: {"proposal"},
    Step.TRY: {"trial"},
    Step.COMBINE: {"trial"},
    Step.PROVE: {"trial"},
    Step.SEARCH: {"proposal", "trial"},
}


def _step(pk: uuid.UUID, now: datetime) -> Step | None:
    """One step, alone and whole; None where somebody else has the row, or it has ended."""
    try:
        with transaction.atomic():
            rows = Optimization.objects.select_related("line__live", "base", "analysis", "proof", "evaluation")
            row = (
                rows.select_for_update(skip_locked=True, of=("self",))
                .filter(pk=pk, status__in=OPTIMIZATION_OPEN)
                .first()
            )
            if row is None:
                return None
            settle_proposals(row)
            state = optimization_state(row)
            due = next_step(state.facts)
            _DOES[due.step](row, state, due, now)
            if due.step is not Step.WAIT:
                log_event(EventType.OPTIMIZATION_STEP, optimization=str(row.pk), step=due.step.value)
            return due.step
    except RatibaError as error:
        return _fail_alone(pk, error.message, now)
    except Exception as error:
        return _again(pk, row_error(error).message, now)


def _again(pk: uuid.UUID, why: str, now: datetime) -> Step | None:
    rows = Optimization.objects.filter(pk=pk, status__in=OPTIMIZATION_OPEN)
    row = rows.only("attempts").first()
    if row is None:
        return None
    if row.attempts + 1 >= MAX_ATTEMPTS:
        return _fail_alone(pk, why, now)
    rows.update(attempts=row.attempts + 1, waiting_for=f"the next try: {why}"[:200])
    return Step.WAIT


@transaction.atomic
def _fail_alone(pk: uuid.UUID, why: str, now: datetime) -> Step:
    row = Optimization.objects.select_for_update().filter(pk=pk, status__in=OPTIMIZATION_OPEN).first()
    if row is not None:
        end_optimization(row, OptimizationStatus.FAILED, now, error=why)
    return Step.FAIL


def _wait(row: Optimization, state: OptimizationState, due: NextStep, now: datetime) -> None:
    why = due.why
    for one in state.rows:
        if one.trial is not None and one.trial.status in TRIAL_OPEN and one.trial.waiting_for:
            why = f"{due.why}: {one.trial.waiting_for}"
    Optimization.objects.filter(pk=row.pk).exclude(waiting_for=why[:200]).update(waiting_for=why[:200])


def _analyse(row: Optimization, state: OptimizationState, due: NextStep, now: datetime) -> None:
    """The workshop's own analysis: it reads no conversation that is kept for choosing or for the proof."""
    made = Analysis.objects.create(
        evaluation=row.evaluation,
        analyzer=analyzer_of(row.evaluation),
        train_only=True,
        budget_name=row.budget_name,
        templates={name: row.templates[name] for name in ANALYZER_PURPOSES if name in row.templates},
    )
    _go_on(row, analysis=made)


def _propose(row: Optimization, state: OptimizationState, due: NextStep, now: datetime) -> None:
    if row.wanted:
        import_string(mode_named(row.mode).propose)(row, now)
    _go_on(row, proposed_at=now)


def _search(row: Optimization, state: OptimizationState, due: NextStep, now: datetime) -> None:
    """Let the mode ask for or try its next draft; end the search where its budget is spent."""
    if state.facts.budget_spent or not _pays(row):
        end_search(row, now, why=(LeftOut.BUDGET, NO_MONEY))
    else:
        import_string(mode_named(row.mode).search)(row, now)
    _go_on(row)


def _settle(row: Optimization, state: OptimizationState, due: NextStep, now: datetime) -> None:
    """The budget is spent: what waits for it is left out, and a trial that waits for it is stopped."""
    for one in state.rows:
        if one.left_out or (one.trial is not None and one.trial.status not in TRIAL_OPEN):
            continue
        if one.trial is not None:
            cancel_trial(one.trial.pk, by="the budget of its optimization", now=now)
        leave_out(one, LeftOut.BUDGET, NO_MONEY)
    _go_on(row)


def _try(row: Optimization, state: OptimizationState, due: NextStep, now: datetime) -> None:
    one = next(draft for draft in state.rows if draft.position == due.position)
    if not _pays(row):
        leave_out(one, LeftOut.BUDGET, NO_MONEY)
    else:
        _start_trial(row, one, now)
    _go_on(row)


def _start_trial(row: Optimization, draft: OptimizationDraft, now: datetime) -> None:
    try:
        with transaction.atomic():
            made = request_trial(draft.draft.pk, trial_choices_of(row), by=row.requested_by, now=now)
    except (BadInput, Conflict, NotFound) as error:
        leave_out(draft, LeftOut.NOT_TRIABLE, error.message)
    else:
        OptimizationDraft.objects.filter(pk=draft.pk, trial=None).update(trial=made)


def _combine(row: Optimization, state: OptimizationState, due: NextStep, now: datetime) -> None:
    """Combine winners that change different sections in one draft, which is then tried like any other.

    Fixes that help alone may hurt together.
    """
    made = combine_drafts([winner.draft.pk for winner in state.winners], by=row.requested_by, round=row.round)
    add_draft(row, made, place=DraftPlace.COMBINED)
    _go_on(row, combined_at=now)


def _prove(row: Optimization, state: OptimizationState, due: NextStep, now: datetime) -> None:
    best = state.best
    if best is not None:
        start_proof(row, best, by=row.requested_by, now=now)
    _go_on(row)


def start_proof(row: Optimization, draft: OptimizationDraft, *, by: str, now: datetime) -> uuid.UUID:
    """Start the proof of this draft on the hold-out; return the trial's id.

    The live prompt is played anew, and a look is spent. Raises as `request_trial`.
    """
    made = request_trial(draft.draft.pk, trial_choices_of(row, part=Part.HOLD_OUT), by=by, now=now)
    Optimization.objects.filter(pk=row.pk, proof=None).update(proof=made)
    return made


def _end(row: Optimization, state: OptimizationState, due: NextStep, now: datetime) -> None:
    for one in state.rows:
        if not one.left_out and one.trial is not None and not one.trial.decision:
            leave_out(one, LeftOut.NOT_COMPARED, one.trial.error_message)
    _stop_leftovers(state, now)
    state = optimization_state(row)
    outcome, sentence = outcome_of(state.tried), selection_sentence(state.tried)
    proof = row.proof
    if proof is not None and proof.status == TrialStatus.COMPLETED:
        outcome, sentence = _PROVEN[verdict_of_trial(proof)], f"{proof.sentence} Before: {sentence}"
    elif proof is not None:
        outcome = OptimizationOutcome.UNMEASURABLE
        sentence = f"The trial on the hold-out ended without a decision: {proof.error_message} Before: {sentence}"
    end_optimization(row, OptimizationStatus.COMPLETED, now, outcome=outcome, sentence=sentence)


def _stop_leftovers(state: OptimizationState, now: datetime) -> None:
    """A live side that plays on for drafts that will not come: the last one was stopped early. One query."""
    sides = TrialSide.objects.filter(trial__in=[row.trial_id for row in state.rows if row.trial_id])
    for run in set(sides.exclude(test_run__status__in=RUN_TERMINAL).values_list("test_run", flat=True)) - {None}:
        cancel_run_and_judging(run_id=run, now=now)


_PROVEN = {
    AcceptanceVerdict.BETTER: OptimizationOutcome.BETTER,
    AcceptanceVerdict.NOT_SHOWN: OptimizationOutcome.NOT_SHOWN,
    AcceptanceVerdict.BLOCKED: OptimizationOutcome.BLOCKED,
}


def _fail(row: Optimization, state: OptimizationState, due: NextStep, now: datetime) -> None:
    end_optimization(row, OptimizationStatus.FAILED, now, error=due.why)


_DOES: Mapping[Step, Callable[[Optimization, OptimizationState, NextStep, datetime], None]] = {
    Step.WAIT: _wait,
    Step.ANALYSE: _analyse,
    Step.PROPOSE: _propose,
    Step.SETTLE: _settle,
    Step.TRY: _try,
    Step.SEARCH: _search,
    Step.COMBINE: _combine,
    Step.PROVE: _prove,
    Step.END: _end,
    Step.FAIL: _fail,
}


def _go_on(row: Optimization, **fields: object) -> None:
    Optimization.objects.filter(pk=row.pk).update(
        status=OptimizationStatus.RUNNING, attempts=0, waiting_for="", **fields
    )


def _pays(row: Optimization) -> bool:
    """Tell whether its budget pays for one more trial as forecast; what nobody can price is begun. Two queries."""
    expected = (row.forecast.get("trial") or {}).get("cost_usd")
    budget = Budget.objects.filter(pk=Scope(ScopeKind.PULL_REQUEST, row.budget_name).id).first()
    if expected is None or budget is None:
        return True
    limit = limits_in_force().of(budget)
    return limit is None or budget.spent_usd + Decimal(str(expected)) <= limit


def end_optimization(
    row: Optimization,
    to: OptimizationStatus,
    now: datetime,
    *,
    outcome: OptimizationOutcome | None = None,
    sentence: str = "",
    error: str = "",
) -> None:
    """End an optimization in the caller's transaction, which holds the row's lock.

    A failed one without an outcome is unmeasurable.
    """
    final = outcome or (OptimizationOutcome.UNMEASURABLE if to is OptimizationStatus.FAILED else None)
    Optimization.objects.advance(
        row.pk,
        expected=OPTIMIZATION_OPEN,
        to=to,
        outcome=final.value if final else "",
        sentence=sentence or error,
        error_message=error,
        waiting_for="",
        ended_at=now,
    )
    log_event(EventType.OPTIMIZATION_ENDED, optimization=str(row.pk), status=to.value, outcome=final and final.value)

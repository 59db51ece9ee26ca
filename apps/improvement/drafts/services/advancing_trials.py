"""Trials that are owed: start both sides once, and decide once when everything has ended.

Each step is one transaction under the trial's row lock, and asks no model: a worker that is killed leaves nothing
half-done, and the next tick does the step again. What plays and judges are the rows of runs and evaluations.
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.core.errors import RatibaError
from apps.core.events import EventType, log_event
from apps.evaluations.domain.states import EVALUATION_TERMINAL
from apps.evaluations.progress.services.wait import progress_of
from apps.evaluations.requests.services.creating import request_evaluation
from apps.improvement.domain.acceptance import Acceptance, decide
from apps.improvement.drafts.domain.decision_document import decision_document, without_small_groups
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.drafts.domain.trial_choices import TrialChoices
from apps.improvement.drafts.domain.trial_states import TRIAL_OPEN, SideName, TrialStatus
from apps.improvement.drafts.models import PromptDraft, Trial, TrialSide
from apps.improvement.drafts.queries.draft_status import status_of_draft
from apps.improvement.drafts.queries.shared_sides import play_the_same, side_to_share
from apps.improvement.drafts.queries.trial_pairs import trial_pairs
from apps.improvement.drafts.services.placing_families import spend_look
from apps.improvement.drafts.services.requesting_trials import budget_name_of, start_side
from apps.improvement.drafts.services.stopping_early import stop_if_futile
from apps.improvement.holdout.domain.parts import Part
from apps.jobs.row_errors import row_error
from apps.runs.domain.states import RUN_TERMINAL, RunStatus

MAX_ATTEMPTS = 20  # of one step; each waits for the next tick
NOTHING_COMPARED = "No conversation has a score with both prompts, so nothing was decided and no look is spent."


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSteps:
    """The steps that one visit took."""

    started: int = 0
    ended: int = 0


def advance_trials(*, now: datetime, most: int = 20) -> TrialSteps:
    """Take each open trial one step further where it can go: start it, or decide about it. Safe to repeat and to race.

    Some thirty queries to start one, twenty and 0.1 to 3 s to decide about one, eight where it waits.
    """
    started = ended = 0
    rows = Trial.objects.filter(status__in=TRIAL_OPEN).order_by("created_at").values_list("pk", "status")
    for pk, status in list(rows):
        if started + ended >= most:
            break
        if status == TrialStatus.PENDING:
            started += _step(pk, TrialStatus.PENDING, _start, now)
        else:
            ended += _step(pk, TrialStatus.RUNNING, _decide, now)
    return TrialSteps(started=started, ended=ended)


def _step(pk: uuid.UUID, status: TrialStatus, step: Callable[[Trial, datetime], bool], now: datetime) -> bool:
    """One step, alone and whole. One that cannot be done says why, and keeps back no other."""
    try:
        with transaction.atomic():
            rows = Trial.objects.select_related("draft").select_for_update(skip_locked=True, of=("self",))
            row = rows.filter(pk=pk, status=status).first()
            return row is not None and step(row, now)
    except RatibaError as error:
        return _fail(pk, status, error.message, now)
    except Exception as error:
        why = row_error(error).message
        if _lost(pk, status) >= MAX_ATTEMPTS:
            return _fail(pk, status, why, now)
        Trial.objects.filter(pk=pk, status=status).update(waiting_for=f"the next try: {why}"[:200])
        return False


def _lost(pk: uuid.UUID, status: TrialStatus) -> int:
    row = Trial.objects.filter(pk=pk, status=status).only("attempts").first()
    if row is None:
        return 0
    Trial.objects.filter(pk=pk).update(attempts=row.attempts + 1)
    return row.attempts + 1


def _start(row: Trial, now: datetime) -> bool:
    """Every side's run and the evaluation of it, in one transaction: all of them or none. The live side that an earlier
    draft of the round was compared with is not played again."""
    choices = TrialChoices(
        evaluator_config=row.evaluator_config,
        part=Part(row.part),
        personas=row.personas,
        repeats=row.repeats,
        seed=row.seed,
        agent=row.agent,
    )
    sides = list(row.sides.select_related("prompt").order_by("id"))
    shared = {side.pk: there for side in sides if (there := side_to_share(row, side)) is not None}
    for side in sides:
        if side.pk not in shared:
            _start_side(row, side, choices, now)
    draft = next(side for side in sides if side.side == SideName.DRAFT)
    for side in sides:
        side_run = shared.get(side.pk)
        if side_run is not None and play_the_same(side_run.run, draft.test_run_id):
            _write_side(side, side_run.run, side_run.evaluation)
        elif side_run is not None:
            _start_side(row, side, choices, now)
    Trial.objects.advance(
        row.pk, expected=TrialStatus.PENDING, to=TrialStatus.RUNNING, started_at=now, waiting_for="", attempts=0
    )
    log_event(EventType.TRIAL_STARTED, trial=str(row.pk), sides=row.sides.count())
    return True


def _start_side(row: Trial, side: TrialSide, choices: TrialChoices, now: datetime) -> None:
    budget = budget_name_of(row)
    how = {"pull_request": budget} if budget else {}
    by = f"trial {row.pk}"
    run = start_side(
        side.prompt.version,
        choices,
        agent=row.agent,
        scenarios=row.scenarios,
        now=now,
        name=f"{side.side} side of a trial: {side.prompt.version}",
        triggered_by=by,
        pull_request=budget,
    )
    judged = request_evaluation(config=row.evaluator_config, run_id=run, now=now, triggered_by=by, how=how)
    for config in row.further_configs:
        request_evaluation(config=config, run_id=run, now=now, triggered_by=by, how=how)
    _write_side(side, run, judged.evaluation_id)


def _write_side(side: TrialSide, run: uuid.UUID, evaluation: uuid.UUID) -> None:
    TrialSide.objects.filter(pk=side.pk, test_run__isnull=True).update(test_run=run, evaluation=evaluation)
    side.test_run_id = run


def _decide(row: Trial, now: datetime) -> bool:
    """Once everything has ended: the pairs, the one decision, the look that it spends."""
    sides = list(row.sides.select_related("test_run", "evaluation"))
    waits = _waits(sides)
    early = bool(waits) and row.futility and stop_if_futile(row, sides, now)
    if waits and not early:
        Trial.objects.filter(pk=row.pk).exclude(waiting_for=waits).update(waiting_for=waits)
        return False
    if not early and any(side.test_run.status == RunStatus.CANCELLED for side in sides):
        end_without_decision(row, TrialStatus.CANCELLED, "A run of it was cancelled.", now)
        return True
    pairs = trial_pairs(row.pk)
    if not any(pair["live"] is not None and pair["draft"] is not None for pair in pairs):
        end_without_decision(row, TrialStatus.FAILED, NOTHING_COMPARED, now)
        return True
    _store(row, pairs, now, early=early)
    return True


def _waits(sides: Sequence[TrialSide]) -> str:
    """The parts of a trial that have not ended yet, in words; "" where all have."""
    open_sides = [
        side
        for side in sides
        if side.evaluation.status not in EVALUATION_TERMINAL or side.test_run.status not in RUN_TERMINAL
    ]
    if not open_sides:
        return ""
    progress = progress_of(
        run_ids=[side.test_run.pk for side in sides], evaluation_ids=[side.evaluation.pk for side in sides]
    )
    if progress.stopped:
        return f"money: {progress.stopped}"[:200]
    return f"{progress.total - progress.done} of {progress.total} conversations and judgements"


def _store(row: Trial, pairs: Sequence[dict[str, Any]], now: datetime, *, early: bool) -> None:
    look = spend_look(row) if row.part == Part.HOLD_OUT else None
    decision = decide(pairs, look=look or 1, block_points=row.block_points, seed=row.seed)
    document = decision_document(decision)
    Trial.objects.advance(
        row.pk,
        expected=TrialStatus.RUNNING,
        to=TrialStatus.COMPLETED,
        look=look,
        decision={**(document if look is None else without_small_groups(document)), "stopped_early": early},
        sentence=_sentence(decision, Part(row.part), early=early),
        decided_at=now,
        ended_at=now,
        waiting_for="",
    )
    PromptDraft.objects.advance(row.draft_id, expected=DraftStatus.IN_TRIAL, to=status_of_draft(row.draft_id))
    log_event(EventType.TRIAL_ENDED, trial=str(row.pk), verdict=decision.verdict.value, look=look)


def _sentence(decision: Acceptance, part: Part, *, early: bool) -> str:
    """A part that spends no look proves nothing, whatever its figures say."""
    if part is Part.HOLD_OUT:
        return decision.sentence
    if early:
        return f"Stopped early, since it would not have scored higher: {decision.sentence}"
    return f"Of the part {part.value}, which proves nothing: {decision.sentence}"


def end_without_decision(row: Trial, to: TrialStatus, why: str, now: datetime) -> None:
    """End a trial without a decision, in the caller's transaction, which holds the row's lock.

    A look is spent where anything of the hold-out could be seen: a scored conversation of the draft.
    """
    look = None
    if row.part == Part.HOLD_OUT and to is TrialStatus.CANCELLED and _was_seen(row):
        look = spend_look(row)
        why = f"{why} Conversations of the draft were scored by then, so look {look} is spent."
    Trial.objects.advance(
        row.pk, expected=TRIAL_OPEN, to=to, look=look, error_message=why, ended_at=now, waiting_for=""
    )
    PromptDraft.objects.advance(row.draft_id, expected=DraftStatus.IN_TRIAL, to=status_of_draft(row.draft_id))
    log_event(EventType.TRIAL_ENDED, trial=str(row.pk), verdict=to.value, look=look)


def _was_seen(row: Trial) -> bool:
    return any(pair["draft"] is not None for pair in trial_pairs(row.pk))


@transaction.atomic
def _fail(pk: uuid.UUID, status: TrialStatus, why: str, now: datetime) -> bool:
    row = Trial.objects.select_for_update().filter(pk=pk, status=status).first()
    if row is not None:
        end_without_decision(row, TrialStatus.FAILED, why, now)
    return row is not None

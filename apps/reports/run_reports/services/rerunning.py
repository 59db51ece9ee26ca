"""Playing part of an earlier run again: what errored, what failed, what nobody could decide, what was cancelled."""

import uuid
from dataclasses import replace
from datetime import datetime

from apps.checks.queries.check_results import results_in_force
from apps.core.errors import BadInput, Conflict, NotFound
from apps.evaluations.domain.states import EvaluationStatus, JudgementStatus
from apps.evaluations.figures.queries.uncertainty import uncertainties_of
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.progress.services.rerun import Repeated, play_from_turn, rerun
from apps.runs.models import Conversation
from apps.runs.playing.queries.progress import find_run
from apps.statistics.decision import Decision

PARTS = ("errored", "failed", "undecided", "cancelled")
BY_VERDICT = {"failed": Decision.FAIL, "undecided": Decision.UNDECIDED}


def rerun_part(
    *, run_id: uuid.UUID, only: str, now: datetime, evaluation_id: uuid.UUID | None = None, triggered_by: str = ""
) -> Repeated:
    """Exactly these conversations of the run again, in a new run that names it in its plan (`from`, `only`).

    `errored`: failed or timed out through no fault of the agent; what was played and only lacks a judgement is judged
    again instead. `failed`: the agent's fault, a conversation whose verdict is "fail", a check that fails. `undecided`:
    a verdict whose interval straddles the mark, or a check that cannot tell. `cancelled`: what a cancelled run had not
    played to its end. Verdicts are those of one evaluation: `evaluation_id`, else the newest completed one of the run;
    its config is the answer's `evaluator_config`, for the caller to judge the new run with.

    Raises what `rerun` raises; BadInput (`/only`) for another part, (`/evaluation`) for an evaluation of another run;
    Conflict (`evaluation_not_completed`) for one that has no verdicts yet. Some fifteen queries.
    """
    if only not in PARTS:
        raise BadInput(f"only must be {', '.join(PARTS[:-1])} or {PARTS[-1]}, not {only!r}", pointer="/only")
    find_run(run_id)
    evaluation = _evaluation_of_verdicts(run_id, evaluation_id)
    also: set[uuid.UUID] = set()
    if outcome := BY_VERDICT.get(only):
        also |= set(results_in_force(run_id=run_id, outcome=outcome).values_list("conversation_id", flat=True))
        if evaluation is not None:
            also |= conversations_that(evaluation, outcome)
    done = rerun(run_id=run_id, only=only, also=also, now=now, triggered_by=triggered_by)
    return replace(done, evaluator_config=evaluation.config_ref if evaluation else "")


def rerun_from_turn(
    *,
    conversation_id: uuid.UUID,
    turn: int,
    repeats: int = 1,
    now: datetime,
    of_run: uuid.UUID | None = None,
    triggered_by: str = "",
) -> Repeated:
    """Start a new run of one battle that goes its own way from that turn on.

    It is a `play_from_turn`, whose errors these are; its `evaluator_config` is that of the newest completed evaluation
    of the conversation's run. Raises NotFound where the conversation is none of `of_run`.
    """
    run_id = Conversation.objects.filter(pk=conversation_id).values_list("run_id", flat=True).first()
    if run_id is None or of_run not in (None, run_id):
        raise NotFound(f"There is no conversation {conversation_id}{f' in run {of_run}' if of_run else ''}.")
    again = play_from_turn(
        conversation_id=conversation_id, turn=turn, repeats=repeats, now=now, triggered_by=triggered_by
    )
    evaluation = _evaluation_of_verdicts(run_id, None)
    return Repeated(run_id=again, evaluator_config=evaluation.config_ref if evaluation else "")


def conversations_that(evaluation: Evaluation, outcome: Decision) -> set[uuid.UUID]:
    """The conversations whose verdict by this evaluation is `outcome`. Five queries."""
    doubts = uncertainties_of(evaluation)
    judged = Judgement.objects.filter(evaluation=evaluation, status=JudgementStatus.SCORED)
    conversations: set[uuid.UUID] = set()
    for one in judged.select_related("conversation").prefetch_related("scores").defer("raw_reply"):
        verdict = doubts.of_judgement(list(one.scores.all()), blame=one.conversation.blame)
        if verdict is not None and verdict.decision is outcome:
            conversations.add(one.conversation_id)
    return conversations


def _evaluation_of_verdicts(run_id: uuid.UUID, evaluation_id: uuid.UUID | None) -> Evaluation | None:
    """The evaluation whose verdicts and config are followed, None where the run has none that is completed."""
    of_run = Evaluation.objects.filter(run_id=run_id)
    if evaluation_id is None:
        return of_run.filter(status=EvaluationStatus.COMPLETED).order_by("-created_at", "-id").first()
    evaluation = of_run.filter(pk=evaluation_id).first()
    if evaluation is None:
        raise BadInput(f"Run {run_id} has no evaluation {evaluation_id}: name one of this run.", pointer="/evaluation")
    if evaluation.status != EvaluationStatus.COMPLETED:
        raise Conflict(
            f"Evaluation {evaluation_id} is {evaluation.status}: it has no verdicts to follow until it is completed.",
            code="evaluation_not_completed",
        )
    return evaluation

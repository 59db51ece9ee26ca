"""Playing part of an earlier run again: what errored, what failed, what nobody could decide."""

import uuid
from datetime import datetime

from apps.checks.queries.check_results import results_in_force
from apps.core.errors import BadInput
from apps.evaluations.domain.states import EvaluationStatus, JudgementStatus
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.services.rerun import Repeated, rerun
from apps.reports.queries.uncertainty import uncertainties_of
from apps.runs.queries.progress import find_run
from apps.statistics.decision import Decision

PARTS = ("errored", "failed", "undecided")


def rerun_part(*, run_id: uuid.UUID, only: str, now: datetime, triggered_by: str = "") -> Repeated:
    """Exactly these conversations of the run again, in a new run that names it in its plan (`from`, `only`).

    `errored`: failed or timed out through no fault of the agent; what was played and only lacks a judgement is judged
    again instead. `failed`: the agent's fault, a criterion below its mark, a check that fails. `undecided`: a verdict
    whose interval straddles the mark, or a check that cannot tell. Raises what `rerun` raises, BadInput (`/only`) for
    another part. Nine queries, and five for each evaluation where `undecided` is asked for.
    """
    if only not in PARTS:
        raise BadInput(f"only must be {', '.join(PARTS[:-1])} or {PARTS[-1]}, not {only!r}", pointer="/only")
    find_run(run_id)
    also: set[uuid.UUID] = set()
    if only != "errored":
        outcome = Decision.FAIL if only == "failed" else Decision.UNDECIDED
        also |= set(results_in_force(run_id=run_id, outcome=outcome).values_list("conversation_id", flat=True))
    if only == "undecided":
        also |= undecided_conversations(run_id)
    return rerun(run_id=run_id, only=only, also=also, now=now, triggered_by=triggered_by)


def undecided_conversations(run_id: uuid.UUID) -> set[uuid.UUID]:
    """Those that an evaluation of the run cannot decide."""
    found: set[uuid.UUID] = set()
    for evaluation in Evaluation.objects.filter(run_id=run_id, status=EvaluationStatus.COMPLETED):
        doubts = uncertainties_of(evaluation)
        judged = Judgement.objects.filter(evaluation=evaluation, status=JudgementStatus.SCORED)
        for one in judged.select_related("conversation").prefetch_related("scores").defer("raw_reply"):
            uncertainty = doubts.of_judgement(list(one.scores.all()), blame=one.conversation.blame)
            if uncertainty is not None and uncertainty.decision is Decision.UNDECIDED:
                found.add(one.conversation_id)
    return found

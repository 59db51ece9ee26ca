"""Keep beside a decided gate what became of altered scenarios as the commit itself has them."""

import uuid
from datetime import datetime

from django.db import IntegrityError, transaction

from apps.budgets.queries import spent_on_run
from apps.core.errors import BadInput, Conflict
from apps.evaluations.models import Evaluation
from apps.gates.domain.gate_states import GateStatus
from apps.gates.domain.measurability import same_commit
from apps.gates.domain.must_not import held_to_must_not
from apps.gates.domain.own_versions import own_version_rows
from apps.gates.models import GateOwnVersions, PullRequestGate
from apps.gates.queries.gates import find_gate
from apps.gates.queries.side_facts import commit_of, read_gate_side
from apps.gates.services.deciding import still_to_come
from apps.gates.services.requesting import evaluation_of_agent

REASON_CHARS = 300


def add_own_versions(
    gate_id: uuid.UUID | str, *, evaluation: uuid.UUID | str | None = None, left_out: str = "", now: datetime
) -> None:
    """Add the commit's own versions of altered scenarios: their evaluation, or why none was played.
    Once a gate; does not change its decision. Some 25 queries.

    Raises NotFound; BadInput `played_or_left_out` without exactly one of the two, `other_agent`, `other_commit`, and
    `same_evaluation` where the gate was decided by it; Conflict `not_decided`, `not_ended`, `added_already`.
    """
    if (evaluation is None) is not bool(left_out):
        raise BadInput("Name the evaluation, or say why nothing was played.", code="played_or_left_out")
    gate = find_gate(gate_id)
    if gate.status != GateStatus.DECIDED:
        raise Conflict(f"The gate {gate.pk} is not decided yet; it waits for {gate.waiting_for}.", code="not_decided")
    own_evaluation = None if evaluation is None else _evaluation(evaluation, gate)
    cases = [] if own_evaluation is None else _cases(own_evaluation, gate, now)
    try:
        with transaction.atomic():
            GateOwnVersions.objects.create(
                gate=gate,
                evaluation=own_evaluation,
                cases=cases,
                cost_usd=0 if own_evaluation is None else spent_on_run(own_evaluation.run_id).known_usd,
                left_out=left_out[:REASON_CHARS],
            )
    except IntegrityError as error:
        raise Conflict(f"The gate {gate.pk} has its own versions already.", code="added_already") from error


def _evaluation(named: uuid.UUID | str, gate: PullRequestGate) -> Evaluation:
    """The evaluation of this agent at this commit: it has ended and is none that decided."""
    pointer = "/evaluation"
    evaluation = evaluation_of_agent(named, pointer, agent=gate.agent)
    played = commit_of(evaluation)
    if not played or not same_commit(played, gate.commit):
        message = (
            f"That evaluation is of {f'commit {played[:12]}' if played else 'no commit'}, not of {gate.commit[:12]}."
        )
        raise BadInput(message, code="other_commit", pointer=pointer)
    before: PullRequestGate | None = gate
    while before is not None:
        if evaluation.pk in (before.candidate_id, before.baseline_id):
            raise BadInput("The gate was decided by that evaluation.", code="same_evaluation", pointer=pointer)
        before = before.before
    waits = still_to_come("commit's own versions", evaluation)
    if waits:
        raise Conflict(f"{waits[:1].upper()}{waits[1:]}.", code="not_ended")
    return evaluation


def _cases(evaluation: Evaluation, gate: PullRequestGate, now: datetime) -> list[dict[str, object]]:
    own, deciding = read_gate_side(evaluation, now=now), read_gate_side(gate.candidate, now=now)
    return own_version_rows(held_to_must_not(own, None)[0].trials, held_to_must_not(deciding, None)[0].trials)

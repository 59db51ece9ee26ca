"""Pay the gates that are owed: read both sides, decide, and keep the answer."""

import uuid
from datetime import datetime

from django.db import transaction

from apps.budgets.domain.scopes import Scope, ScopeKind
from apps.budgets.queries import spent_on_run
from apps.budgets.queries.standing import standing_of
from apps.checks.queries.check_results import pending_checks
from apps.core.events import EventType, log_event
from apps.evaluations.domain.states import EVALUATION_TERMINAL, JudgementStatus
from apps.evaluations.models import Evaluation, Judgement
from apps.gates.domain.decision import decide_gate
from apps.gates.domain.gate_document import gate_answer, gate_digest
from apps.gates.domain.gate_states import GateStatus
from apps.gates.domain.measurability import GateMoney
from apps.gates.domain.policy import read_policy
from apps.gates.models import PullRequestGate
from apps.gates.queries.side_facts import read_gate_side
from apps.runs.domain.states import RUN_TERMINAL

MOST = 20  # at one visit; the next tick takes the others


def decide_due_gates(*, now: datetime, gate_id: uuid.UUID | None = None) -> int:
    """Decide the gates whose evaluations and checks have ended, the oldest first, or the one named; how many.

    Each in a transaction of its own under its row's lock: two workers decide one gate once. About twenty queries and
    0.1 to 2 s a gate; one or two for each that still waits. No model is asked.
    """
    owed = PullRequestGate.objects.filter(status=GateStatus.PENDING).order_by("created_at")
    ids = owed.filter(pk=gate_id) if gate_id else owed
    return sum(_decide(pk, now=now) for pk in list(ids.values_list("pk", flat=True)[:MOST]))


def _decide(pk: uuid.UUID, *, now: datetime) -> bool:
    with transaction.atomic():
        rows = PullRequestGate.objects.select_related("candidate__run", "baseline__run")
        row = rows.select_for_update(skip_locked=True, of=("self",)).filter(pk=pk, status=GateStatus.PENDING).first()
        if row is None:
            return False
        if waits := _still_to_come(row):
            PullRequestGate.objects.filter(pk=pk).exclude(waiting_for=waits).update(waiting_for=waits)
            return False
        _store(row, now)
    log_event(EventType.GATE_DECIDED, gate=str(pk), decision=row.decision, why=row.why, agent=row.agent)
    return True


def _still_to_come(row: PullRequestGate) -> str:
    """What has not ended yet, in words; "" where everything has."""
    for name, evaluation in (("candidate", row.candidate), ("baseline", row.baseline)):
        if evaluation is None:
            continue
        if evaluation.status not in EVALUATION_TERMINAL:
            return f"the {name}'s evaluation is {evaluation.status}"
        if evaluation.run.status not in RUN_TERMINAL:
            return f"the {name}'s run is {evaluation.run.status}"
        pending, waits = pending_checks(run_id=evaluation.run_id)
        if pending:
            return f"{pending} conversations of the {name} are not checked yet{f' ({waits})' if waits else ''}"[:200]
    return ""


def _store(row: PullRequestGate, now: datetime) -> None:
    candidate = read_gate_side(row.candidate, now=now)
    baseline = read_gate_side(row.baseline, now=now) if row.baseline else None
    money = _money(row, now)
    decided = decide_gate(
        candidate=candidate,
        baseline=baseline,
        policy=read_policy(row.policy),
        base_commit=row.base_commit,
        money=money,
    )
    answer = gate_answer(decided, candidate=candidate, baseline=baseline, policy=row.policy)
    row.digest = gate_digest(answer)
    row.document = {
        **answer,
        "cost_usd": round(money.spent_usd, 6),
        "answers_from_cache": _from_cache(row.candidate),
        "baseline_age_s": baseline.age_s if baseline else None,
    }
    row.decision, row.why, row.sentence = decided.decision, decided.why, decided.sentence
    row.status, row.waiting_for, row.decided_at = GateStatus.DECIDED, "", now
    row.save()


def _money(row: PullRequestGate, now: datetime) -> GateMoney:
    """Of the pull request where it is named (its re-runs too), else of the candidate's run."""
    limit = None if row.budget_usd is None else float(row.budget_usd)
    if row.pull_request:
        (budget,) = standing_of([Scope(ScopeKind.PULL_REQUEST, row.pull_request)], now=now)
        if limit is None and budget.limit is not None:
            limit = float(budget.limit)
        if budget.spent:
            return GateMoney(spent_usd=float(budget.spent), limit_usd=limit)
    return GateMoney(spent_usd=float(spent_on_run(row.candidate.run_id).cost_usd), limit_usd=limit)


def _from_cache(evaluation: Evaluation) -> int:
    return Judgement.objects.filter(evaluation=evaluation, status=JudgementStatus.SCORED, from_cache=True).count()

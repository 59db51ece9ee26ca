"""Pay the gates that are owed: read both sides, decide, and keep the answer."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import islice

from django.db import transaction

from apps.budgets.domain.scopes import Scope, ScopeKind
from apps.budgets.queries.statuses import budget_statuses_of
from apps.catalog.configs.queries.criterion_titles import criterion_titles
from apps.catalog.configs.queries.judges import OFFLINE
from apps.checks.queries.check_results import pending_checks
from apps.core.events import EventType, log_event
from apps.core.plurals import many
from apps.evaluations.domain.states import EVALUATION_TERMINAL, JudgementStatus
from apps.evaluations.figures.queries.second_opinions import left_out_for_budget
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.progress.services.wait import progress_of
from apps.gates.domain.asserting_less import asserted_cases, asserts_less, gutted_reasons
from apps.gates.domain.decision import GateDecision, decide_gate
from apps.gates.domain.drifting import drift_of
from apps.gates.domain.gate_document import gate_answer, gate_digest
from apps.gates.domain.gate_states import GateKind, GateStatus
from apps.gates.domain.guarded_costs import timed_together
from apps.gates.domain.judging_changes import new_cases, read_changes, tampered
from apps.gates.domain.measurability import GateMoney, GateReason, tampered_reasons
from apps.gates.domain.must_not import held_to_must_not, not_played
from apps.gates.domain.policy import GatePolicy, read_policy
from apps.gates.domain.side import GateSide, compared_scores, with_repeats, with_replays
from apps.gates.models import PullRequestGate
from apps.gates.queries.asserted import held_assertions, oldest_scores
from apps.gates.queries.gate_cost import candidates_of, spent_on_gate
from apps.gates.queries.prevented import without_archived
from apps.gates.queries.side_facts import read_gate_side, runner_mark
from apps.gates.services.counting_prevented import count_prevented
from apps.jobs.row_errors import row_error
from apps.runs.domain.states import RUN_TERMINAL
from apps.statistics.decision import Decision

MOST = 20  # are decided at one visit; the next tick takes the others


def decide_due_gates(*, now: datetime, gate_id: uuid.UUID | None = None) -> int:
    """Decide gates whose evaluations and checks have ended, oldest first, or one gate; return how many.

    Each in a transaction of its own under its row's lock: two workers decide one gate once. About twenty queries and
    0.1 to 2 s a gate; one or two for each that still waits. No model is asked.
    """
    owed = PullRequestGate.objects.filter(status=GateStatus.PENDING).order_by("created_at")
    ids = owed.filter(pk=gate_id) if gate_id else owed
    decided = (pk for pk in list(ids.values_list("pk", flat=True)) if _decide_alone(pk, now=now))
    return sum(1 for _ in islice(decided, MOST))


def _decide_alone(pk: uuid.UUID, *, now: datetime) -> bool:
    """Tell whether the gate is decided now. One that cannot be stays pending, says why, and keeps back no other."""
    try:
        return _decide(pk, now=now)
    except Exception as error:
        why = f"it cannot be decided: {row_error(error).message}"[:200]
        PullRequestGate.objects.filter(pk=pk, status=GateStatus.PENDING).update(waiting_for=why)
        return False


def _decide(pk: uuid.UUID, *, now: datetime) -> bool:
    with transaction.atomic():
        rows = PullRequestGate.objects.select_related("candidate__run", "baseline__run", "first_look", "replays_of")
        row = rows.select_for_update(skip_locked=True, of=("self",)).filter(pk=pk, status=GateStatus.PENDING).first()
        if row is None:
            return False
        progress = _progress(row)
        if progress.waits:
            PullRequestGate.objects.filter(pk=pk).exclude(waiting_for=progress.waits).update(waiting_for=progress.waits)
            return False
        _store(row, progress, now)
    log_event(EventType.GATE_DECIDED, gate=str(pk), decision=row.decision, why=row.why, agent=row.agent)
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Progress:
    """Progress of a gate.

    `waits` says what has not ended yet, "" where nothing is left; `stopped` are the evaluations whose rest waits for
    money: they end for this gate as they are.
    """

    waits: str = ""
    stopped: frozenset[uuid.UUID] = frozenset()


def _progress(row: PullRequestGate) -> _Progress:
    stopped = set()
    for name, evaluation in (("candidate", row.candidate), ("baseline", row.baseline)):
        if evaluation is None:
            continue
        waits = still_to_come(name, evaluation)
        if waits and progress_of(run_ids=[evaluation.run_id], evaluation_ids=[evaluation.pk]).stopped:
            stopped.add(evaluation.pk)
        elif waits:
            return _Progress(waits=waits[:200])
    return _Progress(stopped=frozenset(stopped))


def still_to_come(name: str, evaluation: Evaluation) -> str:
    """The parts of this evaluation, its run and its checks that have not ended yet, in words; "" where all have. One
    query."""
    if evaluation.status not in EVALUATION_TERMINAL:
        return f"the {name}'s evaluation is {evaluation.status}"
    if evaluation.run.status not in RUN_TERMINAL:
        return f"the {name}'s run is {evaluation.run.status}"
    pending, waits = pending_checks(run_id=evaluation.run_id)
    why = f" ({waits})" if waits else ""
    return f"{many(pending, 'conversation')} of the {name} not checked yet{why}" if pending else ""


def _side(evaluation: Evaluation, progress: _Progress, now: datetime) -> GateSide:
    return read_gate_side(evaluation, now=now, stopped_by_budget=evaluation.pk in progress.stopped)


def _store(row: PullRequestGate, progress: _Progress, now: datetime) -> None:
    candidate, baseline = held_to_must_not(*_sides(row, progress, now), own=row.acceptance_id is not None)
    if row.acceptance_id is not None:  # a curator has looked at what the change brings
        candidate = replace(candidate, said=replace(candidate.said, addressing=0, hiding=0, quoting=()))
    spent = spent_on_gate(row)
    own_cost = float(spent.known_usd)
    money = _money(row, now, own_cost)
    asserted = asserted_cases(candidate, _brought(row))
    decided = _decision(row, candidate, baseline, money, asserted, now)
    answer = gate_answer(decided, candidate=candidate, baseline=baseline, policy=row.policy)
    row.digest = gate_digest(answer)
    row.document = {
        **answer,
        "cost_usd": round(money.spent_usd, 6),
        "candidate_cost_usd": round(own_cost, 6),
        "model_calls": spent.calls,
        "calls_without_price": spent.unpriced,
        "answers_from_cache": _from_cache(candidates_of(row)),
        "not_cross_checked": sum(left_out_for_budget(evaluation) for evaluation in candidates_of(row)),
        "baseline_age_s": baseline.age_s if baseline else None,
        "baseline_beside": _baseline_beside(row),
        "prevented": count_prevented(row, decided, candidate),
        "asserted": {case: len(digests) for case, digests in asserted.items()},
        "assertions": asserted,
        "baseline_scores": {"judge": baseline.fingerprint, "cases": compared_scores(baseline)} if baseline else None,
    }
    row.decision, row.why, row.sentence = decided.decision, decided.why, decided.sentence
    row.status, row.waiting_for, row.decided_at = GateStatus.DECIDED, "", now
    row.save()


def _baseline_beside(row: PullRequestGate) -> str:
    """Return the commit that the first request's baseline was played for, "" where it was stored.

    Cases that are played again beside it do not change that.
    """
    while row.before is not None:
        row = row.before
    return runner_mark(row.baseline, "beside") if row.baseline else ""


def _decision(
    row: PullRequestGate,
    candidate: GateSide,
    baseline: GateSide | None,
    money: GateMoney,
    asserted: Mapping[str, Sequence[str]],
    now: datetime,
) -> GateDecision:
    """Decide by the rule, the row's changes, and the facts that earlier gates held."""
    in_the_way = [*tampered_reasons(tampered(read_changes(row.changes))), *_remembered(row, candidate, asserted, now)]
    policy = read_policy(row.policy)
    decide = partial(
        decide_gate,
        candidate=candidate,
        baseline=baseline,
        policy=policy,
        base_commit=row.base_commit,
        money=money,
        new_cases=_brought(row),
        trusted=row.acceptance_id is not None or _judged_by_rules(row.candidate),
        not_played=_not_played(row, candidate, baseline),
        kind=GateKind(row.kind),
    )
    decided = decide(in_the_way=in_the_way)
    if decided.decision in (Decision.PASS, Decision.UNDECIDED) and (
        drifted := _drifted(row, candidate, baseline, policy, now)
    ):
        decided = decide(in_the_way=[*in_the_way, *drifted])
    return decided


def _brought(row: PullRequestGate) -> frozenset[str]:
    return new_cases(read_changes(row.changes)) if row.acceptance_id is None else frozenset()


def _remembered(
    row: PullRequestGate, candidate: GateSide, asserted: Mapping[str, Sequence[str]], now: datetime
) -> list[GateReason]:
    """Assertions that earlier gates held and this one does not: told among its changes, for a person to accept. Of a
    smoke test, which plays a part, in the cases that it plays; where a person accepted the change its own scenarios
    count."""
    if row.acceptance_id is not None:
        return []
    held = held_assertions(agent=row.agent, now=now)
    if row.kind != GateKind.BLOCKING:
        held = held.of_cases({trial.case for trial in candidate.trials})
    if (less := asserts_less(asserted, held)) is not None:
        row.changes = [*row.changes, less.as_json()]
    return gutted_reasons(asserted, held) if row.kind == GateKind.BLOCKING else []


def _drifted(
    row: PullRequestGate, candidate: GateSide, baseline: GateSide | None, policy: GatePolicy, now: datetime
) -> list[GateReason]:
    """Report scores lost step by step over earlier changes.

    They are told among its changes, and stop the gate where this change takes a part of them.
    """
    if row.acceptance_id is not None:
        return []
    since = oldest_scores(agent=row.agent, judge=candidate.fingerprint, now=now)
    drift = drift_of(candidate, baseline, since, policy)
    if drift is None:
        return []
    row.changes = [*row.changes, drift.change.as_json()]
    return drift.reasons(policy)


def _not_played(row: PullRequestGate, candidate: GateSide, baseline: GateSide | None) -> list[str]:
    """Scenarios with something that must not happen again, of the baseline alone, that no person archived. A smoke
    test plays a part, and where a person accepted the change its own scenarios count."""
    if row.kind != GateKind.BLOCKING or row.acceptance_id is not None:
        return []
    return without_archived(not_played(candidate, baseline))


def _sides(row: PullRequestGate, progress: _Progress, now: datetime) -> tuple[GateSide, GateSide | None]:
    """Both sides over everything that was played for this question: the gates before this one, and its own."""
    candidate = replace(_side(row.candidate, progress, now), titles=criterion_titles())
    baseline = _side(row.baseline, progress, now) if row.baseline else None
    if baseline is not None:
        candidate, baseline = timed_together(candidate, baseline)
    before = row.before
    if before is None or baseline is None:
        return candidate, baseline
    ours, theirs = _sides(before, progress, now)
    if theirs is None:
        return candidate, baseline
    if row.first_look_id is not None:
        return with_repeats(ours, candidate), with_repeats(theirs, baseline)
    times = {one["digest"]: one["times"] for one in before.document.get("play_again", ())}
    return with_replays(ours, candidate, times=times), with_replays(theirs, baseline, times=times)


def _judged_by_rules(evaluation: Evaluation) -> bool:
    judge = evaluation.snapshot.get("llm_config", {}).get("judge") or {}
    return bool(judge.get("provider") == OFFLINE.provider)


def _money(row: PullRequestGate, now: datetime, own_cost: float) -> GateMoney:
    """The money of the pull request where it is named (its re-runs too), else of the candidate's runs."""
    limit = None if row.budget_usd is None else float(row.budget_usd)
    if row.pull_request:
        (budget,) = budget_statuses_of([Scope(ScopeKind.PULL_REQUEST, row.pull_request)], now=now)
        if limit is None and budget.limit is not None:
            limit = float(budget.limit)
        if budget.spent:
            return GateMoney(spent_usd=float(budget.spent), limit_usd=limit)
    return GateMoney(spent_usd=own_cost, limit_usd=limit)


def _from_cache(evaluations: Sequence[Evaluation]) -> int:
    rows = Judgement.objects.filter(evaluation__in=evaluations, status=JudgementStatus.SCORED, from_cache=True)
    return rows.count()

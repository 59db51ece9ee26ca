"""Measuring conversations with metrics: one door for the command, the pytest plugin and whoever comes later.

Money is reserved before each batch and its calls are in the ledger (purpose `metric`) before the next one; what was
kept in `.deepeval-cache` costs nothing. Results are data: metrics keep their own scale, 0 to 1, and enter no mean of
criteria (docs/adr/0072).
"""

import asyncio
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from apps.budgets.domain.estimate import Estimate, History, cost_at_most, tokens_at_most
from apps.budgets.domain.purpose import Purpose
from apps.budgets.domain.sentences import SPENT_CODE
from apps.budgets.services import CallFor, LedgerCall, record_calls
from apps.budgets.services.metered_model import Opener
from apps.budgets.services.metered_run import MeteredJob, run_metered
from apps.budgets.services.reservations import BudgetReservations
from apps.budgets.services.reserving import ReservationRequest
from apps.catalog.configs.domain.snapshots import RoleModel
from apps.catalog.configs.queries.judges import model_in_force, with_models_in_force
from apps.catalog.configs.queries.versions import resolve_config
from apps.checks.metrics.base import MeasuredMetric, MetricError, NotApplicable
from apps.checks.metrics.judge_model import MAX_OUTPUT_TOKENS
from apps.checks.metrics.result import MetricResult
from apps.checks.services.metric_cache import MetricCache
from apps.checks.services.metric_judge import MeteredJudge, judge_version
from apps.checks.services.metric_tasks import Task
from apps.connectors.llms.base import LLM, Attempt
from apps.connectors.retry import RetryPolicy
from apps.core.digest import sha256_hex
from apps.core.redaction import redact, redact_value
from apps.core.usage import Usage
from apps.jobs.row_errors import row_error
from apps.runs.services.model_roles import models_of, retry_policy
from apps.statistics.decision import Decision, decide_check

AT_ONCE = 8
BATCH = 16
QUESTION_BYTES = 8_000  # what DeepEval's texts, our rubrics and the schema add to a conversation, generously


def judge_for_metrics(config: str = "") -> LLM | None:
    """The judge's model: of that evaluator config, else the tenant's. None for the offline rules, which answer no
    metric. At most four queries. Raises BadInput."""
    role = with_models_in_force(resolve_config(config)).llm_config["judge"] if config else model_in_force("judge")
    return None if role.provider == "offline" else models_of(_role(role))[0]


def measure(
    *,
    tasks: Sequence[Task],
    llm: LLM | None,
    cache: MetricCache,
    now: Callable[[], datetime],
    heartbeat: Callable[[], None] = lambda: None,
) -> list[MetricResult]:
    """Measure everything, in order. Never raises for what a model, a network or DeepEval does: that is in the results.

    Costs what `Metric.calls` says at most for each task; nothing for what is kept, and what facts decide. One
    transaction a batch. `heartbeat` extends the leases of whoever asks, every few seconds. Must not be called
    inside a transaction. Safe to repeat: what was answered is kept.
    """
    results: list[MetricResult] = []
    for start in range(0, len(tasks), BATCH):
        heartbeat()
        results += _batch(tasks[start : start + BATCH], llm, cache, now, heartbeat)
    return results


def _batch(
    tasks: Sequence[Task],
    llm: LLM | None,
    cache: MetricCache,
    now: Callable[[], datetime],
    heartbeat: Callable[[], None],
) -> list[MetricResult]:
    results: dict[int, MetricResult] = {}
    calls: list[LedgerCall] = []
    for at, task in enumerate(tasks):
        entry = _cached_entry(cache, task.key(llm)) if llm is not None else None
        hit = _from_cache(task, entry) if entry is not None else _not_here(task, llm)
        if hit is not None:
            results[at] = hit
            if hit.cached and llm is not None:
                calls.append(_hit_in_ledger(task, llm, entry))
    todo = [at for at in range(len(tasks)) if at not in results]
    record_calls(calls=calls)
    reservations = BudgetReservations(now=now)
    if llm is not None:
        reservations.history.load([llm.spec])
    history = reservations.history.paid
    requests = {at: _request(tasks[at], llm, history) for at in todo}
    try:
        refused = reservations.reserve(list(requests.values()))
        for at in todo:
            if requests[at].id in refused:
                results[at] = unmeasurable(tasks[at], SPENT_CODE, refused[requests[at].id].sentence)
        gate, retries = asyncio.Semaphore(AT_ONCE), retry_policy()  # read here: the loop sees no database
        measured = run_metered(
            {at: _job(tasks[at], llm, history, gate, retries) for at in todo if at not in results},
            reservations=reservations, concurrency=AT_ONCE, store=_record, heartbeat=heartbeat,
        )  # fmt: skip
    finally:
        reservations.release()
    for at, (result, _) in measured.items():
        results[at] = result
        _cache_result(tasks[at], result, llm, cache)
    return [_with_fingerprint(tasks[at], results[at], llm) for at in range(len(tasks))]


def _record(ended: Sequence[tuple[MetricResult, list[LedgerCall]]]) -> None:
    record_calls(calls=[call for _, calls in ended for call in calls])


def _with_fingerprint(task: Task, result: MetricResult, llm: LLM | None) -> MetricResult:
    """Bind a judge's result to the judge as asked and as it answered, and to every text that it read."""
    if llm is None or not result.judge:
        return result
    seen = {
        "judge": judge_version(llm.spec),
        "answered_by": result.judge,
        "metric": task.metric.id,
        "wording": task.metric.digest,
    }
    return replace(result, fingerprint=sha256_hex(seen))


def _job(
    task: Task, llm: LLM | None, history: History, gate: asyncio.Semaphore, retries: RetryPolicy
) -> MeteredJob[tuple[MetricResult, list[LedgerCall]]]:
    async def job(client: Any, opener: Opener) -> tuple[MetricResult, list[LedgerCall]]:
        if llm is None:
            return await _one(task, None)
        judge = MeteredJudge(
            llm=llm,
            policy=retries,
            client=client,
            gate=gate,
            call_for=_call_for(task),
            opener=opener,
            history=history,
        )
        return await _one(task, judge)

    return job


async def _one(task: Task, judge: MeteredJudge | None) -> tuple[MetricResult, list[LedgerCall]]:
    try:
        result = _scored(task, await task.metric.measure(task.case, judge))
    except NotApplicable as error:
        result = _skipped(task, str(error))
    except MetricError as error:
        attached = task.spec.attached and error.code == "no_judge"  # nobody asked for it by name
        result = _skipped(task, error.message) if attached else unmeasurable(task, error.code, error.message)
    except Exception as error:  # of this metric and conversation alone
        broken = row_error(error)
        result = unmeasurable(task, broken.code, broken.message)
    if judge is None:
        return result, []
    seen = replace(result, judge=judge.answered_by, calls=len(judge.calls), cost_usd=judge.cost_usd)
    return seen, judge.calls


def _blank(task: Task, outcome: Decision, **more: Any) -> MetricResult:
    share = task.case.shares.get(task.metric.language) if task.metric.language else None
    return MetricResult(
        conversation=task.case.id,
        metric=task.metric.name,
        version=task.metric.version,
        threshold=task.threshold,
        outcome=outcome,
        share=None if share is None else round(share, 4),
        attached=task.spec.attached,
        **more,
    )


def _scored(task: Task, measured: MeasuredMetric) -> MetricResult:
    return _blank(
        task,
        measured.decision or decide_check(measured.score, task.threshold),
        score=measured.score,
        reason=redact(measured.reason),
        evidence=tuple(redact_value(measured.evidence)),
        position=measured.position,
    )


def _skipped(task: Task, why: str) -> MetricResult:
    return _blank(task, decide_check(None, task.threshold, applies=False), reason=why)


def unmeasurable(task: Task, code: str, why: str) -> MetricResult:
    return _blank(task, decide_check(None, task.threshold), error=code, reason=redact(why))


def _not_here(task: Task, llm: LLM | None) -> MetricResult | None:
    """A fluency metric where the agent does not speak its language: no question, no line to miss."""
    language = task.metric.language
    if not language or language in task.case.shares:
        return None
    spoken = ", ".join(task.case.shares) or "no language we know"
    return _skipped(task, f"the agent speaks {spoken} here, not {language}")


def _from_cache(task: Task, entry: Any) -> MetricResult:
    """The cached result, decided by the threshold of today: the threshold is no part of the key."""
    if entry["score"] is None:
        return replace(_skipped(task, entry["reason"]), judge=entry["judge"], cached=True)
    return _blank(
        task,
        decide_check(entry["score"], task.threshold),
        score=entry["score"],
        reason=entry["reason"],
        evidence=tuple(entry["evidence"]),
        position=entry.get("position"),
        judge=entry["judge"],
        cached=True,
    )


def _cached_entry(cache: MetricCache, key: str) -> Any | None:
    """The cached entry, where it is one of ours: other tools may use the same folder and keys."""
    entry = cache.get(key)
    ours = isinstance(entry, dict) and {"score", "reason", "evidence", "judge", "cost_usd"} <= entry.keys()
    return entry if ours else None


def _cache_result(task: Task, result: MetricResult, llm: LLM | None, cache: MetricCache) -> None:
    """Scores and "not applicable" that a judge was asked for; never what could not be measured."""
    if llm is None or not result.calls or result.outcome is Decision.UNMEASURABLE:
        return
    cost = None if result.cost_usd is None else str(result.cost_usd)
    entry = {"score": result.score, "reason": result.reason, "evidence": list(result.evidence), "judge": result.judge}
    entry |= {"position": result.position} if result.position is not None else {}
    cache.put(task.key(llm), {**entry, "cost_usd": cost, "metric": task.metric.id})


def _hit_in_ledger(task: Task, llm: LLM, entry: Any) -> LedgerCall:
    spec = llm.spec
    attempt = Attempt(
        provider=spec.label,
        model=str(entry["judge"]).partition("/")[2],
        requested_model=spec.model,
        outcome="ok",
        usage=Usage(),
        cost_usd=Decimal(0),
        latency_ms=0,
    )
    call_for = _call_for(task)
    saved = None if entry["cost_usd"] is None else Decimal(entry["cost_usd"])
    return LedgerCall(call_for=call_for, attempt=attempt, cached=True, saved_usd=saved)


def _call_for(task: Task) -> CallFor:
    return CallFor(
        purpose=Purpose.METRIC,
        run_id=task.run_id,
        conversation_id=task.conversation_id,
        pull_request=task.pull_request,
        prompt_version=task.prompt_version,
    )


def _request(task: Task, llm: LLM | None, history: History) -> ReservationRequest:
    cost = _at_most(task, llm, history)
    return ReservationRequest(
        id=uuid.uuid4(),
        usd=cost.usd,
        run_id=task.run_id,
        pull_request=task.pull_request,
        price=cost.price,
        unpriced=cost.unpriced,
    )


def _at_most(task: Task, llm: LLM | None, history: History) -> Estimate:
    if llm is None:
        return Estimate()
    turns = sum(len(str(turn).encode("utf-8", "replace")) for turn in task.case.turns)
    facts = sum(len(fact.encode()) for fact in task.case.facts) + len(task.case.role.encode())
    size = tokens_at_most(turns + facts + QUESTION_BYTES) + MAX_OUTPUT_TOKENS  # a repeat quotes the first answer
    each = cost_at_most(llm.spec, input_tokens=size, output_tokens=MAX_OUTPUT_TOKENS, history=history)
    return each.times(task.metric.calls(task.case))


def _role(role: RoleModel) -> dict[str, Any]:
    return {"provider": role.provider, "model": role.model, "options": dict(role.options or {})}

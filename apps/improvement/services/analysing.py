"""The analyzer: owed as a row, paid by a worker, checked by us before anybody reads it (docs/adr/0073)."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from apps.budgets.domain.estimate import Estimate, History, max_cost, request_tokens
from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor, record_calls
from apps.budgets.services.metered_model import Opener
from apps.budgets.services.metered_run import MeteredJob, run_metered
from apps.budgets.services.reservations import BudgetReservations, next_try
from apps.budgets.services.reserving import ReservationRequest
from apps.connectors.llms.base import LLM
from apps.connectors.retry import RetryPolicy
from apps.core.events import EventType, log_event
from apps.core.models import new_id
from apps.core.redaction import redact
from apps.evaluations.domain.states import AnalysisStatus
from apps.evaluations.domain.warnings import ResultWarning, WarningCode, warning_fields
from apps.evaluations.models import Evaluation
from apps.evaluations.queries.results import criterion_results
from apps.evaluations.services.outcomes import mask_evidence
from apps.improvement.domain.analysis import (
    AnalysedConversation,
    Finding,
    checked,
    parts_of,
)
from apps.improvement.domain.analysis_prompt import MAX_OUTPUT_TOKENS, analysis_request, rendered
from apps.improvement.models import Analysis
from apps.improvement.queries.failing_conversations import failing_conversations
from apps.improvement.services.enqueue_analyses import analyzer_of
from apps.improvement.services.reading_parts import Part, PartReading, read_parts
from apps.jobs.domain.losses import loss_sentence, lost_before, lost_too_often
from apps.jobs.row_errors import row_error
from apps.jobs.services.leases import LeasedTable
from apps.runs.services.model_roles import models_of, retry_policy

LEASE = timedelta(minutes=10)  # longer than all parts with their repeats can take
ANALYSES = LeasedTable(table="improvement_analysis", lease=LEASE, also_set=", attempts = w.attempts + 1")


def pay_analyses(*, now: Callable[[], datetime], most: int = 10) -> int:
    """Pay what is owed, one after the other; how many ended here. No transaction is open while a model is asked.

    A worker that dies leaves a lease that ends; an analysis lost three times has failed. Safe to race.
    """
    ended = 0
    for _ in range(most):
        row = _claim(now())
        if row is None:
            break
        try:
            ended += _pay(row, now)
        except Exception as error:  # of this analysis alone: the others are paid
            ended += _end(row, now(), error=row_error(error).message)
    return ended


def _claim(now: datetime) -> Analysis | None:
    token = new_id()
    claimed = ANALYSES.claim(token=token, limit=1, now=now)
    if not claimed:
        return None
    return Analysis.objects.select_related("evaluation__run").get(pk=claimed[0][0])


def _pay(row: Analysis, now: Callable[[], datetime]) -> bool:
    if lost_too_often(lost_before(row.attempts)):
        return _end(row, now(), error=loss_sentence("analysing it"))
    if not row.analyzer:
        row.analyzer = analyzer_of(row.evaluation)
        Analysis.objects.filter(pk=row.pk, lease_token=row.lease_token).update(analyzer=row.analyzer)
    material = failing_conversations(row.evaluation_id)
    if not material.subjects:
        return _end(row, now(), notes=[_nothing_fails(material.unmarked)])
    primary, fallback = models_of(row.analyzer)
    requests = _requests(row.evaluation, material.subjects)
    reservations = BudgetReservations(holder=row.lease_token, now=now)
    reservations.history.load(llm.spec for llm in (primary, fallback) if llm is not None)
    history = reservations.history.paid
    try:
        refused = reservations.reserve([_reservation(row, [primary, fallback], requests, history)])
        if refused:
            return _wait(row, until=next_try(no := refused[row.pk], now=now()), why=no.sentence)
        retries = retry_policy()  # read here: the loop sees no database
        job = _reading_job(row, requests, primary, fallback, history, retries)
        reading = run_metered({row.pk: job}, reservations=reservations, concurrency=1)[row.pk]
        if reading.wait is not None:
            record_calls(calls=reading.calls)
            return _wait(row, until=now() + timedelta(seconds=reading.wait.retry_after), why="the model limits us")
        findings = checked(reading.claims, material.subjects, contradicting=reading.opposed)
        left = material.failing - len(material.subjects)
        if left:
            reading.notes.append(_worst_only(len(material.subjects), left))
        return _end(row, now(), reading=reading, findings=findings, read=len(material.subjects), of=material.failing,
                    parts=len(requests))  # fmt: skip
    finally:
        reservations.release()


def _reading_job(
    row: Analysis,
    parts: Sequence[Part],
    primary: LLM,
    fallback: LLM | None,
    history: History,
    retries: RetryPolicy,
) -> MeteredJob[PartReading]:
    criteria = [one["name"] for one in row.evaluation.snapshot["criteria"]]
    call_for = CallFor(purpose=Purpose.ANALYZER, run_id=row.evaluation.run_id, evaluation_id=row.evaluation_id)

    async def job(client: Any, opener: Opener) -> PartReading:
        return await read_parts(
            parts, criteria=criteria, primary=primary, fallback=fallback, call_for=call_for, client=client,
            opener=opener, history=history, retries=retries,
        )  # fmt: skip

    return job


def _nothing_fails(unmarked: Sequence[str]) -> ResultWarning:
    if not unmarked:
        text = "No conversation fails any criterion: there is nothing to find."
        return ResultWarning(code=WarningCode.NOTHING_FAILS, text=text)
    text = (
        f"Scored on a scale without a pass mark: {', '.join(unmarked)}. Nobody can tell what fails there, so "
        "nothing was read."
    )
    return ResultWarning(code=WarningCode.OWN_SCALE, text=text, names=unmarked)


def _worst_only(read: int, left: int) -> ResultWarning:
    text = f"The {read} worst were read; {left} more fail something too."
    return ResultWarning(code=WarningCode.WORST_ONLY, text=text, count=left)


def _requests(evaluation: Evaluation, subjects: Sequence[AnalysedConversation]) -> list[Part]:
    """One question a part, each with its own nonce."""
    snapshot = evaluation.snapshot
    means = {one.criterion: one.mean for one in criterion_results(evaluation.id)}
    criteria = [
        {
            "name": one["name"],
            "description": one["description"],
            "pass_mark": one["pass_mark"],
            "mean": means.get(one["name"]),
            "suggestion": one["scoring_guide"].get("10", ""),
        }
        for one in snapshot["criteria"]
    ]
    agent = evaluation.run.plan.get("agent") or {}
    found = []
    for part in parts_of(subjects, [len(rendered(subject, nonce="")) for subject in subjects]):
        nonce = secrets.token_hex(8)
        request = analysis_request(
            part=part,
            criteria=criteria,
            agent_prompt=str(evaluation.run.plan.get("prompt_text") or agent.get("profile") or ""),
            language=str(snapshot["parameters"].get("reason_language") or "en"),
            nonce=nonce,
            timeout_s=settings.MODEL_TIMEOUT_S,
        )
        found.append((nonce, request))
    return found


def _reservation(
    row: Analysis, models: Sequence[LLM | None], requests: Sequence[Part], history: History
) -> ReservationRequest:
    """At most: every part asked twice, and the joining question."""
    specs = [llm.spec for llm in models if llm is not None]
    each = [
        max_cost(specs, input_tokens=request_tokens(request), output_tokens=MAX_OUTPUT_TOKENS, history=history)
        for _, request in requests
    ]
    cost = sum(each, Estimate()).times(2) + max(each, key=lambda one: one.usd)
    return ReservationRequest(
        id=row.pk, usd=cost.usd, run_id=row.evaluation.run_id, price=cost.price, unpriced=cost.unpriced
    )


def _wait(row: Analysis, *, until: datetime, why: str) -> bool:
    Analysis.objects.filter(pk=row.pk, lease_token=row.lease_token).update(
        not_before=until, waiting_for=why[:200], lease_token=None, lease_expires_at=None, attempts=row.attempts - 1
    )
    return False


def _end(
    row: Analysis,
    now: datetime,
    *,
    reading: PartReading | None = None,
    findings: Sequence[Finding] = (),
    notes: Sequence[ResultWarning] = (),
    error: str = "",
    read: int = 0,
    of: int = 0,
    parts: int = 0,
) -> bool:
    """Write the end down with what it cost, in one transaction; False where somebody else was first."""
    failed = bool(error) or (reading is not None and reading.failed == parts > 0)
    model_fields: Mapping[str, Any] = {}
    if reading is not None and reading.answered is not None:
        model_fields = {"provider": reading.answered.response.provider, "model": reading.answered.response.model}
    with transaction.atomic():
        ended = Analysis.objects.filter(lease_token=row.lease_token).advance(
            row.pk,
            expected=AnalysisStatus.PENDING,
            to=AnalysisStatus.FAILED if failed else AnalysisStatus.COMPLETED,
            findings=[_masked(finding) for finding in findings],
            **warning_fields([*notes, *(reading.notes if reading else ())], name="notes"),
            error_message=error or ("No part could be analysed." if failed else ""),
            read=read,
            failing=of,
            parts=parts,
            ended_at=now,
            lease_token=None,
            lease_expires_at=None,
            waiting_for="",
            **model_fields,
        )
        if reading is not None:
            record_calls(calls=reading.calls)
    log_event(EventType.ANALYSIS_ENDED, analysis=str(row.pk), evaluation=str(row.evaluation_id), failed=failed)
    return ended


def _masked(finding: Finding) -> dict[str, Any]:
    found = finding.as_json()
    texts = {name: redact(found[name]) for name in ("title", "suggestion")}
    return {**found, **texts, "evidence": mask_evidence(found["evidence"])}

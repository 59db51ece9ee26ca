"""The analyzer: owed as a row, paid by a worker, checked by us before anybody reads it (docs/adr/0073)."""

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor
from apps.budgets.services.paid_question import PaidReply
from apps.budgets.services.paid_rows import NO_ANSWER, Delay, PaidRows, PaidTask
from apps.budgets.services.paid_work import do_paid_work
from apps.core.events import EventType, log_event
from apps.core.question_secrets import fresh_nonce
from apps.core.redaction import redact
from apps.evaluations.domain.warnings import ResultWarning, WarningCode, warning_fields
from apps.evaluations.figures.queries.results import criterion_results
from apps.evaluations.judging.services.outcomes import mask_evidence
from apps.improvement.analysis.domain.findings import AnalysedConversation, Finding, checked, parts_of
from apps.improvement.analysis.domain.prompt import analysis_request, rendered
from apps.improvement.analysis.models import Analysis
from apps.improvement.analysis.queries.failing_conversations import Material, failing_conversations
from apps.improvement.analysis.services.enqueue_analyses import analyzer_of
from apps.improvement.analysis.services.reading_parts import Part, PartReading, PartsToRead
from apps.improvement.prompt_templates.domain.texts import ANALYZER_PURPOSES, TemplatePurpose, reason_language
from apps.improvement.prompt_templates.queries.versions import kept_texts, texts_in_force
from apps.jobs.services.leases import LeasedTable
from apps.jobs.worker_loop import LoopReport
from apps.runs.services.model_roles import models_of

SLICE = timedelta(minutes=3)


def pay_analyses(*, now: Callable[[], datetime], until: datetime | None = None) -> LoopReport:
    """Do the analyses that are due, one after the other, until that time. Safe to repeat and to race."""
    return do_paid_work(AnalysisRows(), now=now, until=until or now() + SLICE)


class AnalysisRows(PaidRows[Analysis]):
    """Analyses: the parts of one are asked about at once, and reserved for together."""

    table = LeasedTable(table="improvement_analysis", lease=timedelta(minutes=10), counter="attempts")
    doing = "analysing it"
    at_once = rows_at_once = 1

    def load(self, ids: Sequence[uuid.UUID]) -> Sequence[Analysis]:
        return list(Analysis.objects.filter(pk__in=ids).select_related("evaluation__run").order_by("created_at", "id"))

    def take_up(self, row: Analysis, now: datetime) -> PaidTask | None:
        _freeze(row)
        material = failing_conversations(row.evaluation_id, train_only=row.train_only)
        if not material.subjects:
            notes: dict[str, Any] = warning_fields([_nothing_fails(material.unmarked)], name="notes")
            self.end(row, now, **notes)
            return None
        question = PartsToRead(
            parts=_requests(row, material.subjects),
            language=_language(row),
            joining=kept_texts(row.templates, TemplatePurpose.JOIN, _language(row)),
            criteria=[criterion["name"] for criterion in row.evaluation.snapshot["criteria"]],
            models=models_of(row.analyzer),
            call_for=CallFor(
                purpose=Purpose.ANALYZER,
                run_id=row.evaluation.run_id,
                evaluation_id=row.evaluation_id,
                pull_request=row.budget_name,
            ),
        )
        return PaidTask(
            questions={row.pk: question},
            finish=lambda replies, at: self._store(row, len(question.parts), material, replies[row.pk], at),
        )

    def ended(self, row: Analysis, error: str) -> None:
        log_event(EventType.ANALYSIS_ENDED, analysis=str(row.pk), evaluation=str(row.evaluation_id), failed=bool(error))

    def _store(
        self, row: Analysis, parts: int, material: Material, reply: PaidReply[PartReading], now: datetime
    ) -> Delay | None:
        if reply.wait_s is not None:
            return self.wait(row, reply, now)
        reading = reply.value
        if reading is None:
            self.end(row, now, error=reply.error or NO_ANSWER)
        else:
            error = "No part could be analysed." if reading.failed == parts else ""
            self.end(row, now, error=error, parts=parts, **_columns(material, reading))
        return None


def _columns(material: Material, reading: PartReading) -> dict[str, Any]:
    """The row's columns for the analyzer's answers."""
    findings = checked(reading.claims, material.subjects, contradicting=reading.opposed)
    read, left = len(material.subjects), material.failing - len(material.subjects)
    notes = [*reading.notes, *([_worst_only(read, left)] if left else [])]
    answered = reading.answered
    model_columns = {"provider": answered.provider, "model": answered.model} if answered is not None else {}
    return {
        "findings": [_mask(finding) for finding in findings],
        "read": read,
        "failing": material.failing,
        **warning_fields(notes, name="notes"),
        **model_columns,
    }


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


def _freeze(row: Analysis) -> None:
    """Freeze the analyzer and its texts, where the row does not name them yet."""
    if row.analyzer and row.templates:
        return
    row.analyzer = row.analyzer or analyzer_of(row.evaluation)
    row.templates = row.templates or texts_in_force(ANALYZER_PURPOSES, _language(row))
    rows = Analysis.objects.filter(pk=row.pk, lease_token=row.lease_token)
    rows.update(analyzer=row.analyzer, templates=row.templates)


def _language(row: Analysis) -> str:
    return reason_language(row.evaluation.snapshot)


def _requests(row: Analysis, subjects: Sequence[AnalysedConversation]) -> list[Part]:
    """One question a part, each with its own nonce."""
    evaluation, snapshot = row.evaluation, row.evaluation.snapshot
    texts = kept_texts(row.templates, TemplatePurpose.ANALYZER, _language(row))
    means = {result.criterion: result.mean for result in criterion_results(evaluation.id)}
    criteria = [
        {
            "name": criterion["name"],
            "description": criterion["description"],
            "pass_mark": criterion["pass_mark"],
            "mean": means.get(criterion["name"]),
            "suggestion": criterion["scoring_guide"].get("10", ""),
        }
        for criterion in snapshot["criteria"]
    ]
    plan = evaluation.run.frozen_plan
    requests = []
    for part in parts_of(subjects, [len(rendered(subject, nonce="")) for subject in subjects]):
        nonce = fresh_nonce()
        request = analysis_request(
            part=part,
            criteria=criteria,
            agent_prompt=plan.prompt_text or str(plan.agent_profile or ""),
            language=_language(row),
            texts=texts,
            nonce=nonce,
            timeout_s=settings.MODEL_TIMEOUT_S,
        )
        requests.append((nonce, request))
    return requests


def _mask(finding: Finding) -> dict[str, Any]:
    document = finding.as_json()
    texts = {name: redact(document[name]) for name in ("title", "suggestion")}
    return {**document, **texts, "evidence": mask_evidence(document["evidence"])}

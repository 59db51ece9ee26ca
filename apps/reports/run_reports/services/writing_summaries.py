"""A model says in a few sentences what a run's report holds: one question, one row of paid work."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor
from apps.budgets.services.paid_question import PaidQuestion, PaidReply, twice
from apps.budgets.services.paid_rows import PaidRows
from apps.core.events import EventType, log_event
from apps.core.json_hygiene import storable
from apps.core.question_secrets import fresh_nonce
from apps.jobs.services.leases import LeasedTable
from apps.reports.models import ReportSummary
from apps.reports.run_reports.domain.report_summary import WrittenSummary, read_summary, summary_request
from apps.reports.run_reports.queries.report_facts import facts_of_run
from apps.runs.services.model_roles import models_of


class SummaryRows(PaidRows[ReportSummary]):
    """Reports that wait for their summary."""

    table = LeasedTable(table="reports_reportsummary", lease=timedelta(minutes=5), counter="attempts")
    doing = "writing it"
    waits_for = "the model that writes it"

    def load(self, ids: Sequence[uuid.UUID]) -> Sequence[ReportSummary]:
        return list(ReportSummary.objects.filter(pk__in=ids).select_related("run").order_by("created_at", "id"))

    def question(self, row: ReportSummary) -> PaidQuestion[WrittenSummary]:
        """The question about the report as it is now; the row keeps the report's digest."""
        nonce = fresh_nonce()
        facts, row.report_digest = facts_of_run(row.run_id)
        return PaidQuestion(
            requests=twice(summary_request(facts, nonce=nonce, timeout_s=settings.MODEL_TIMEOUT_S)),
            read=partial(read_summary, facts=facts, nonce=nonce),
            models=models_of(row.writer),
            call_for=CallFor(
                purpose=Purpose.REPORT_SUMMARY, run_id=row.run_id, pull_request=row.run.frozen_plan.pull_request
            ),
        )

    def keep(self, row: ReportSummary, answer: WrittenSummary, reply: PaidReply[Any]) -> Mapping[str, Any]:
        sentences = [storable(sentence.as_json()) for sentence in answer.sentences]
        return {
            "model": reply.model[:120],
            "left_out": answer.left_out,
            "report_digest": row.report_digest,
            "sentences": sentences,
        }

    def ended(self, row: ReportSummary, error: str) -> None:
        log_event(EventType.SUMMARY_WRITTEN, run=str(row.run_id), failed=bool(error))

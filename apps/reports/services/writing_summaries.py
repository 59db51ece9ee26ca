"""A model says in a few sentences what a run's report holds: one question, one row of paid work."""

import secrets
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor
from apps.budgets.services.paid_question import PaidQuestion, PaidReply, twice
from apps.budgets.services.paid_rows import Delay, PaidRows
from apps.core.errors import RatibaError
from apps.core.events import EventType, log_event
from apps.core.json_hygiene import storable
from apps.jobs.services.leases import LeasedTable
from apps.reports.domain.report_summary import SummaryStatus, WrittenSummary, read_summary, summary_request
from apps.reports.models import ReportSummary
from apps.reports.queries.report_facts import facts_of_run
from apps.runs.services.model_roles import models_of

MODEL_DOWN = timedelta(minutes=1)  # between two tries
MOST_TRIES = 3  # of a model that is down


class SummaryRows(PaidRows[ReportSummary]):
    """Reports that wait for their summary."""

    table = LeasedTable(table="reports_reportsummary", lease=timedelta(minutes=5), counter="attempts")
    doing = "writing it"

    def load(self, ids: Sequence[uuid.UUID]) -> Sequence[ReportSummary]:
        return list(ReportSummary.objects.filter(pk__in=ids).select_related("run").order_by("created_at", "id"))

    def question(self, row: ReportSummary) -> PaidQuestion[WrittenSummary]:
        """Of the report as it is now, whose digest the row keeps."""
        nonce = secrets.token_hex(8)
        facts, row.report_digest = facts_of_run(row.run_id)
        return PaidQuestion(
            requests=twice(summary_request(facts, nonce=nonce, timeout_s=settings.MODEL_TIMEOUT_S)),
            read=partial(read_summary, facts=facts, nonce=nonce),
            models=models_of(row.writer),
            call_for=CallFor(
                purpose=Purpose.REPORT_SUMMARY, run_id=row.run_id, pull_request=row.run.frozen_plan.pull_request
            ),
        )

    def store(self, row: ReportSummary, reply: PaidReply[WrittenSummary], now: datetime) -> Delay | None:
        if (until := reply.limited_until(now)) is not None:
            return Delay(until=until, why=f"model {row.writer['model']} limits us")
        if reply.value is None:
            if not reply.unusable and row.attempts < MOST_TRIES:
                return Delay(until=now + MODEL_DOWN, why="the model that writes it", counts=True)
            _end(row, now, error=reply.error or "No answer came.")
            return None
        _end(
            row, now, model=reply.model[:120], left_out=reply.value.left_out, report_digest=row.report_digest,
            sentences=[storable(one.as_json()) for one in reply.value.sentences],
        )  # fmt: skip
        return None

    def fail(self, row: ReportSummary, why: RatibaError, now: datetime) -> None:
        _end(row, now, error=why.message)


def _end(row: ReportSummary, now: datetime, *, error: str = "", **fields: Any) -> None:
    """Write the end down, unless the lease went to another worker. One query."""
    ended = ReportSummary.objects.filter(lease_token=row.lease_token).advance(
        row.pk, expected=SummaryStatus.PENDING, to=SummaryStatus.FAILED if error else SummaryStatus.COMPLETED,
        error_message=error, ended_at=now, lease_token=None, lease_expires_at=None, waiting_for="", **fields,
    )  # fmt: skip
    if ended:
        log_event(EventType.SUMMARY_WRITTEN, run=str(row.run_id), failed=bool(error))

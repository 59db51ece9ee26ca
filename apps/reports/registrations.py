"""Register the parts of this room when Django starts."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.dispatch import receiver

from apps.evaluations.figures.queries.stored_figures import figure_makers
from apps.jobs.work import Work, register
from apps.reports.run_reports.services.summary_deletion import delete_summaries
from apps.runs.signals import words_deleted

register(
    Work(
        name="report_summary",
        label="summary of a report",
        serve="apps.reports.tasks.summarise",
        table="reports_reportsummary",
        metered=True,
    )
)
figure_makers["slices"] = "apps.reports.slices.queries.slices.make_slices"
figure_makers["groups"] = "apps.reports.slices.queries.reliability.make_groups"
figure_makers["parity"] = "apps.reports.slices.queries.parity.make_parity"


@receiver(words_deleted)
def _delete_summaries(*, conversation_ids: Collection[UUID], **_: Any) -> None:
    delete_summaries(conversation_ids=conversation_ids)

"""Summaries of reports may repeat what was said: they go with the words."""

from collections.abc import Collection
from uuid import UUID

from apps.reports.models import ReportSummary


def delete_summaries(*, conversation_ids: Collection[UUID]) -> None:
    """Delete the summaries of these conversations' runs, in the caller's transaction. One statement. Safe to repeat."""
    ReportSummary.objects.filter(run__conversations__in=conversation_ids).delete()

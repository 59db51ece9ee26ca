"""Evaluations: how good, on how many conversations, and how many could not be judged."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString

from apps.core.subject import words_of
from apps.dashboard.history_lists import HistoryAdmin, RecentValuesFilter
from apps.dashboard.parts.figures import badge_of
from apps.dashboard.results.queries.list_verdicts import evaluation_looks
from apps.dashboard.results.queries.scores import tallies
from apps.dashboard.templatetags.ratiba import ago
from apps.evaluations.models import Evaluation
from apps.runs.domain.kind_traits import UNSEALED


@admin.register(Evaluation)
class EvaluationAdmin(HistoryAdmin):
    """Every evaluation, newest first."""

    page = "evaluation"
    list_display = (
        "evaluation",
        "verdict",
        "score",
        "judged",
        "errors",
        "tested",
        "run",
        "triggered_by",
        "requested_at",
    )
    list_filter = ("status", ("config_ref", RecentValuesFilter))
    search_fields = (
        "config_ref",
        "run__name",
        "triggered_by",
        "subject__agent",
        "subject__prompt_version",
        "subject__label",
    )
    list_select_related = ("run",)

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = super().get_queryset(request).filter(run__kind__in=UNSEALED)  # of trials: on their own pages
        return rows.defer("snapshot", "sums", "run__plan")

    def add_figures(self, rows: Sequence[Any]) -> None:
        counts = tallies(row.pk for row in rows)
        looks = evaluation_looks(rows, counts)
        for row in rows:
            row.tally, row.verdict_look = counts[row.pk], looks[row.pk]

    @admin.display(description="evaluation", ordering="config_ref")
    def evaluation(self, row: Evaluation) -> SafeString:
        return self.link(row, row.config_ref, of=row.run)

    @admin.display(description="verdict", ordering="status")
    def verdict(self, row: Any) -> SafeString:
        return badge_of(row.verdict_look)

    @admin.display(description="score")
    def score(self, row: Any) -> str:
        return str(row.tally.shown)

    @admin.display(description="judged")
    def judged(self, row: Any) -> str:
        return f"{row.tally.done} / {row.tally.total}"

    @admin.display(description="not judged")
    def errors(self, row: Any) -> str:
        return str(row.tally.errors or "–")

    @admin.display(description="tested")
    def tested(self, row: Evaluation) -> str:
        return words_of(row.subject) or "–"

    @admin.display(description="asked", ordering="id")
    def requested_at(self, row: Evaluation) -> SafeString:
        return ago(row.created_at)

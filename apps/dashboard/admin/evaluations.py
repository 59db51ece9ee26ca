"""Evaluations: how good, on how many conversations, and how many could not be judged."""

from typing import Any

from django.contrib import admin
from django.db.models import Avg, Count, Q
from django.http import HttpRequest
from django.utils.safestring import SafeString

from apps.dashboard.admin.history import HistoryAdmin
from apps.dashboard.domain.looks import look
from apps.dashboard.templatetags.ratiba import ago, badge_of
from apps.evaluations.models import Evaluation

_IN_MEAN = Q(judgements__status="scored") & (
    Q(judgements__by_fallback=False) | Q(snapshot__parameters__allow_fallback_in_mean=True)
)


@admin.register(Evaluation)
class EvaluationAdmin(HistoryAdmin):
    """Every evaluation, newest first."""

    page = "evaluation"
    list_display = ("evaluation", "state", "score", "judged", "errors", "run", "triggered_by", "asked")
    list_filter = ("status", "config_ref")
    search_fields = ("config_ref", "run__name", "triggered_by")
    ordering = ("-created_at",)
    list_select_related = ("run",)

    def get_queryset(self, request: HttpRequest) -> Any:
        return (
            super()
            .get_queryset(request)
            .defer("snapshot", "run__plan")
            .annotate(
                mean=Avg("judgements__weighted_score", filter=_IN_MEAN),
                total=Count("judgements"),
                left=Count("judgements", filter=Q(judgements__status="pending")),
                bad=Count("judgements", filter=Q(judgements__status__in=["parse_error", "model_error"])),
            )
        )

    @admin.display(description="evaluation", ordering="config_ref")
    def evaluation(self, row: Evaluation) -> SafeString:
        return self.link(row, row.config_ref)

    @admin.display(description="state", ordering="status")
    def state(self, row: Evaluation) -> SafeString:
        return badge_of(look("evaluation", row.status))

    @admin.display(description="score", ordering="mean")
    def score(self, row: Any) -> str:
        return f"{row.mean:.1f}" if row.mean is not None else "–"

    @admin.display(description="judged")
    def judged(self, row: Any) -> str:
        return f"{row.total - row.left} / {row.total}"

    @admin.display(description="not judged", ordering="bad")
    def errors(self, row: Any) -> str:
        return str(row.bad) if row.bad else "–"

    @admin.display(description="asked", ordering="created_at")
    def asked(self, row: Evaluation) -> SafeString:
        return ago(row.created_at)

"""Gates of pull requests: what each came to, newest first."""

from django.contrib import admin
from django.utils.safestring import SafeString

from apps.dashboard.domain.badges import look
from apps.dashboard.history_lists import HistoryAdmin, RecentValuesFilter
from apps.dashboard.parts.figures import badge_of
from apps.dashboard.templatetags.ratiba import ago
from apps.gates.models import PullRequestGate


@admin.register(PullRequestGate)
class PullRequestGateAdmin(HistoryAdmin):
    """Every gate, newest first."""

    page = "gate"
    list_display = ("commit_of", "says", "because", "pull_request", "agent", "kind", "requested_at")
    list_filter = ("decision", "kind", ("agent", RecentValuesFilter))
    search_fields = ("commit", "pull_request", "agent", "title")

    def get_queryset(self, request):  # type: ignore[no-untyped-def]  # Django's own
        return super().get_queryset(request).defer("document")

    @admin.display(description="commit", ordering="commit")
    def commit_of(self, row: PullRequestGate) -> SafeString:
        return self.link(row, row.commit[:12])

    @admin.display(description="decision", ordering="decision")
    def says(self, row: PullRequestGate) -> SafeString:
        return badge_of(look("verdict", row.decision) if row.decision else look("evaluation", row.status))

    @admin.display(description="why")
    def because(self, row: PullRequestGate) -> str:
        return row.why.replace("_", " ") or "–"

    @admin.display(description="asked", ordering="id")
    def requested_at(self, row: PullRequestGate) -> SafeString:
        return ago(row.created_at)

"""Runs and conversations: how far, how many failed, who is to blame."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, Q, Subquery
from django.http import HttpRequest
from django.utils.safestring import SafeString

from apps.dashboard.admin.history import HistoryAdmin
from apps.dashboard.domain.figures import span
from apps.dashboard.domain.looks import look
from apps.dashboard.queries.evaluation import persona_of
from apps.dashboard.templatetags.ratiba import ago, badge_of
from apps.evaluations.models import Judgement
from apps.runs.models import Conversation, TestRun, Turn

_OF = "conversations__status"


@admin.register(TestRun)
class TestRunAdmin(HistoryAdmin):
    """Every run, newest first: how far it is and how much of it failed."""

    page = "run"
    list_before_template = "dashboard/lists/runs.html"
    list_display = ("run", "state", "kind", "agent", "played", "failed", "took", "triggered_by", "started")
    list_filter = ("status", "kind", "agent")
    search_fields = ("name", "triggered_by", "agent__name")
    ordering = ("-created_at",)
    list_select_related = ("agent",)

    def get_queryset(self, request: HttpRequest) -> Any:
        return (
            super()
            .get_queryset(request)
            .defer("plan")
            .annotate(
                total=Count("conversations"),
                ended=Count("conversations", filter=Q(**{_OF: "ended"})),
                bad=Count("conversations", filter=Q(**{f"{_OF}__in": ["failed", "timeout"]})),
            )
        )

    @admin.display(description="run", ordering="name")
    def run(self, row: TestRun) -> SafeString:
        return self.link(row)

    @admin.display(description="state", ordering="status")
    def state(self, row: TestRun) -> SafeString:
        return badge_of(look("run", row.status))

    @admin.display(description="played")
    def played(self, row: Any) -> str:
        return f"{row.ended} / {row.total}"

    @admin.display(description="failed", ordering="bad")
    def failed(self, row: Any) -> str:
        return str(row.bad) if row.bad else "–"

    @admin.display(description="took")
    def took(self, row: TestRun) -> str:
        return span((row.ended_at - row.started_at).total_seconds()) if row.ended_at and row.started_at else "–"

    @admin.display(description="made", ordering="created_at")
    def started(self, row: TestRun) -> SafeString:
        return ago(row.created_at)


@admin.register(Conversation)
class ConversationAdmin(HistoryAdmin):
    """Every conversation: what became of it, whose fault a failure was, and its newest score."""

    page = "conversation"
    list_before_template = "dashboard/lists/conversations.html"
    list_display = ("conversation", "state", "score", "language", "persona", "turn_count", "fault", "run", "made")
    list_filter = ("status", "blame", "kind", "language")
    search_fields = ("external_id", "run__name", "error_message")
    ordering = ("-created_at", "position")
    list_select_related = ("run",)

    def get_queryset(self, request: HttpRequest) -> Any:
        turns = (
            Turn.objects.filter(conversation=OuterRef("pk")).order_by().values("conversation").annotate(n=Count("id"))
        )
        newest = Judgement.objects.filter(conversation=OuterRef("pk"), status="scored").order_by("-created_at")
        return (
            super()
            .get_queryset(request)
            .defer("session", "extra", "labels", "run__plan")
            .annotate(turns_said=Subquery(turns.values("n")), newest=Subquery(newest.values("weighted_score")[:1]))
        )

    @admin.display(description="conversation", ordering="external_id")
    def conversation(self, row: Conversation) -> SafeString:
        return self.link(row)

    @admin.display(description="state", ordering="status")
    def state(self, row: Conversation) -> SafeString:
        return badge_of(look("conversation", row.status))

    @admin.display(description="score", ordering="newest")
    def score(self, row: Any) -> str:
        return f"{row.newest:.1f}" if row.newest is not None else "–"

    @admin.display(description="persona")
    def persona(self, row: Conversation) -> str:
        return persona_of(row.spec) or "–"

    @admin.display(description="turns", ordering="turns_said")
    def turn_count(self, row: Any) -> int:
        return int(row.turns_said or 0)

    @admin.display(description="to blame", ordering="blame")
    def fault(self, row: Conversation) -> SafeString | str:
        return badge_of(look("blame", row.blame)) if row.blame else "–"

    @admin.display(description="made", ordering="created_at")
    def made(self, row: Conversation) -> SafeString:
        return ago(row.created_at)

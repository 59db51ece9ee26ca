"""Runs and conversations: how far, how many failed, who is to blame."""

from collections.abc import Collection, Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.core.subject import words_of
from apps.dashboard.conversations.domain.personas import persona_of
from apps.dashboard.domain.badges import look
from apps.dashboard.domain.figures import span
from apps.dashboard.history_lists import HistoryAdmin, RecentValuesFilter
from apps.dashboard.parts.figures import badge_of, failed_mark
from apps.dashboard.results.queries.list_verdicts import conversation_looks_of_list, run_looks
from apps.dashboard.results.queries.scores import newest_evaluations, played, tallies
from apps.dashboard.templatetags.ratiba import ago
from apps.evaluations.models import Judgement
from apps.runs.domain.kind_traits import CONVERSATION_LIST, RUN_LIST
from apps.runs.domain.states import Kind
from apps.runs.models import Conversation, TestRun, Turn


def _of_shown_kinds(rows: QuerySet[Any], request: HttpRequest, kinds: Collection[Kind]) -> QuerySet[Any]:
    """Return the rows of the list's own kinds; of another kind where the request names that one."""
    kind = request.GET.get("kind__exact")
    return rows if kind in set(Kind) - set(kinds) else rows.filter(kind__in=kinds)


@admin.register(TestRun)
class TestRunAdmin(HistoryAdmin):
    """Every run, newest first: how far it is and how much of it failed."""

    page = "run"
    list_before_template = "dashboard/results/lists/runs.html"
    list_display = ("run", "verdict", "score", "kind", "tested", "played", "failed", "took", "triggered_by", "started")
    list_filter = ("status", "kind", "agent")
    search_fields = (
        "name",
        "triggered_by",
        "agent__name",
        "subject__agent",
        "subject__prompt_version",
        "subject__label",
    )
    list_select_related = ("agent",)

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = super().get_queryset(request).defer("plan")
        return _of_shown_kinds(rows, request, RUN_LIST)

    def add_figures(self, rows: Sequence[Any]) -> None:
        counts = played(row.pk for row in rows)
        newest = newest_evaluations(row.pk for row in rows)
        scores = tallies(pk for pk, _ in newest.values())
        looks = run_looks(rows, newest, scores)
        for row in rows:
            row.played, row.verdict_look = counts[row.pk], looks[row.pk]
            row.evaluation_id = newest[row.pk][0] if row.pk in newest else None
            row.tally = scores.get(row.evaluation_id)

    @admin.display(description="run", ordering="name")
    def run(self, row: TestRun) -> SafeString:
        return self.link(row)

    @admin.display(description="verdict", ordering="status")
    def verdict(self, row: Any) -> SafeString:
        return badge_of(row.verdict_look)

    @admin.display(description="tested")
    def tested(self, row: TestRun) -> str:
        return words_of(row.subject) or (row.agent.name if row.agent else "–")

    @admin.display(description="score")
    def score(self, row: Any) -> SafeString | str:
        if row.tally is None or row.tally.score is None:
            return "–"
        address = reverse("evaluation", args=[row.evaluation_id])
        return format_html('<a href="{}">{}</a>', address, row.tally.shown)

    @admin.display(description="played")
    def played(self, row: Any) -> str:
        return f"{row.played.ended} / {row.played.total}"

    @admin.display(description="failed")
    def failed(self, row: Any) -> SafeString | str:
        if not row.played.failed:
            return "–"
        address = f"{reverse('admin:runs_conversation_changelist')}?run__id__exact={row.pk}&status__in=failed,timeout"
        return format_html('<a href="{}">{}</a>', address, failed_mark(row.played.failed))

    @admin.display(description="took")
    def took(self, row: TestRun) -> str:
        return span((row.ended_at - row.started_at).total_seconds()) if row.ended_at and row.started_at else "–"

    @admin.display(description="made", ordering="id")
    def started(self, row: TestRun) -> SafeString:
        return ago(row.created_at)


@admin.register(Conversation)
class ConversationAdmin(HistoryAdmin):
    """Every conversation: what became of it, whose fault a failure was, and its newest score."""

    page = "conversation"
    list_before_template = "dashboard/results/lists/conversations.html"
    list_display = ("conversation", "verdict", "score", "language", "played_by", "turn_count", "fault", "run", "made")
    list_filter = ("status", "blame", "kind", ("language", RecentValuesFilter))
    search_fields = ("external_id", "run__name", "error_message")
    list_select_related = ("run",)

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = super().get_queryset(request).defer("session", "extra", "labels", "run__plan")
        shown = {*CONVERSATION_LIST, request.GET.get("kind__exact")}
        return _of_shown_kinds(rows, request, CONVERSATION_LIST).filter(run__kind__in=shown)

    def add_figures(self, rows: Sequence[Any]) -> None:
        counted = Turn.objects.last_attempt().filter(conversation__in=rows).values_list("conversation_id")
        turns: dict[Any, int] = dict(counted.annotate(n=Count("*")).order_by())
        judged = Judgement.objects.filter(conversation__in=rows, status="scored").order_by("conversation_id", "-id")
        judged = judged.select_related("evaluation").defer("raw_reply", "evaluation__sums")
        newest = {one.conversation_id: one for one in judged.distinct("conversation_id")}
        looks = conversation_looks_of_list(rows, newest)
        for row in rows:
            row.turns_said, row.verdict_look = turns.get(row.pk, 0), looks[row.pk]
            row.newest = newest[row.pk].weighted_score if row.pk in newest else None

    @admin.display(description="conversation", ordering="external_id")
    def conversation(self, row: Conversation) -> SafeString:
        return self.link(row, of=row.run)

    @admin.display(description="verdict", ordering="status")
    def verdict(self, row: Any) -> SafeString:
        return badge_of(row.verdict_look)

    @admin.display(description="score")
    def score(self, row: Any) -> str:
        return f"{row.newest:.1f}" if row.newest is not None else "–"

    @admin.display(description="persona")
    def played_by(self, row: Conversation) -> str:
        return persona_of(row.spec) or "–"

    @admin.display(description="turns")
    def turn_count(self, row: Any) -> int:
        return int(row.turns_said)

    @admin.display(description="to blame", ordering="blame")
    def fault(self, row: Conversation) -> SafeString | str:
        return badge_of(look("blame", row.blame)) if row.blame else "–"

    @admin.display(description="made", ordering="id")
    def made(self, row: Conversation) -> SafeString:
        return ago(row.created_at)

"""Golden sessions: who answers for them, and which versions there are. What they say is changed on their own page."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin, TabularInline
from unfold.decorators import display

from apps.catalog.admin.admin_actions import shorten, typed
from apps.catalog.models import GoldenSession, GoldenVersion


class GoldenVersionInline(TabularInline):
    """Every version with who approved it; written by capture, import and the session's page."""

    model = GoldenVersion
    fields = readonly_fields = ("number", "status", "captured_from", "approved_by", "approved_at", "note", "digest")
    ordering = ("-number",)
    extra = 0
    can_delete = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[GoldenVersion]:
        return super().get_queryset(request).defer("document", "profile")  # type: ignore[no-any-return]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(GoldenSession)
class GoldenSessionAdmin(ModelAdmin):
    """Admin of golden sessions, with the agent that each can be replayed against."""

    list_display = (
        "name",
        "reading",
        "state",
        "version",
        "agent",
        "language",
        "turn_count",
        "first_words",
        "confirmed_at",
    )
    list_filter = ("agent",)
    search_fields = ("name",)
    ordering = ("name",)
    list_select_related = ("agent",)
    fields = ("name", "agent", "owner", "confirmed_at", "confirmed_by")
    readonly_fields = ("name", "confirmed_at", "confirmed_by")
    inlines = (GoldenVersionInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[GoldenSession]:
        """Return sessions with columns of the current version, or of the newest where none is approved."""
        # approved < candidate < retired in the order of the alphabet
        best = GoldenVersion.objects.filter(golden=OuterRef("pk")).order_by("status", "-number")
        columns = {
            f"best_{name}": Subquery(best.values(path)[:1])
            for name, path in (("state", "status"), ("number", "number"), ("turns", "document__turns"))
        }
        language = Subquery(best.values("document__language")[:1])
        rows = super().get_queryset(request).annotate(best_language=language, **columns)
        return rows  # type: ignore[no-any-return]

    @typed(
        display(
            description="status",
            label={"candidate": "warning", "approved": "success", "retired": ""},
            ordering="best_state",
        )
    )
    def state(self, row: Any) -> str:
        return row.best_state or "–"

    @admin.display(description="read it")
    def reading(self, row: Any) -> SafeString:
        return format_html('<a href="{}">as a chat</a>', reverse("golden", args=[row.pk]))

    @admin.display(description="version", ordering="best_number")
    def version(self, row: Any) -> int:
        return row.best_number or 0

    @admin.display(description="language")
    def language(self, row: Any) -> str:
        return row.best_language or "–"

    @admin.display(description="turns")
    def turn_count(self, row: Any) -> int:
        return len(row.best_turns or ())

    @admin.display(description="begins")
    def first_words(self, row: Any) -> str:
        turns = row.best_turns or []
        return shorten(str(turns[0].get("content", ""))) if turns else "–"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse deletion: a session's versions stay, and runs point to them; an unwanted one is retired."""
        return False

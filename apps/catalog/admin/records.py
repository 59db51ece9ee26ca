"""Prompt versions and golden sessions: kept as they were, so they are read here and not rewritten."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.decorators import display

from apps.catalog.admin.doors import shorten, typed
from apps.catalog.models import GoldenSession, PromptVersion


@admin.register(PromptVersion)
class PromptVersionAdmin(ModelAdmin):
    """Which prompts were in use, each named after the commit that last changed it."""

    list_display = ("version", "name", "start", "path", "created_at")
    list_filter = ("name",)
    search_fields = ("version", "name", "text")
    ordering = ("name", "-created_at")

    @admin.display(description="begins")
    def start(self, row: PromptVersion) -> str:
        return shorten(row.text)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(GoldenSession)
class GoldenSessionAdmin(ModelAdmin):
    """Which recorded conversations can be replayed, and against which agent."""

    list_display = ("name", "state", "agent", "language", "turn_count", "first_words", "updated_at")
    list_filter = ("status", "agent")
    search_fields = ("name",)
    ordering = ("name",)
    list_select_related = ("agent",)
    fields = ("name", "status", "agent", "language", "turn_count", "first_words", "digest")
    readonly_fields = ("name", "language", "turn_count", "first_words", "digest")

    @typed(
        display(
            description="status", label={"candidate": "warning", "active": "success", "archived": ""}, ordering="status"
        )
    )
    def state(self, row: GoldenSession) -> str:
        return row.status

    @admin.display(description="language")
    def language(self, row: GoldenSession) -> str:
        return row.document.get("language") or row.document.get("lang") or "–"

    @admin.display(description="turns")
    def turn_count(self, row: GoldenSession) -> int:
        return len(row.document.get("turns") or ())

    @admin.display(description="begins")
    def first_words(self, row: GoldenSession) -> str:
        turns = row.document.get("turns") or []
        return shorten(str(turns[0].get("content", ""))) if turns else "–"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

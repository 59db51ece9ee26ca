"""The list of personas: who may play, who is rejected and why, and whose battles went wrong."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.catalog.admin.admin_actions import shorten
from apps.catalog.admin.personas import PersonaAdmin
from apps.catalog.domain.states import PersonaStatus
from apps.catalog.models import Persona
from apps.dashboard.domain.badges import look
from apps.dashboard.history_lists import FiguredList
from apps.dashboard.parts.figures import badge_of
from apps.dashboard.test_set.queries.personas import ORIGIN_WORDS, record_words
from apps.runs.playing.queries.persona_records import persona_records


@admin.register(Persona)
class PersonaListAdmin(PersonaAdmin):
    """Each name leads to the persona's page; its words are edited from there."""

    list_before_template = "dashboard/test_set/lists/personas.html"
    list_display = ("persona", "state", "may", "record", "language", "source", "why")
    list_display_links: Any = None
    list_filter = ("status", "may_play", "language", "origin")
    list_per_page = 50

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:
        return FiguredList

    def add_figures(self, rows: Sequence[Any]) -> None:
        records = persona_records(row.pk for row in rows)
        for row in rows:
            row.played = records[row.pk]

    @admin.display(description="persona", ordering="name")
    def persona(self, row: Persona) -> SafeString:
        link = format_html('<a class="rb-link" href="{}">{}</a>', reverse("persona", args=[row.pk]), row.name)
        return format_html('<div class="rb-named-row">{}<br><span>{}</span></div>', link, shorten(row.text, 60))

    @admin.display(description="state", ordering="status")
    def state(self, row: Persona) -> SafeString:
        return badge_of(look("persona", row.status))

    @admin.display(description="plays", ordering="may_play")
    def may(self, row: Persona) -> SafeString:
        waits = row.status == PersonaStatus.VALIDATED and not row.may_play
        return badge_of(look("may_play", "unreleased" if waits else "yes" if row.may_play else "no"))

    @admin.display(description="record")
    def record(self, row: Any) -> str:
        return record_words(row.played)

    @admin.display(description="origin", ordering="origin")
    def source(self, row: Persona) -> str:
        return ORIGIN_WORDS[row.origin]

    @admin.display(description="why")
    def why(self, row: Persona) -> str:
        if row.override_reason:
            return shorten(f"{row.override_by}: {row.override_reason}")
        return shorten(row.rejection_reason) or "–"

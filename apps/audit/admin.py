"""The trail as people read it: a list, one change side by side, a file. Nothing can be written from here."""

import csv
import json
from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.contrib.admin import display
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin
from unfold.decorators import action

from apps.audit.domain.actions import Action
from apps.audit.domain.comparing import changed_fields, compare, plain_cell
from apps.audit.domain.masking_rules import in_file
from apps.audit.domain.tables import AUDITED, AUDITED_IN_PUBLIC
from apps.audit.models import Entry
from apps.audit.queries import kind_of, text_of
from apps.core.time_words import ago
from apps.tenants.admin import platform_admin

COLUMNS = ("at", "who", "action", "kind", "what", "id", "before", "after")


class KindFilter(admin.SimpleListFilter):
    """Filter by the kind of row that was changed."""

    title = "what"
    parameter_name = "table"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return sorted(((table, kind_of(table)) for table in AUDITED | AUDITED_IN_PUBLIC), key=lambda pair: pair[1])

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(table_name=self.value()) if self.value() else queryset


class ByFilter(admin.SimpleListFilter):
    """Filter by who did it: a person, a key, a command, a task, or nobody who said so."""

    title = "by"
    parameter_name = "by"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        kinds = ("user", "key", "webhook", "command", "task", "database")
        return [(kind, f"a {kind}" if kind != "database" else "nobody said (database)") for kind in kinds]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(actor__startswith=self.value()) if self.value() else queryset


@admin.register(Entry)
class EntryAdmin(ModelAdmin):
    """The list of changes and their authors, newest first."""

    list_display = ("when", "actor", "did", "kind", "what", "fields_changed")
    list_display_links = ("when",)
    list_filter = ("action", ByFilter, KindFilter, "at")
    search_fields = ("object_text", "actor", "object_id")
    search_help_text = "A name, who did it, or an id."
    ordering = ("-id",)
    list_per_page = 50
    show_full_result_count = False
    fields = ("exactly", "actor", "did", "kind", "what", "object_id", "comparison")
    readonly_fields = fields
    actions_list = ("export",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Entry | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Entry | None = None) -> bool:
        return False

    @display(description="when", ordering="id")
    def when(self, row: Entry) -> SafeString:
        exact = date_format(timezone.localtime(row.at), "DATETIME_FORMAT")
        short = ago(row.at, timezone.now())
        return format_html('<time datetime="{}" title="{}">{}</time>', row.at.isoformat(), exact, short)

    @display(description="when")
    def exactly(self, row: Entry) -> str:
        return row.at.strftime("%-d %b %Y %H:%M:%S.%f UTC")

    @display(description="action", ordering="action")
    def did(self, row: Entry) -> str:
        return {Action.ADDED: "+ added", Action.CHANGED: "~ changed", Action.DELETED: "− deleted"}[Action(row.action)]

    @display(description="what", ordering="table_name")
    def kind(self, row: Entry) -> str:
        return kind_of(row.table_name)

    @display(description="its name", ordering="object_text")
    def what(self, row: Entry) -> str:
        return row.object_text or row.object_id

    @display(description="changed")
    def fields_changed(self, row: Entry) -> str:
        return ", ".join(changed_fields(row.before, row.after)) or "–"

    @display(description="before and after")
    def comparison(self, row: Entry) -> str:
        lines = compare(row.before, row.after, text=lambda column, value: text_of(row.table_name, column, value))
        return render_to_string("audit/comparison.html", {"lines": lines, "action": row.action})

    @action(description="Download as CSV", url_path="export", permissions=["view"])  # type: ignore[untyped-decorator]  # Unfold ships no types
    def export(self, request: HttpRequest) -> HttpResponseBase:
        """Export the list with its filters and search, all pages, oldest first; people's words masked. Streamed."""
        rows = self.get_changelist_instance(request).get_queryset(request).order_by("id")
        answer = StreamingHttpResponse(_csv(rows), content_type="text/csv; charset=utf-8")
        answer["Content-Disposition"] = 'attachment; filename="audit.csv"'
        answer["Cache-Control"] = "no-store"
        return answer


platform_admin.register(Entry, EntryAdmin)


class _Line:
    """A file for csv to write to: it gives the line back."""

    def write(self, text: str) -> str:
        return text


def _csv(entries: Any) -> Iterator[str]:
    writer: Any = csv.writer(_Line())
    yield writer.writerow(COLUMNS)
    after = 0
    while True:  # by key, not by a server-side cursor: each part of a streamed body is made in its own tenant block
        page = list(entries.filter(id__gt=after)[:500])
        for row in page:
            name = in_file("audit_entry", {"object_text": row.object_text})["object_text"]
            cells = (row.at.isoformat(), row.actor, row.action, kind_of(row.table_name), name, row.object_id)
            change = [_json(one and in_file(row.table_name, one)) for one in (row.before, row.after)]
            yield writer.writerow([*map(plain_cell, cells), *change])
        if not page:
            return
        after = page[-1].id


def _json(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)

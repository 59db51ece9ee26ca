"""Shared behaviour of all history lists: they are read only, and each row leads to its page."""

from collections.abc import Sequence
from typing import Any

from django.contrib.admin.filters import AllValuesFieldListFilter
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin

RECENT = 2_000


class RecentValuesFilter(AllValuesFieldListFilter):
    """Offers what the newest rows hold, and what is asked for already: to know all values is to read every row."""

    def __init__(
        self, field: Any, request: HttpRequest, params: Any, model: Any, model_admin: Any, field_path: str
    ) -> None:
        super().__init__(field, request, params, model, model_admin, field_path)
        newest = model_admin.get_queryset(request).order_by("-pk").values_list(field.name, flat=True)[:RECENT]
        self.lookup_choices: Any = sorted({*newest, *(self.lookup_val or ())} - {None})


class FiguredList(ChangeList):
    """Rows of one page first, then what is counted for them: counting for all rows costs what the table costs."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list = list(self.result_list)
        self.model_admin.add_figures(self.result_list)  # type: ignore[attr-defined]  # a HistoryAdmin's list


class HistoryAdmin(ModelAdmin):
    """Admin of a history: no row is added, changed or deleted; opening one opens its dashboard page.

    Newest first by the primary key, which is made of the time (UUIDv7): an index answers, however long the history.
    """

    list_before_template = "dashboard/lists/views.html"
    page = ""  # the name of the page's address
    list_display_links: Any = None
    list_per_page = 25
    ordering = ("-id",)
    show_full_result_count = False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return FiguredList

    def add_figures(self, rows: Sequence[Any]) -> None:
        """Set the counts that the columns show on each row of a page; a list without counts keeps this one."""

    def link(self, row: Any, text: str = "", *, of: Any = "") -> SafeString:
        """Link to the row's page; `of` names its parent, where a phone has no column for it."""
        phone = format_html('<span class="rb-on-phone"> · {}</span>', of) if of else ""
        address = reverse(self.page, args=[row.pk])
        return format_html('<a class="rb-link" href="{}">{}{}</a>', address, text or str(row), phone)

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        if self.page:
            return redirect(self.page, object_id)
        answer: HttpResponse = super().change_view(request, object_id, *args, **kwargs)
        return answer

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

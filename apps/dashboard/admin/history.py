"""What all lists of history share: read only, and each row leads to its page."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin


class HistoryAdmin(ModelAdmin):
    """Nothing can be added, changed or deleted; opening a row opens its page of the dashboard."""

    page = ""  # the name of the page's address
    list_display_links: Any = None
    list_per_page = 50
    show_full_result_count = False

    def link(self, row: Any, text: str = "") -> SafeString:
        return format_html('<a class="rb-link" href="{}">{}</a>', reverse(self.page, args=[row.pk]), text or str(row))

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

"""Parts of a list: its pages, and what an empty one says."""

from typing import Any

from django import template
from django.utils.safestring import SafeString

from apps.dashboard.domain.empty_lists import empty_sentence
from apps.dashboard.domain.page_window import page_window
from apps.dashboard.parts.page import drawn

register = template.Library()


@register.simple_tag
def page_pager(page: Any, what: str, query: str = "", name: str = "page", anchor: str = "") -> SafeString:
    """Numbered pages around this one of Django's pages; nothing where one holds all. `query` is what the address has
    besides, `name` the field that numbers."""

    def address(number: int) -> str:
        start = f"{query}&" if query else ""
        return f"?{start}{name}={number}" + (f"#{anchor}" if anchor else "")

    pages, number = page.paginator.num_pages, page.number
    return drawn(
        "pager",
        places=[(n, address(n) if n else "") for n in page_window(number, pages)],
        page=number,
        pages=pages,
        total=page.paginator.count,
        what=what,
        first=page.start_index(),
        last=page.end_index(),
        before=address(number - 1) if number > 1 else "",
        after=address(number + 1) if number < pages else "",
    )


@register.simple_tag
def empty_list(cl: Any) -> str:
    """The words of an empty list in the admin."""
    opts = cl.opts
    return empty_sentence(
        opts.label_lower,
        opts.verbose_name,
        opts.verbose_name_plural,
        narrowed=bool(cl.query or getattr(cl, "has_active_filters", False)),
    )

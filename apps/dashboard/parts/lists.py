"""Parts of a list: search, filters, order, columns, the address that is the view, and pages."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.dashboard.domain.empty_lists import empty_sentence
from apps.dashboard.domain.list_view import ListColumn, ListFilter, ListView, page_window
from apps.dashboard.parts.page import drawn

register = template.Library()


@dataclass(frozen=True, slots=True)
class FilterMenu:
    """A filter that may be added: its choices as words with their addresses."""

    filter: ListFilter
    choices: list[tuple[str, str]]


@register.simple_tag(takes_context=True)
def list_controls(context: Any, view: ListView) -> SafeString:
    """What a list is narrowed and ordered by, each with the address that takes it away; what may be added; columns;
    the address of this view. Works by links and forms alone."""
    request = context.get("request")
    chips = [
        (f"{view.spec.filter(name).label}: {view.spec.filter(name).word(value)}", view.with_filter(name, "").address())
        for name, value in view.filters.items()
    ]
    menus = [
        FilterMenu(one, [(word, view.with_filter(one.name, value).address()) for value, word in one.choices.items()])
        for one in view.spec.filters
        if one.name not in view.filters and one.choices
    ]
    words = [one for one in view.spec.filters if one.name not in view.filters and not one.choices]
    return drawn(
        "list_controls", view=view, chips=chips, menus=menus, words=words,
        hidden=_hidden(view, "q"), hidden_columns=_hidden(view, "columns"), hidden_all=_hidden(view),
        may_choose_columns=any(not one.shown for one in view.spec.columns) or len(view.spec.columns) > 4,
        saved=request.build_absolute_uri(view.with_page(1).address()) if request else view.address(),
        unsearched=view.with_search("").address(),
        unfiltered=ListView(spec=view.spec, columns=view.columns, sort=view.sort).address(),
    )  # fmt: skip


def _hidden(view: ListView, *without: str) -> list[tuple[str, str]]:
    """The rest of the view for a form that sets one thing; always from the first page."""
    return [(name, value) for name, value in view.query().items() if name not in {*without, "page"}]


@register.simple_tag
def sort_heading(view: ListView, column: ListColumn) -> SafeString:
    """A table heading; where the column sorts, a link that says which way it is sorted now."""
    kind = ' class="rb-n"' if column.number else ""
    if not column.sorts:
        return format_html('<th scope="col"{}>{}</th>', SafeString(kind), column.label)
    name, down = view.order
    state, shape = ("descending" if down else "ascending", "▼" if down else "▲") if name == column.name else ("", "")
    aria = format_html(' aria-sort="{}"', state) if state else ""
    return format_html(
        '<th scope="col"{}{}><a class="rb-sort" href="{}">{} <span aria-hidden="true">{}</span></a></th>',
        SafeString(kind), aria, view.with_sort(column.name).address(), column.label, shape,
    )  # fmt: skip


@register.simple_tag
def pager(view: ListView, total: int, per_page: int, what: str = "rows") -> SafeString:
    """Numbered pages around this one; nothing where one page holds all. `total` is how many rows match."""
    pages = max(1, -(-total // per_page))
    places = [(n, view.with_page(n).address() if n else "") for n in page_window(view.page, pages)]
    return drawn(
        "pager", places=places, page=view.page, pages=pages, total=total, what=what,
        first=(view.page - 1) * per_page + 1, last=min(total, view.page * per_page),
        before=view.with_page(view.page - 1).address() if view.page > 1 else "",
        after=view.with_page(view.page + 1).address() if view.page < pages else "",
    )  # fmt: skip


@register.simple_tag
def page_pager(page: Any, what: str, query: str = "", name: str = "page", anchor: str = "") -> SafeString:
    """The same of one of Django's pages: `query` is what the address has besides, `name` the field that numbers."""

    def address(number: int) -> str:
        told = f"{query}&" if query else ""
        return f"?{told}{name}={number}" + (f"#{anchor}" if anchor else "")

    pages, number = page.paginator.num_pages, page.number
    return drawn(
        "pager", places=[(n, address(n) if n else "") for n in page_window(number, pages)], page=number, pages=pages,
        total=page.paginator.count, what=what, first=page.start_index(), last=page.end_index(),
        before=address(number - 1) if number > 1 else "", after=address(number + 1) if number < pages else "",
    )  # fmt: skip


@register.simple_tag
def empty_list(cl: Any) -> str:
    """What an empty list of the admin says."""
    opts = cl.opts
    return empty_sentence(
        opts.label_lower, opts.verbose_name, opts.verbose_name_plural,
        narrowed=bool(cl.query or getattr(cl, "has_active_filters", False)),
    )  # fmt: skip

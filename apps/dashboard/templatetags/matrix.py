"""Rows and filters of a matrix as its page draws them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from apps.dashboard.parts.figures import badge_of
from apps.dashboard.templatetags.ratiba import breakable, score
from apps.reports.tables.domain.matrix_filters import HAVING_WORDS, MatrixFilter

if TYPE_CHECKING:  # a place of the window stands above its tags
    from apps.dashboard.results.queries.matrix import MatrixPage, MatrixRow

register = template.Library()


@register.simple_tag
def conversation_query(evaluation_id: Any, query: str) -> str:
    """The query of a conversation opened from a list: which evaluation, and the list, so that it knows its next."""
    return urlencode({"evaluation": str(evaluation_id), "list": query or "sort=score"})


@register.simple_tag
def conversation_url(conversation_id: Any, column: int, columns: Sequence[Any]) -> str:
    """A conversation under the evaluation of its column."""
    address = reverse("conversation", args=[conversation_id])
    return f"{address}?{urlencode({'evaluation': str(columns[column].evaluation.pk)})}"


@register.simple_tag
def annotation_fields(page: Any, annotation: Any) -> SafeString:
    """The hidden fields of a conversation's forms: they lead the reader back to the same view."""
    view = [("list", annotation.around.query)]
    view += [("evaluation", page.judgement.evaluation_id)] if page.judgement else []
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', view)


@register.simple_tag
def place_query(found: MatrixFilter, *, after: str = "", before: str = "") -> str:
    return found.having_also(after=after, before=before).query


@register.simple_tag
def query_fields(found: MatrixFilter, *without: str) -> SafeString:
    """Render the current filters, except `without`, as hidden fields of a form."""
    rest = found.without(*without).fields
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', rest)


@register.simple_tag
def options(values: Sequence[Any] | str, chosen: str, *, bare: bool = False) -> SafeString:
    """The choices of a select: words, or (value, count); any, unless `bare`."""
    pairs = [
        (one, one.replace("_", " ")) if isinstance(one, str) else (one[0], f"{one[0]} ({one[1]:,})")
        for one in (values.split() if isinstance(values, str) else values)
    ]
    rows = ((value, mark_safe(" selected") if value == chosen else "", text) for value, text in pairs)
    first = "" if bare else mark_safe('<option value="">any</option>')
    return format_html("{}{}", first, format_html_join("", '<option value="{}"{}>{}</option>', rows))


@register.simple_tag
def having_options(chosen: str) -> SafeString:
    rows = ((value, mark_safe(" selected") if value == chosen else "", text) for value, text in HAVING_WORDS.items())
    return format_html_join("", '<option value="{}"{}>{}</option>', rows)


@register.simple_tag
def sorted_as(found: MatrixFilter, by: str) -> SafeString:
    if found.sorted_by != by:
        return mark_safe("")
    return format_html(' aria-sort="{}"', "descending" if found.descending else "ascending")


@register.simple_tag
def arrow(found: MatrixFilter, by: str) -> SafeString:
    if found.sorted_by != by:
        return mark_safe("")
    return format_html('<span aria-hidden="true"> {}</span>', "▼" if found.descending else "▲")


@register.simple_tag
def matrix_rows(page: "MatrixPage") -> SafeString:
    """Render all rows of the matrix as one string: a window has some thousand cells."""
    evaluation = page.evaluation.pk
    opened = conversation_query(evaluation, page.found.without().query)
    view = urlencode({"list": page.found.query})
    return format_html_join("", "{}", ((_row(row, evaluation, opened, view),) for row in page.rows))


def _row(row: "MatrixRow", evaluation: Any, opened: str, view: str) -> SafeString:
    at = row.judgement.conversation
    cell = reverse("matrix_cell", args=[evaluation, at.pk])
    beside = " · ".join(
        part for part in (row.persona, at.language, row.scenario) if part and not at.external_id.startswith(part)
    )
    cells = format_html_join(
        "",
        '<td class="rb-at rb-at-{}"><a href="{}?{}&amp;{}" hx-get="{}?{}&amp;{}" title="{}: {}">'
        '<span aria-hidden="true">{}</span> {}<span class="rb-silent">{}</span></a></td>',
        (
            (
                one.look.tone.value,
                cell,
                view,
                (c := urlencode({"criterion": one.criterion})),
                cell,
                view,
                c,
                one.criterion,
                one.look.label,
                one.look.icon,
                one.text,
                one.look.label,
            )
            for one in row.cells
        ),
    )
    return format_html(
        '<tr><th scope="row"><a href="{}?{}">{}</a><small class="rb-muted">{}</small></th><td>{}</td>'
        '<td class="rb-n">{}</td>{}</tr>',
        reverse("conversation", args=[at.pk]),
        opened,
        breakable(at.external_id),
        beside,
        badge_of(row.verdict),
        score(row.score, row.look, row.mark),
        cells,
    )

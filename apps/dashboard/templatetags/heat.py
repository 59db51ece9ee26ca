"""Cells and rows of the page of slices."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from apps.dashboard.domain.badges import LOOKS
from apps.dashboard.domain.figures import many
from apps.dashboard.domain.slice_sentences import heat_look
from apps.dashboard.parts.figures import badge_of
from apps.dashboard.templatetags.criterion_titles import criterion
from apps.dashboard.templatetags.ratiba import breakable, percent
from apps.reports.slices.domain.heat_map import HeatCell, HeatLevel, HeatMap
from apps.reports.slices.domain.reliability import PassShare

if TYPE_CHECKING:  # a place of the window stands above its tags
    from apps.dashboard.results.queries.slices import ReliabilityRow

register = template.Library()


@register.simple_tag(takes_context=True)
def heat_map(context: Mapping[str, Any], heat: HeatMap, by: str, matrix_url: str) -> SafeString:
    """Draw slices × criteria.

    Each cell leads to its rows of the matrix, which `by` (persona, language, scenario) filters; without a `matrix_url`
    to nothing.
    """
    head = format_html_join(
        "", '<th scope="col" class="rb-criterion">{}</th>', ((criterion(context, one),) for one in heat.criteria)
    )
    rows = format_html_join(
        "",
        '<tr><th scope="row">{}</th>{}</tr>',
        (
            (
                _slice(row.group, by, matrix_url),
                format_html_join("", "{}", ((_cell(cell, {by: row.group}, matrix_url),) for cell in row.cells)),
            )
            for row in heat.rows
        ),
    )
    what = by.replace("_", " ").capitalize()
    return format_html(
        '<div class="rb-scroll" tabindex="0" role="region" aria-label="{} and criteria">'
        '<table class="rb-matrix rb-heat">'
        '<thead><tr><th scope="col">{}</th>{}</tr></thead><tbody>{}</tbody></table></div>',
        what,
        what,
        head,
        rows,
    )


def _slice(name: str, by: str, matrix_url: str) -> SafeString:
    if not matrix_url:
        return breakable(name)
    return format_html('<a href="{}?{}">{}</a>', matrix_url, urlencode({by: name}), breakable(name))


def _cell(cell: HeatCell, group: Mapping[str, str], matrix_url: str) -> SafeString:
    seen = heat_look(cell)
    if not cell.n:
        return mark_safe('<td class="rb-at rb-at-idle"><span class="rb-muted">not scored</span></td>')
    few = cell.level is HeatLevel.TOO_FEW
    having = {"having": "fail"} if cell.failing else {}
    inside = format_html(
        '<span aria-hidden="true">{}</span> {}<span class="rb-silent">{}</span><small>{} of {}</small>',
        seen.icon,
        "too few" if few else percent(cell.share),
        "" if few else f", {seen.label}: ",
        cell.failing,
        cell.n,
    )
    if not matrix_url:
        return format_html('<td class="rb-at rb-at-{}"><span class="rb-cell">{}</span></td>', seen.tone.value, inside)
    return format_html(
        '<td class="rb-at rb-at-{}"><a href="{}?{}" title="{}: {}">{}</a></td>',
        seen.tone.value,
        matrix_url,
        urlencode({**group, "criterion": cell.criterion, **having}),
        cell.criterion,
        seen.label,
        inside,
    )


@register.simple_tag
def heat_legend(least: int) -> SafeString:
    """The legend of the heat map: the meaning of each shape."""
    words = {
        HeatLevel.BLOCKS: "",
        HeatLevel.MOST: "",
        HeatLevel.SOME: "",
        HeatLevel.NONE: "",
        HeatLevel.TOO_FEW: f": below {least} conversations",
    }
    pairs = ((badge_of(LOOKS["heat"][level.value]), more) for level, more in words.items())
    return format_html_join(" ", "{}{}", pairs)


@register.simple_tag
def reliability_row(row: "ReliabilityRow", by: str, matrix_url: str, k: int) -> SafeString:
    """Draw one row of the reliability table. `by` is the field by which the matrix filters for this row.

    It is "" in the row for all conversations.
    """
    name = (
        format_html('<a href="{}?{}">{}</a>', matrix_url, urlencode({by: row.name}), breakable(row.name))
        if by
        else "Everybody"
    )
    counts = row.found
    more: SafeString | str = ""
    if k > 1:
        agree = f"{counts.consistent} of {counts.repeated}" if counts.repeated else "–"
        more = format_html('{}{}<td class="rb-n rb-later">{}</td>', _share(row.hat), _share(row.at), agree)
    return format_html(
        '<tr><th scope="row">{}</th><td class="rb-n rb-later">{}</td><td class="rb-n rb-later">{}</td>{}{}</tr>',
        name,
        counts.scenarios,
        counts.trials,
        _share(row.rate),
        more,
    )


def _share(one: PassShare) -> SafeString:
    beside = (
        f"[{100 * one.interval[0]:.0f}, {100 * one.interval[1]:.0f}]"
        if one.interval
        else f"{many(one.scenarios, 'scenario')}: too few"
        if one.mean is not None
        else "not played so often"
    )
    return format_html(
        '<td class="rb-n">{} <small class="rb-muted rb-block">{}</small></td>', percent(one.mean), beside
    )

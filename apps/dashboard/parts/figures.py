"""Parts that show a number with its interval and its sample size, or say that the sample is too small."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import certificate_look, look
from apps.dashboard.domain.figures import score_text
from apps.dashboard.domain.histogram import WIDTH, Bar
from apps.dashboard.parts.page import drawn

register = template.Library()


def badge_of(one: Badge, text: str = "") -> SafeString:
    """Shape, word and tone of a state. The shape is silent to screen readers: the word says it."""
    return format_html(
        '<span class="rb-badge rb-{}"><span class="rb-icon" aria-hidden="true">{}</span> {}</span>',
        one.tone.value,
        one.icon,
        text or one.label,
    )


@register.simple_tag
def badge(kind: str, value: str, text: str = "") -> SafeString:
    """A state of `badges.LOOKS`; `text` replaces its word, never its shape."""
    return badge_of(look(kind, value), text)


@register.simple_tag
def failed_mark(count: int) -> SafeString:
    """Draw a badge with the number of a run's failed conversations, also for runs that have ended well."""
    return badge_of(look("conversation", "failed"), f"{count} failed")


@register.simple_tag
def certificate_badge(status: str, reason: str = "") -> SafeString:
    """Draw a badge of people's agreement with a judge; grey while there are not enough labels."""
    return badge_of(certificate_look(status or "", reason or ""))


@register.simple_tag
def shown_badge(one: Badge) -> SafeString:
    """A look that a query chose."""
    return badge_of(one)


@register.simple_tag
def figure(
    label: str,
    value: float | None,
    interval: Sequence[float] | None = None,
    n: int | None = None,
    of: str = "conversations",
    mark: float | None = None,
    note: str = "",
    url: str = "",
    unit: str = "",
) -> SafeString:
    """One number of 0 to 10 (or of 100 with unit `%`) with its 95 % interval, n and pass mark. Leads to its rows."""
    top = 100 if unit else 10
    shown = (
        f"{value:.0f} {unit}" if unit and value is not None else score_text(value, mark) if value is not None else ""
    )
    low, high = interval or (None, None)
    places = {
        name: f"{100 * place / top:.1f}" if place is not None else ""
        for name, place in {"at": value, "mark": mark, "low": low, "high": high}.items()
    }
    decimals = ".0f" if unit else ".1f"
    between = f"[{low:{decimals}}, {high:{decimals}}]" if low is not None and high is not None else ""
    return drawn(
        "figure",
        label=label,
        shown=shown,
        between=between,
        n=n,
        of=of.removesuffix("s") if n == 1 else of,
        note=note,
        url=url,
        places=places,
        marked=f"{mark:{decimals}}" if mark is not None else "",
    )


@register.simple_tag
def distribution(bars: Sequence[Bar], mark: float, seen: Badge, url: str = "") -> SafeString:
    """Draw how often each score was given, and the pass mark.

    Each bar says its count, and leads to its rows where `url` is given (its score is put behind it). One piece: a page
    holds hundreds.
    """
    fill = "rb-fill-bad" if seen.value == "below" else "rb-fill"
    rects = [
        format_html(
            '<rect x="{}" y="{}" width="7" height="{}" class="{}"><title>{} at {}</title></rect>',
            bar.x,
            f"{bar.y:.1f}",
            f"{bar.height:.1f}",
            fill if bar.passes else f"{fill} rb-faint",
            bar.count,
            bar.score,
        )
        for bar in bars
    ]
    linked = (
        format_html('<a href="{}{}" aria-label="{} at {}">{}</a>', url, bar.score, bar.count, bar.score, rect)
        if url and bar.count
        else rect
        for bar, rect in zip(bars, rects, strict=True)
    )
    pieces = format_html_join("", "{}", ((one,) for one in linked))
    summary = "; ".join(f"{bar.count} at {bar.score}" for bar in bars if bar.count) or "nothing scored"
    return format_html(
        '<svg class="rb-histogram" viewBox="0 0 88 23" role="{}" aria-label="{}">{}'
        '<line class="rb-mark-thin" x1="{}" x2="{}" y1="0" y2="23"/></svg>',
        "group" if url else "img",
        summary,
        pieces,
        round(mark * WIDTH),
        round(mark * WIDTH),
    )


@register.simple_tag
def trend_chart(found: Any) -> SafeString:
    """Scores over time (`queries.trend.AgentTrend`): a new line where the judge changed, the figures folded below."""
    return drawn("trend", found=found)

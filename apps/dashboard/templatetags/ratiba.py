"""States, scores, times and money as pages show them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from apps.core.subject import words_of
from apps.dashboard.domain import figures
from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import score_look
from apps.dashboard.parts.figures import badge, failed_mark

if TYPE_CHECKING:  # a place of the window stands above its tags
    from apps.dashboard.results.queries.analysis import AnalysisPanel

register = template.Library()
register.simple_tag(badge)
register.simple_tag(failed_mark)


@register.simple_tag
def score(value: float | None, one: Badge, mark: float | None = None) -> SafeString:
    """Render a score as a badge; screen readers read its label.
    A score that would round up to a missed pass mark has more digits (`figures.score_text`)."""
    if value is None:
        return mark_safe('<span class="rb-muted">–</span>')
    return format_html(
        '<span class="rb-badge rb-{}" title="{}"><span class="rb-icon" aria-hidden="true">{}</span> {}'
        '<span class="rb-silent">, {}</span></span>',
        one.tone.value,
        one.label,
        one.icon,
        figures.score_text(value, mark),
        one.label,
    )


@register.simple_tag
def conversation_named(panel: "AnalysisPanel", name: str, turn: int | None = None) -> SafeString:
    """A conversation that a finding names, and the turn it means; not a link where there is none of this name."""
    text = name if turn is None else f"{name}, turn {turn}"
    pk = panel.named.get(name)
    if pk is None:
        return format_html('<span class="rb-muted">{}</span>', text)
    place = "" if turn is None else f"#turn-{turn}"
    address = f"{reverse('conversation', args=[pk])}?evaluation={panel.evaluation_id}{place}"
    return format_html('<a href="{}">{}</a>', address, text)


@register.simple_tag
def score_at(value: float | None, mark: float) -> SafeString:
    return score(value, score_look(value, mark), mark)


@register.simple_tag
def kappa(value: float | None, decides: str = "", interval: Sequence[float] | None = None) -> SafeString:
    """A kappa with the weighting that decides and, where it is known, its interval: the same on every page."""
    if value is None:
        return mark_safe("–")
    about = [decides] if decides else []
    about += [f"[{interval[0]:.2f}, {interval[1]:.2f}]"] if interval else []
    return format_html('{} <span class="rb-muted">{}</span>', f"{value:.2f}", " ".join(about))


@register.filter
def exact(value: datetime) -> str:
    """Write a time as `22 Nov 2026 08:17 EAT`, in the tenant's time zone.

    Every page writes it so (ratiba_eval.formats).
    """
    return date_format(timezone.localtime(value), "DATETIME_FORMAT")


@register.filter
def ago(value: datetime | None) -> SafeString:
    """Draw a time as `3 min ago`, with the exact time on hover and for machines."""
    if value is None:
        return mark_safe('<span class="rb-muted">–</span>')
    text = figures.ago(value, timezone.now())
    return format_html('<time datetime="{}" title="{}">{}</time>', value.isoformat(), exact(value), text)


@register.filter
def clock(value: datetime | None) -> SafeString:
    if value is None:
        return SafeString("")
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        value.isoformat(),
        exact(value),
        timezone.localtime(value).strftime("%H:%M:%S"),
    )


@register.filter
def span(value: float | None) -> str:
    return figures.span(value) if value is not None else "–"


@register.filter
def milliseconds(value: int | None) -> str:
    return figures.milliseconds(value)


@register.filter
def dollars(value: Any) -> str:
    return figures.dollars(float(value)) if value is not None else "–"


@register.filter
def cost_of(row: Any) -> str:
    """The cost of a row's calls: `unknown` where none has a price, `at least $1.20` where some have none."""
    cost, calls, unpriced = (
        row[name] if isinstance(row, dict) else getattr(row, name) for name in ("cost", "calls", "unpriced")
    )
    if unpriced and not cost:
        return "unknown"
    return f"at least {figures.dollars(float(cost))}" if unpriced and calls else figures.dollars(float(cost))


@register.filter
def cost_words(summary: Mapping[str, Any]) -> tuple[str, str]:
    """The cost of an evaluation, and its calls without a price: `unknown`, `40 of 40 calls have no price`."""
    calls, unpriced = summary["model_calls"], summary["calls_without_price"]
    return figures.cost_parts(summary["known_cost_usd"], calls=calls, unpriced=unpriced)


@register.filter
def percent(value: float | None) -> str:
    return f"{100 * value:.0f} %" if value is not None else "–"


@register.filter
def plus_minus(interval: tuple[float, float] | None) -> str:
    return figures.plus_minus(interval)


@register.filter
def ten(value: float | None) -> str:
    """A score or mark as a place of 100, for drawing."""
    return f"{10 * value:.1f}" if value is not None else "0"


@register.filter
def against(value: float | None, mark: float | None) -> str:
    """A score as text beside its pass mark, never rounded up to a mark it missed."""
    return figures.score_text(value, mark) if value is not None else "–"


@register.filter
def breakable(name: str) -> SafeString:
    """A name that may be broken after an underscore, so that narrow columns do not cut words."""
    return format_html_join(mark_safe("_<wbr>"), "{}", ((part,) for part in name.split("_")))


@register.filter
def in_words(name: str) -> str:
    """Write a name such as `cross_check` as people say it."""
    return name.replace("_", " ")


@register.filter
def runs_of(kind: str) -> str:
    """The conversations of a kind of run: `battles`, `replays`."""
    return figures.NOUNS.get(kind, "conversation") + "s"


@register.filter
def subject(stored: dict[str, Any]) -> str:
    """The tested subject, on one line."""
    return words_of(stored)


@register.filter
def whole(value: int | None) -> str:
    return f"{value:,}" if value is not None else "–"


@register.filter
def counted(n: int | None, noun: str) -> str:
    """Write a count with its noun: `1 turn`, `1,200 turns`."""
    return figures.many(n or 0, noun)


@register.filter
def signed(value: float | None) -> str:
    """A difference: `+0.4`, `−1.2`."""
    return "–" if value is None else f"{value:+.1f}".replace("-", "−")


@register.filter
def chance(p: float | None) -> str:
    """A chance with three decimals; one below them is small, and never 0: `< 0.001`."""
    return "–" if p is None else f"{p:.3f}" if p >= 0.001 else "< 0.001"


@register.filter
def bracketed(interval: tuple[float, float] | None) -> str:
    """An interval of a difference: `[+0.1, +0.7]`."""
    return f"[{signed(interval[0])}, {signed(interval[1])}]" if interval else ""


@register.simple_tag
def cells(every: Sequence[Any]) -> SafeString:
    """Render a square for each conversation (`id`, `name`, `look`); resolves the address only once."""
    nobody = str(UUID(int=0))
    before, _, after = f"{reverse('conversation', args=[nobody])}?list=run".partition(nobody)
    return format_html_join(
        "",
        '<li><a href="{}" class="rb-cell rb-cell-{}" title="{}: {}"><span aria-hidden="true">{}</span>'
        '<span class="rb-silent">{}: {}</span></a></li>',
        (
            (
                f"{before}{one.id}{after}",
                one.look.tone,
                *(name_and_label := (one.name, one.look.label)),
                one.look.icon,
                *name_and_label,
            )
            for one in every
        ),
    )

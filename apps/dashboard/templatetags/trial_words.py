"""Figures of trials as their pages show them."""

from django import template

from apps.core.plurals import many

register = template.Library()


@register.filter
def points(value: float | None) -> str:
    """A difference of scores: `+1.15`, `−0.40`; "open" for a bound that so few families cannot give."""
    return "open" if value is None else f"{value:+.2f}".replace("-", "−")


@register.filter
def families(count: int) -> str:
    """`1 family`, `12 families`."""
    return many(count, "family", "families")


@register.filter
def confidence(share: float) -> str:
    """`95 %`, `97.5 %`."""
    return f"{100 * share:g} %"

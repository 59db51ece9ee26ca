"""Words and figures of a gate's report."""

from django import template

from apps.gates.domain.gate_words import CHANGES, OUTCOMES, gate_cost_words, link_title
from apps.gates.domain.own_versions import version_words
from apps.reports.templatetags.report_words import outcome_sign

register = template.Library()
register.filter("outcome_sign", outcome_sign)
register.filter("version_words", version_words)
register.filter("gate_cost_words", gate_cost_words)
register.filter("link_title", link_title)


@register.filter
def change_words(change: str) -> str:
    """Say how a case changed."""
    return CHANGES[change]


@register.filter
def outcome_words(outcome: str) -> str:
    """The answer to one question."""
    return OUTCOMES[outcome]


@register.filter
def signed_number(value: float) -> str:
    """1.5 → +1.50; a true minus."""
    return f"{value:+.2f}".replace("-", "−")

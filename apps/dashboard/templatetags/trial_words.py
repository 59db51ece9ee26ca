"""Figures of trials as their pages show them."""

from collections.abc import Mapping
from typing import Any

from django import template

from apps.core.plurals import many
from apps.dashboard.domain.trial_sentences import trial_in_words
from apps.dashboard.templatetags.criterion_titles import titles_for

register = template.Library()


@register.filter
def points(value: float | None) -> str:
    """A difference of scores: `+1.15`, `−0.40`; "open" for a bound that so few families cannot give."""
    return "open" if value is None else f"{value:+.2f}".replace("-", "−")


@register.filter
def families(count: int) -> str:
    """Write a count of families: `1 family`, `12 families`."""
    return many(count, "family", "families")


@register.filter
def confidence(share: float) -> str:
    """Write a share as `95 %`, `97.5 %`."""
    return f"{100 * share:g} %"


@register.simple_tag(takes_context=True)
def trial_verdict(context: Mapping[str, Any], trial: Any) -> str:
    """Say for people what a trial found; "" for one that decided nothing."""
    return trial_in_words(trial.decision, trial.part, titles_for(context["request"]))

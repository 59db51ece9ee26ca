"""A criterion as its reader calls it. Its name stays: it is what exports, YAML and the API say."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.dashboard.queries.criterion_titles import criterion_titles
from apps.dashboard.reading_language import language_of
from apps.dashboard.templatetags.ratiba import breakable

register = template.Library()


def titles_for(request: Any) -> Mapping[str, str]:
    """{name: title} in the language of who asks; one query a request, however many criteria a page names."""
    if not hasattr(request, "criterion_titles"):
        request.criterion_titles = criterion_titles(language_of(request))
    titles: Mapping[str, str] = request.criterion_titles
    return titles


@register.simple_tag(takes_context=True)
def criterion(context: Mapping[str, Any], name: str) -> SafeString:
    """The title, with the name on hover; the name itself where there is no title."""
    title = titles_for(context["request"]).get(name) if "request" in context else None
    if not title or title == name:
        return breakable(name)
    return format_html('<span title="{}">{}</span>', name, title)


@register.simple_tag(takes_context=True)
def criterion_text(context: Mapping[str, Any], name: str) -> str:
    """The title as plain text, for labels read aloud and for options of a list."""
    return (titles_for(context["request"]).get(name) if "request" in context else None) or name

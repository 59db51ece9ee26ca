"""Parts that show what was said and what people noted: transcript, quote, text difference, tags and notes."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.utils.safestring import SafeString

from apps.dashboard.parts.page import drawn

register = template.Library()


@register.simple_tag
def transcript(turns: Sequence[Any], nothing: str = "Nothing was said.") -> SafeString:
    """The chat of `queries.conversation.ShownTurn`s: number, role, text with marked quotes, tools, time, latency."""
    return drawn("transcript", turns=turns, nothing=nothing)


@register.simple_tag
def transcript_pair(rows: Sequence[Any], a: str, b: str) -> SafeString:
    """Render two transcripts side by side, from `FoldedRows`, under the column titles `a` and `b`.
    Equal rows are folded; every other row names its kind of difference."""
    return drawn("transcript_pair", rows=rows, a=a, b=b)


@register.filter
def speaker(role: str) -> str:
    """The speaker's name for readers: customer or agent."""
    return {"user": "customer", "assistant": "agent"}.get(role, role)


@register.simple_tag
def evidence_quote(one: Any, turns_at: str = "", length: int = 240) -> SafeString:
    """A quote a reason rests on, with how sure it is and a link to its turn. `one` has kind, quote, turn, and may have
    mark and repair (an object or a mapping)."""
    return drawn("evidence_quote", item=one, turns_at=turns_at, length=length)


@register.simple_tag
def line_pairs(rows: Sequence[Any], old_name: str, new_name: str) -> SafeString:
    """Draw the difference of two texts from pairs that a query has compared already."""
    return drawn("text_diff", rows=rows, old_name=old_name, new_name=new_name)


@register.simple_tag
def notes(every: Sequence[Mapping[str, Any]]) -> SafeString:
    """People's notes beside something: `by`, `at`, `text`, oldest first."""
    return drawn("notes", notes=every)

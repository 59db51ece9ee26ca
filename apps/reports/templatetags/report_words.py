"""Words and signs of a report: an outcome never shows by its colour alone."""

from collections.abc import Mapping
from typing import Any

from django import template

register = template.Library()

SIGNS = {"pass": "✓", "fail": "✕", "undecided": "≈", "unmeasurable": "?", "skipped": "–"}
DIFFERENCES = {
    "wording": "wording differs",
    "facts": "facts differ",
    "tool": "tool differs",
    "order": "order differs",
    "gate_late": "gate late",
    "desync": "lost its step",
    "asked_new": "asked something new",
    "value_unsure": "value unsure",
    "not_reached": "not reached",
    "left_way": "left the golden session's way",
}


@register.filter
def outcome_sign(outcome: str) -> str:
    """The sign beside an outcome's word."""
    return SIGNS.get(outcome, "•")


@register.filter
def difference_word(kind: str) -> str:
    """A kind of difference in words."""
    return DIFFERENCES.get(kind, kind.replace("_", " "))


@register.filter
def seconds(milliseconds: float) -> str:
    """1234 → 1.2 s."""
    return f"{milliseconds / 1000:.1f} s"


@register.filter
def verdict_sentence(report: Mapping[str, Any]) -> str:
    """What the report says, in one sentence."""
    conversations = report["conversations"]
    counts = {name: sum(1 for one in conversations if one["verdict"] == name) for name in SIGNS}
    listing = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    failing = [name for name, outcomes in report["outcomes"].items() if outcomes["fail"]]
    why = f"; failing: {', '.join(failing)}" if failing else ""
    many = f"{len(conversations)} conversation{'' if len(conversations) == 1 else 's'}"
    first = next((one for one in conversations if one["first_divergence"]), None)
    where = ""
    if first is not None:
        found = first["first_divergence"]
        where = f". {first['name']}: {difference_word(found['kind'])} at turn {found['number']}"
    return f"{many}: {listing or 'none'}{why}{where}."

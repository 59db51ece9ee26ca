"""Words and signs of a report: an outcome never shows by its colour alone."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

from apps.core.cost_words import cost_parts
from apps.core.plurals import many
from apps.reports.run_reports.domain import replay_page
from apps.runs.goldens.domain.replayed import call_text

register = template.Library()

SIGNS = {"pass": "✓", "fail": "✕", "undecided": "≈", "unmeasurable": "?", "skipped": "–"}
SENTENCES = {"finding": "Finding", "cause": "Maybe because", "next": "Next"}
DIFFERENCES = {
    "wording": "wording differs",
    "facts": "facts differ",
    "tool": "tool differs",
    "order": "order differs",
    "gate_late": "gate late",
    "gate_judged": "judged the same step",
    "desync": "lost its step",
    "asked_new": "asked something new",
    "value_unsure": "value unsure",
    "not_reached": "not reached",
    "left_way": "left the golden session's way",
}


@register.filter
def cost_sentence(report: Mapping[str, Any]) -> str:
    """Write the cost: `$0.0110`, `at least $4.10: 3 of 90 calls have no price`, `cost unknown: …`."""
    cost, unpriced = cost_parts(
        report["known_cost_usd"], calls=report["model_calls"], unpriced=report["calls_without_price"]
    )
    return f"{'cost ' if cost == 'unknown' else ''}{cost}{f': {unpriced}' if unpriced else ''}"


@register.filter
def outcome_sign(outcome: str) -> str:
    """The sign beside an outcome's word."""
    return SIGNS.get(outcome, "•")


@register.filter
def sentence_kind(kind: str) -> str:
    """The kind of a summary's sentence, in a word."""
    return SENTENCES.get(kind, kind)


@register.filter
def shown_by(sentence: Mapping[str, Any], report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The conversations of a report that a sentence of its summary names."""
    return [conversation for conversation in report["conversations"] if conversation["id"] in sentence["conversations"]]


@register.filter
def difference_word(kind: str) -> str:
    """A kind of difference in words."""
    return DIFFERENCES.get(kind, kind.replace("_", " "))


@register.filter
def called(call: Mapping[str, Any]) -> str:
    """A tool call with its arguments, on one line."""
    return call_text(call) if call["arguments"] is not None else f"{call['name']} (its arguments are not shown)"


@register.filter
def seconds(milliseconds: float) -> str:
    """1234 → 1.2 s."""
    return f"{milliseconds / 1000:.1f} s"


@register.filter
def check_title(name: str) -> str:
    """A check's name as people say it."""
    return replay_page.check_title(name)


@register.filter
def check_rows(conversation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The checks of a conversation, those that lack a model as one row."""
    return replay_page.check_rows(conversation["checks"])


@register.filter
def stretches(conversation: Mapping[str, Any]) -> list[replay_page.TurnStretch]:
    """The turns of a conversation, equal neighbours together."""
    return replay_page.stretches(conversation["turns"])


@register.filter
def strip(conversation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return every turn of a replay with the sign of its result; [] without a replay."""
    turns = conversation["turns"] if replay_page.kept_step(conversation) else ()
    return [
        {"number": turn["number"], "how": how, "sign": _STRIP[how][0], "words": _STRIP[how][1]}
        for turn, how in replay_page.strip(turns)
    ]


_STRIP = {
    "same": ("✓", "as recorded"),
    "differs": ("≈", "other words"),
    "matters": ("▲", "differs"),
    "missing": ("–", "not reached"),
}


@register.filter
def words_marked(turn: Mapping[str, Any]) -> dict[str, SafeString]:
    """Return both replies of a turn as escaped HTML, with the words marked that differ."""
    before, after = replay_page.marked_words(turn["golden_reply"], turn["reply"])
    return {"golden": mark_safe(before), "now": mark_safe(after)}  # noqa: S308 - escaped in marked_words


@register.filter
def verdict_sentence(report: Mapping[str, Any]) -> str:
    """The report's verdict in one sentence; `verdicts` are the counts of the whole run where the page holds a part."""
    conversations = report["conversations"]
    counts = report.get("verdicts") or Counter(conversation["verdict"] for conversation in conversations)
    total = sum(counts.values())
    listing = ", ".join(f"{counts[name]} {name}" for name in SIGNS if counts.get(name))
    failing = [check_title(name) for name, outcomes in report["outcomes"].items() if outcomes["fail"]]
    why = f"; failing: {', '.join(failing)}" if failing else ""
    first = next((conversation for conversation in conversations if conversation["first_divergence"]), None)
    where = ""
    if first is not None:
        divergence = first["first_divergence"]
        where = f". {first['name']}: {difference_word(divergence['kind'])} at turn {divergence['number']}"
    replayed = replay_page.replay_sentence(conversations)
    if replayed and total == 1:
        return f"{replayed}{why}{where}."
    return f"{f'{replayed}. ' if replayed else ''}{many(total, 'conversation')}: {listing or 'none'}{why}{where}."


@register.filter
def idle_checks(outcomes: Mapping[str, Mapping[str, int]]) -> list[str]:
    """The checks that no conversation was asked: their rows of noughts fold."""
    return [
        check for check, counts in outcomes.items() if not any(n for name, n in counts.items() if name != "skipped")
    ]

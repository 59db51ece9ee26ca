"""A gate's answer for a terminal: the same text from `eval_gate` and from `ratiba-ci gate`."""

import re
from collections.abc import Mapping
from typing import Any

from apps.gates.domain.case_groups import common_cause
from apps.gates.domain.escaping import plain
from apps.gates.domain.gate_markdown import SHOWN_CASES
from apps.gates.domain.gate_words import (
    LINK_WORDS,
    baseline_origin,
    change_words,
    gate_cost_words,
    kind_note,
    p_words,
    why_words,
)
from apps.gates.domain.own_versions import own_versions_lines

_HEAD = f"  {'metric':<34}{'base':>8}{'cand':>8}{'diff':>8}{'interval':>18}{'p':>9}{'n':>5}{'gained':>8}{'lost':>6}"


def terminal_table(gate: Mapping[str, Any]) -> str:
    """The decision, why, every question, changed cases, chain and money: plain text, no colour, no control characters.
    Pure."""
    if gate["decision"] is None:
        return f"not decided: {plain(gate['waiting_for'])}"
    through = kind_note(gate) if gate["decision"] == "fail" and gate["kind"] != "blocking" else ""
    lines = [f"{gate['decision'].upper()}{through}  {plain(gate['agent'])}: {plain(gate['sentence'])}"]
    lines += [f"  {plain(cause)}"] if (cause := common_cause(gate, shown=SHOWN_CASES)) else []
    lines += [f"  {plain(reason['sentence'])}" for reason in gate["reasons"][1:]]
    lines += [f"  {plain(note)}" for note in (*gate["change_notes"], *gate["notes"])]
    lines += [f"  {plain(line)}" for line in own_versions_lines(gate["own_versions"])] if gate["own_versions"] else []
    lines += [_HEAD] if gate["metrics"] else []
    lines += [_question(metric) for metric in gate["metrics"]]
    lines += [_case(case) for case in gate["cases"][:SHOWN_CASES]]
    more = max(0, len(gate["cases"]) - SHOWN_CASES) + gate["more_cases"]
    lines += [f"  and {more} more"] if more else []
    lines.append(
        "  " + " → ".join(f"{'ok' if one['holds'] else 'NO'} {LINK_WORDS[one['link']]}" for one in gate["chain"])
    )
    baseline = gate["baseline"]
    with_what = f"baseline {plain(baseline['commit'][:12])}, {baseline_origin(baseline)}" if baseline else "no baseline"
    cost = f"cost {gate_cost_words(gate)}, {gate['answers_from_cache']} answers from the cache"
    lines += [f"  {with_what}; {cost}, checksum of the answer {gate['digest'][:16]}", f"  {gate['url']}"]
    return "\n".join(_no_command(line) for line in lines)


def _no_command(line: str) -> str:
    """GitHub's runner obeys a line that begins with `::`, blanks aside, and `##[` wherever it stands."""
    return re.sub(r"^(\s*):(?=:)", r"\1: ", line).replace("##[", "## [")


def _question(one: Mapping[str, Any]) -> str:
    name = plain(one.get("title", one["metric"]) + (f" ({one['language']})" if one["language"] else ""))[:33]
    between = "" if one["interval"] is None else f"{one['interval'][0]:+.2f}…{one['interval'][1]:+.2f}"
    turned = f"{len(one['gained']):>8}{len(one['lost']):>6}" if one["share"] else ""
    return (
        f"  {name:<34}{one['baseline']:>8.2f}{one['candidate']:>8.2f}{one['difference']:>+8.2f}{between:>18}"
        f"{p_words(one['adjusted']):>9}{one['n']:>5}{turned}"
    )


def _case(one: Mapping[str, Any]) -> str:
    return f"  {change_words(one):<9} {plain(one['id'])}  {plain(why_words(one))}  {one['url']}".rstrip()

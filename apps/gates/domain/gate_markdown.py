"""The comment on a pull request and the step summary: one Markdown text, rendered here for every door.

Everything that is not a word of ours passes `escaped`. Links are addresses of this installation.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from apps.core.portable.first_names import listed
from apps.gates.domain.case_groups import case_groups, common_cause, moved_words
from apps.gates.domain.escaping import escaped
from apps.gates.domain.gate_words import (
    LINK_WORDS,
    OUTCOMES,
    baseline_origin,
    change_words,
    gate_cost_words,
    kind_note,
    lasting_notes,
    p_words,
    why_words,
)
from apps.gates.domain.metric_titles import metric_title
from apps.gates.domain.own_versions import own_versions_sentence, version_words
from apps.gates.domain.paired_metrics import COSTS
from apps.gates.domain.policy import policy_sentence

LONGEST = 60_000  # characters; GitHub refuses a comment beyond 65,536
SHOWN_CASES, SHOWN_METRICS, SHOWN_NAMES = 25, 40, 3
SIGNS = {"pass": "✅", "fail": "❌", "undecided": "❔", "unmeasurable": "⚠️"}


def gate_markdown(gate: Mapping[str, Any], *, address: str, known: Collection[str] = ()) -> str:
    """Write the gate's comment from the document that the API gives.

    It has the decision and its reason, the changes to judging, and the cases; then, folded, every question, and the
    notes that stay the same from gate to gate (`lasting_notes`), as far as they are not `known` from the gate before.
    `address` is the gate's page. At most LONGEST characters: rows of tables are left out first, and counted. Pure.
    """
    for cases, metrics in ((SHOWN_CASES, SHOWN_METRICS), (10, 20), (3, 8), (0, 0)):
        markdown = "\n\n".join(part for part in _parts(gate, address, cases, metrics, known) if part) + "\n"
        if len(markdown) <= LONGEST:
            return markdown
    return markdown[: LONGEST - 2] + "…\n"


def _parts(gate: Mapping[str, Any], address: str, cases: int, metrics: int, known: Collection[str]) -> list[str]:
    if gate["decision"] is None:
        return [f"### ⏳ Not decided yet: {escaped(gate['waiting_for'])}", f"[The gate]({address})"]
    lasting = lasting_notes(gate)
    sentence = f"{gate['sentence']} {common_cause(gate, shown=SHOWN_CASES)}".strip()
    return [
        f"### {SIGNS[gate['decision']]} {gate['decision']}{kind_note(gate)} — {escaped(sentence, longest=800)}",
        _reasons([reason for reason in gate["reasons"][1:] if reason["sentence"] not in lasting]),
        _notes(gate, lasting),
        _changes(gate),
        _of_what(gate),
        _cases(gate["cases"], gate["more_cases"], cases),
        _own_versions(gate["own_versions"], cases),
        _metrics(gate["metrics"], metrics),
        _lasting_notes(gate["chain"], [one for one in lasting if one not in known]),
        _foot(gate, address),
    ]


def _of_what(gate: Mapping[str, Any]) -> str:
    title = f" · {escaped(gate['title'], longest=120)}" if gate["title"] else ""
    return f"Agent {escaped(gate['agent'])} at {escaped(gate['commit'][:12])}{title} · {_baseline(gate)}"


def _baseline(gate: Mapping[str, Any]) -> str:
    baseline = gate["baseline"]
    if baseline is None:
        return "no baseline"
    commit = escaped(baseline["commit"][:12]) or "a commit nobody named"
    return f"baseline {commit}, {baseline_origin(baseline)}"


def _notes(gate: Mapping[str, Any], lasting: Collection[str]) -> str:
    first = gate["first_look"]
    links = [f"[The first look]({first['url']})"] if first else []
    return " ".join([*(escaped(note, longest=600) for note in gate["notes"] if note not in lasting), *links])


def _changes(gate: Mapping[str, Any]) -> str:
    """The pull request's changes to its own judging: first, in bold, whose versions decided."""
    if not gate["change_notes"]:
        return ""
    first, *rest = [escaped(change_note, longest=1200) for change_note in gate["change_notes"]]
    return "\n".join([f"⚠️ **{first}**", "", *(f"- {one}" for one in rest)])


def _own_versions(found: Mapping[str, Any] | None, shown: int) -> str:
    """The results of altered scenarios, played as the commit has them."""
    if found is None:
        return ""
    sentence = escaped(own_versions_sentence(found), longest=600)
    if not found["cases"] or not shown:
        return sentence
    rows = ["| altered scenario | as this commit has it (decides nothing) | as it decided |", "|---|---|---|"]
    for case in found["cases"][:shown]:
        name = escaped(case["id"], longest=100) or "scenario"
        link = f"[{name}]({case['url']})" if case["url"] else name
        rows.append(f"| {link} | {escaped(version_words(case['own']))} | {escaped(version_words(case['deciding']))} |")
    rest = len(found["cases"]) - shown
    return "\n".join([sentence, "", *rows]) + (f"\n\n… and {rest} more." if rest > 0 else "")


def _reasons(reasons: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(f"- {escaped(reason['sentence'])}" for reason in reasons[:10])


def _cases(cases: Sequence[Mapping[str, Any]], more: int, shown: int) -> str:
    if not cases or not shown:
        return ""
    rows = ["| case | change | score | why |", "|---|---|---:|---|"]
    groups = case_groups(cases[:SHOWN_CASES])[:shown]
    for group in groups:
        first, alike = group.cases[0], len(group.cases)
        moved = [case["difference"] for case in group.cases if case["difference"] is not None]
        score = " to ".join(f"{edge:+.2f}" for edge in sorted({min(moved), max(moved)} if moved else ()))
        names, change, why = _link(first), change_words(first), _why(first)
        if alike > 1:
            names = f"<details><summary>{alike} cases</summary>{', '.join(map(_link, group.cases))}</details>"
            change = ", ".join(f"{n} {word}" for word, n in Counter(map(change_words, group.cases)).items())
            cause = escaped(f"{group.cause}{moved_words(group.cases)}", longest=300)
            why = f"In each: {cause}. For example {_link(first)}: {why}"
        rows.append(f"| {names} | {change} | {score} | {why} |")
    rest = len(cases) - sum(len(group.cases) for group in groups) + more
    return "\n".join(rows) + (f"\n\n… and {rest} more." if rest else "")


def _link(one: Mapping[str, Any]) -> str:
    name = escaped(one["id"], longest=100) or "case"
    language = f" ({escaped(one['language'])})" if one["language"] else ""
    return f"[{name}]({one['url']}){language}" if one["url"] else f"{name}{language}"


def _why(one: Mapping[str, Any]) -> str:
    """The failing checks, the judge's reason, and both replies."""
    quoted = one.get("said") or {}
    replies = [
        f"**{side}:** {escaped(quoted[f'{side}_reply'])}"
        for side in ("baseline", "candidate")
        if quoted.get(f"{side}_reply")
    ]
    return "<br>".join([part for part in (escaped(why_words(one), longest=500),) if part] + replies)


def _metrics(metrics: Sequence[Mapping[str, Any]], shown: int) -> str:
    if not metrics or not shown:
        return ""
    rows = [
        "<details><summary>Every question that was asked</summary>\n",
        "| metric | baseline | candidate | difference | interval | p | n | gained | lost | |",
        "|---|---:|---:|---:|---|---:|---:|---|---|---|",
    ]
    for metric in metrics[:shown]:
        where = f" ({escaped(metric['language'])})" if metric["language"] else ""
        between = "" if metric["interval"] is None else f"{metric['interval'][0]:+.2f} to {metric['interval'][1]:+.2f}"
        name = escaped(metric.get("title") or metric_title(metric["metric"], {}))
        rows.append(
            f"| {name}{where} | {metric['baseline']:.2f} | {metric['candidate']:.2f} | "
            f"{metric['difference']:+.2f} | {between} | {p_words(metric['adjusted'])} | {metric['n']} | "
            f"{_names(metric['gained'])} | {_names(metric['lost'])} | {_outcome(metric)} |"
        )
    rest = f"\n… and {len(metrics) - shown} more." if len(metrics) > shown else ""
    return "\n".join([*rows, rest, "</details>"])


def _outcome(one: Mapping[str, Any]) -> str:
    """The outcome in words. A loss that is neither shown nor excluded is named where the figure got worse; "cannot
    tell" beside a fall of five points was read as a riddle."""
    fell = one["difference"] > 0 if one["metric"] in COSTS else one["difference"] < 0
    if one["outcome"] == "loss":
        return f"**{OUTCOMES['loss']}**"
    return "may be worse" if fell and one["outcome"] == "possible" else ""


def _names(names: Sequence[str]) -> str:
    return listed((escaped(name, longest=60) for name in names), SHOWN_NAMES)


def _lasting_notes(links: Sequence[Mapping[str, Any]], news: Sequence[str]) -> str:
    if not news:
        return ""
    steps = " → ".join(f"{'✓' if link['holds'] else '✗'} {LINK_WORDS[link['link']]}" for link in links)
    lines = [f"- {escaped(one, longest=600)}" for one in news]
    return "\n".join(
        ["<details><summary>What this gate does not look at</summary>\n", *lines, "", steps, "\n</details>"]
    )


def _foot(gate: Mapping[str, Any], address: str) -> str:
    from_cache = f", {gate['answers_from_cache']} answers from the cache" if gate["answers_from_cache"] else ""
    return (
        f"{policy_sentence(gate['policy'])} Cost: {gate_cost_words(gate)}{from_cache} · [the gate]({address}) · "
        f"the same conversations by the same rule give {gate['digest'][:16]} again"
    )

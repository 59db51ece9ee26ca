"""A gate's answer for a terminal. Text of models and pull requests loses its control characters."""

from collections.abc import Mapping, Sequence
from typing import Any

MOST_CASES = 20


def gate_table(gate: Mapping[str, Any]) -> str:
    """The decision, why, metrics, changed cases, money: one text."""
    lines = [f"{str(gate['decision']).upper()}  {gate['agent']}: {plain(gate['sentence'])}"]
    lines += [f"  {one['code']}: {plain(one['sentence'])}" for one in gate["reasons"]]
    rows: list[tuple[str, ...]] = [
        ("metric", "baseline", "candidate", "difference", "interval", "n", "gained", "lost", "")
    ]
    rows += [_row(one) for one in gate["metrics"]]
    if len(rows) > 1:
        lines += ["", *_columns(rows)]
    changed = gate["cases"][:MOST_CASES]
    if changed:
        lines += ["", "changed cases"]
        lines += [f"  {one['change']:<8} {plain(one['id'])}  {one.get('url') or ''}".rstrip() for one in changed]
        more = len(gate["cases"]) - len(changed) + int(gate.get("more_cases") or 0)
        lines += [f"  and {more} more"] if more else []
    baseline = gate.get("baseline")
    comparison = f"baseline {baseline['commit'][:12]}, {_age(baseline['age_s'])} old" if baseline else "no baseline"
    cost = f"${gate['cost_usd']:.4f}, {gate['answers_from_cache']} answers from the cache"
    lines += ["", f"{comparison}; {cost}; {gate.get('url') or ''}"]
    return "\n".join(lines)


def plain(text: Any) -> str:
    """One line without control characters, so that no text moves a cursor or begins a command of the runner."""
    return "".join(one if one.isprintable() else " " for one in str(text)).lstrip(":")


def _row(one: Mapping[str, Any]) -> tuple[str, ...]:
    name = plain(one["metric"]) + (f" [{one['language']}]" if one.get("language") else "")
    interval = one.get("interval")
    return (
        name, _number(one["baseline"]), _number(one["candidate"]), f"{one['difference']:+.2f}",
        f"{interval[0]:+.2f} … {interval[1]:+.2f}" if interval else "–", str(one["n"]),
        str(len(one["gained"])), str(len(one["lost"])), str(one["outcome"]),
    )  # fmt: skip


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for name, *figures in rows:
        cells = [name.ljust(widths[0]), *(text.rjust(width) for text, width in zip(figures, widths[1:], strict=True))]
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


def _age(seconds: float) -> str:
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"

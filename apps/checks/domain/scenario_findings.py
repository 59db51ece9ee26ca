"""Do the tools that a battle used, and the state it led to, hold what its scenario asserts? Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.checks.domain.golden_tools import call_fault
from apps.runs.domain.replayed import ExpectedTool, ToolUse


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """`faults` are sentences with the turn they are about (None: the whole conversation); `met` of `expected` hold."""

    faults: tuple[tuple[int | None, str], ...]
    met: int
    expected: int


def tool_assertions(expected: Sequence[ExpectedTool], used: Sequence[tuple[int, ToolUse]]) -> Findings:
    """Each expectation against the whole conversation: one call that fits is enough, one forbidden call too many."""
    faults = [fault for tool in expected if (fault := _tool_fault(tool, used)) is not None]
    return Findings(faults=tuple(faults), met=len(expected) - len(faults), expected=len(expected))


def end_assertions(*, expected_end: Sequence[str], end_reason: str, states: Sequence[Mapping[str, Any]]) -> Findings:
    """How it ended, and what stands at each path. States that could not be read are the caller's to look for."""
    faults: list[tuple[int | None, str]] = []
    if expected_end and end_reason not in expected_end:
        faults.append((None, f"It ended with {end_reason or 'no reason'}; expected {' or '.join(expected_end)}."))
    for state in states:
        found = state.get("found") or []
        if not any(_equal(one, state["expected"]) for one in found):
            shown = ", ".join(repr(one) for one in found[:3]) or "nothing"
            faults.append((None, f"{state['path']} of {state['url']} is {shown}; expected {state['expected']!r}."))
    expected = len(states) + bool(expected_end)
    return Findings(faults=tuple(faults), met=expected - len(faults), expected=expected)


def _tool_fault(tool: ExpectedTool, used: Sequence[tuple[int, ToolUse]]) -> tuple[int | None, str] | None:
    calls = [(at, use) for at, use in used if use.name == tool.name]
    wrong = [(at, call_fault(use, tool)) for at, use in calls]
    if tool.forbidden:
        at = next((at for at, why in wrong if not why), None)
        return None if at is None else (at, f"{tool.name} is forbidden and was called.")
    if not calls:
        names = ", ".join(dict.fromkeys(use.name for _, use in used)) or "no tool"
        return None, f"{tool.name} was never called; {names} was."
    if not all(why for _, why in wrong):
        return None
    at, why = min(wrong, key=lambda one: len(one[1]))
    return at, why


def _equal(found: Any, expected: Any) -> bool:
    """The same JSON value; 1 is not true."""
    return bool(found == expected) and isinstance(found, bool) is isinstance(expected, bool)

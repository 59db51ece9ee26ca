"""Do the tools that a battle used, its agent's words, and the state it led to, hold what its scenario asserts? Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.checks.domain.golden_tools import ToolFault, call_fault, fact_of_call, times
from apps.core.patterns import compile_pattern
from apps.runs.goldens.domain.played_scenario import ReplyTurn
from apps.runs.goldens.domain.replayed import ExpectedTool, ToolUse


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Findings on assertions. `faults` say what does not hold; `met` of `expected` hold."""

    faults: tuple[ToolFault, ...]
    met: int
    expected: int


def tool_assertions(expected: Sequence[ExpectedTool], used: Sequence[tuple[int, ToolUse]]) -> Findings:
    """Check each expectation against the whole conversation.

    One call that fits is enough, unless it says how many; one forbidden call is too many.
    """
    faults = [fault for tool in expected if (fault := _tool_fault(tool, used)) is not None]
    return Findings(faults=tuple(faults), met=len(expected) - len(faults), expected=len(expected))


def said_assertions(phrases: Sequence[Mapping[str, Any]], replies: Sequence[ReplyTurn]) -> Findings:
    """Check each phrase against all that the agent said.

    One reply with one of its texts is enough, and one is too many where it is forbidden. Case and the width of blanks
    do not count in `contains`. With `unless_customer_said`, what the customer wrote earlier may be said again: letters
    and digits alone are compared. Raises PatternProblem.
    """
    faults: list[ToolFault] = []
    for phrase in phrases:
        at = next((reply.position for reply in replies if _says(phrase, reply)), None)
        named = " or ".join(repr(one) for one in phrase["said"][:3])
        if phrase.get("forbidden") and at is not None:
            faults.append(ToolFault(at, f"The agent said {named}, which is forbidden.", fact="forbidden"))
        elif not phrase.get("forbidden") and at is None:
            faults.append(ToolFault(None, f"The agent never said {named}."))
    return Findings(faults=tuple(faults), met=len(phrases) - len(faults), expected=len(phrases))


def _says(phrase: Mapping[str, Any], reply: ReplyTurn) -> bool:
    return any(
        not (phrase.get("unless_customer_said") and _told(match, reply.told))
        for text in phrase["said"]
        for match in _matches(phrase, text, reply.text)
    )


def _matches(phrase: Mapping[str, Any], text: str, reply: str) -> list[str]:
    if phrase.get("match") == "regex":
        return compile_pattern(text, "/said").matches_in(reply)
    return [text] if _plain(text) in _plain(reply) else []


def _told(match: str, told: str) -> bool:
    """A number counts without its country's prefix, as people write it both ways."""
    sought = re.sub(r"[\W_]+", "", match.casefold())
    sought = sought.removeprefix("254").removeprefix("0") if sought.isdigit() else sought
    return bool(sought) and sought in re.sub(r"[\W_]+", "", told.casefold())


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def end_assertions(*, expected_end: Sequence[str], end_reason: str, states: Sequence[Mapping[str, Any]]) -> Findings:
    """Check how a conversation ended, and the value at each path.

    The caller reports states that could not be read.
    """
    faults: list[ToolFault] = []
    if expected_end and end_reason not in expected_end:
        faults.append(
            ToolFault(None, f"It ended with {end_reason or 'no reason'}; expected {' or '.join(expected_end)}.")
        )
    for state in states:
        read_states = state.get("found") or []
        if not any(_equal(read_state, state["expected"]) for read_state in read_states):
            shown = ", ".join(repr(read_state) for read_state in read_states[:3]) or "nothing"
            why = f"{state['path']} of {state['url']} is {shown}; expected {state['expected']!r}."
            faults.append(ToolFault(None, why, fact="state"))
    expected = len(states) + bool(expected_end)
    return Findings(faults=tuple(faults), met=expected - len(faults), expected=expected)


def _tool_fault(tool: ExpectedTool, used: Sequence[tuple[int, ToolUse]]) -> ToolFault | None:
    calls = [(at, use) for at, use in used if use.name == tool.name]
    wrong = [(at, use, call_fault(use, tool)) for at, use in calls]
    if tool.forbidden:
        at = next((at for at, _, why in wrong if not why), None)
        return None if at is None else ToolFault(at, f"{tool.name} is forbidden and was called.", fact="forbidden")
    fitting, others = ([at for at, _, why in wrong if bool(why) is unfit] for unfit in (False, True))
    if fault := _count_fault(tool, fitting, others):
        return fault
    if fitting or tool.least == 0:
        return None
    if not calls:
        names = ", ".join(dict.fromkeys(use.name for _, use in used)) or "no tool"
        return ToolFault(None, f"{tool.name} was never called; {names} was.")
    at, use, why = min(wrong, key=lambda one: len(one[2]))
    return ToolFault(at, why, fact=fact_of_call(use, tool))


def _count_fault(tool: ExpectedTool, fitting: Sequence[int], others: Sequence[int]) -> ToolFault | None:
    """The fault in the number of fitting calls, or in the `others` of that tool; both are lists of turns."""
    if tool.most is not None and len(fitting) > tool.most:
        expected = f"at most {times(tool.most)}" if tool.least != tool.most else times(tool.most)
        return ToolFault(fitting[tool.most], f"{tool.name} was called {times(len(fitting))}; expected {expected}.")
    if tool.least and 0 < len(fitting) < tool.least:
        return ToolFault(None, f"{tool.name} was called {times(len(fitting))}; expected {times(tool.least)} at least.")
    if tool.only and others and (fitting or tool.least == 0):
        return ToolFault(others[0], f"{tool.name} was also called otherwise, {times(len(others))}: only is asserted.")
    return None


def _equal(found: Any, expected: Any) -> bool:
    """Tell whether two JSON values are the same; 1 is not true."""
    return bool(found == expected) and isinstance(found, bool) is isinstance(expected, bool)

"""Were the golden session's tools called again, with the arguments it had? Pure.

Missing tools fail, further ones are told (brief 004). A plain name may be called anywhere in the session, as
often as it is named; an entry with arguments, status, order or `forbidden` is held against its own turn, each with a
call of its own.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from apps.catalog.scenarios.domain.expected_arguments import ArgumentMatch
from apps.core.patterns import PatternProblem, compile_pattern
from apps.core.phone_masking import whole_phone
from apps.core.redaction import redact
from apps.runs.goldens.domain.replayed import ExpectedTool, ReplayedTurn, ToolUse

_MONEY = re.compile(r"(?i)(?:amount|price|total|fee|deposit|refund|cost)\w{0,30} is ")


class ToolFault(NamedTuple):
    """An expectation that does not hold: its turn (None: the whole conversation), a sentence, and the kind of fact. A
    fact ("forbidden", "money", "state") is wrong whenever it happens; "" is what an agent may miss now and then."""

    at: int | None
    why: str
    fact: str = ""

    @property
    def evidence(self) -> dict[str, Any]:
        """The fault as a check's result stores it."""
        turn = {"turn": self.at} if self.at is not None else {}
        return {"kind": "rule", "why": self.why, **turn, **({"fact": self.fact} if self.fact else {})}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFindings:
    """Findings on tools.

    `faults` say what does not hold; `extra` names tools that the golden session does not have; `met` of `expected`
    expectations hold. `unseen` names tools that were held by their name alone, since the transport does not show
    arguments.
    """

    faults: tuple[ToolFault, ...]
    extra: tuple[str, ...]
    met: int
    expected: int
    unseen: tuple[str, ...] = ()


def tool_findings(turns: Sequence[ReplayedTurn]) -> ToolFindings:
    """Check every tool expectation of the session; `expected` is 0 where it has none."""
    wanted = [tool for turn in turns for tool in turn.expected_tools]
    missing, sentences = _missing_names(turns)
    own = [
        ToolFault(turn.at, fault, fact=_fact_of_turn(turn, tool) if fault else "")
        for turn in turns
        for tool, fault in turn_faults(turn)
    ]
    beside = list(_called_beside(turns, wanted))
    expected = len(wanted)
    return ToolFindings(
        faults=(
            *(ToolFault(None, sentence) for sentence in (*sentences, *beside)),
            *(fault for fault in own if fault.why),
        ),
        extra=tuple(sorted({use.name for turn in turns for use in turn.tools} - _known(turns))),
        met=max(0, expected - missing - len(beside) - sum(1 for fault in own if fault.why)),
        expected=expected,
        unseen=tuple(dict.fromkeys(name for turn in turns for name in _unseen(turn))),
    )


def _known(turns: Sequence[ReplayedTurn]) -> set[str]:
    """Tools that the golden session expects or shows."""
    shown = {call.name for turn in turns for call in turn.golden_calls}
    return shown | {tool.name for turn in turns for tool in turn.expected_tools}


def _missing_names(turns: Sequence[ReplayedTurn]) -> tuple[int, list[str]]:
    """Count the missing calls of plain names, and say them in sentences.

    Calls that other entries of the same name stand for are not counted twice.
    """
    seen = Counter(use.name for turn in turns for use in turn.tools)
    wanted = [tool for turn in turns for tool in turn.expected_tools if not tool.forbidden]
    plain = Counter(tool.name for tool in wanted if tool.plain)
    pinned = Counter(tool.name for tool in wanted if not tool.plain)
    absent = {name: count for name, count in plain.items() if not seen[name]}
    fewer = {
        name: (seen[name], count + pinned[name])
        for name, count in plain.items()
        if seen[name] and seen[name] < count + pinned[name]
    }
    sentences = [f"Missing tools {{{', '.join(absent)}}}. Got: {{{', '.join(sorted(seen))}}}"] if absent else []
    sentences += [
        f"{name} was called {times(now)}, in the golden session {times(then)}." for name, (now, then) in fewer.items()
    ]
    short = sum(min(then - now, plain[name]) for name, (now, then) in fewer.items())
    return sum(absent.values()) + short, sentences


def _called_beside(turns: Sequence[ReplayedTurn], tools: Sequence[ExpectedTool]) -> Iterator[str]:
    """The faults of tools that were called more often than the golden session allows where it allows no further
    call."""
    seen = Counter(use.name for turn in turns for use in turn.tools)
    expected = Counter(tool.name for tool in tools if not tool.forbidden)
    for name in dict.fromkeys(tool.name for tool in tools if tool.only):
        if seen[name] > expected[name]:
            yield f"{name} was called {times(seen[name])}, and only {times(expected[name])} is asserted."


def turn_faults(turn: ReplayedTurn) -> list[tuple[ExpectedTool, str]]:
    """Return (expectation, why the turn misses it, or "") for each expectation of the turn itself.
    Each expected call is matched to another call, so that most are met (Kuhn 1955)."""
    own = [tool for tool in turn.expected_tools if not tool.plain]
    answered = _assigned(turn, own)
    return [(tool, "" if place in answered else _fault(turn, tool, own)) for place, tool in enumerate(own)]


def _assigned(turn: ReplayedTurn, own: Sequence[ExpectedTool]) -> set[int]:
    """Places of the expectations that have a call of their own, or are met without one."""
    fits = {
        place: [at for at, use in enumerate(turn.tools) if use.name == tool.name and not call_fault(use, tool)]
        for place, tool in enumerate(own)
        if not tool.forbidden and (not tool.ordered or _in_order(turn, tool))
    }
    taken: dict[int, int] = {}

    def place_call(place: int, tried: set[int]) -> bool:
        for at in fits[place]:
            if at not in tried:
                tried.add(at)
                if at not in taken or place_call(taken[at], tried):
                    taken[at] = place
                    return True
        return False

    for place in fits:
        place_call(place, set())
    called = {use.name for use in turn.tools}
    spared = {place for place, tool in enumerate(own) if tool.forbidden and tool.name not in called}
    return {*taken.values(), *spared}


def _fault(turn: ReplayedTurn, tool: ExpectedTool, own: Sequence[ExpectedTool]) -> str:
    """Say why a turn does not meet an expectation that is its own and for which no call is left."""
    uses = [use for use in turn.tools if use.name == tool.name]
    if tool.forbidden:
        return f"{tool.name} is forbidden here and was called."
    if not uses:
        return f"{tool.name} was not called in this turn."
    if tool.ordered and not _in_order(turn, tool):
        return f"{tool.name} was called before a tool that comes before it in the golden session."
    wrong = [fault for use in uses if (fault := call_fault(use, tool))]
    if not wrong or len(uses) < sum(other.name == tool.name and not other.forbidden for other in own):
        expected = sum(other.name == tool.name and not other.forbidden for other in own)
        nearest = f" ({min(wrong, key=len)})" if wrong else ""
        return f"{tool.name} was called {times(len(uses))} in this turn, expected {times(expected)}{nearest}."
    return min(wrong, key=len)


def _fact_of_turn(turn: ReplayedTurn, tool: ExpectedTool) -> str:
    uses = [use for use in turn.tools if use.name == tool.name]
    facts = {fact_of_call(use, tool) for use in uses}
    return "forbidden" if tool.forbidden else next(iter(facts)) if len(facts) == 1 else ""


def fact_of_call(use: ToolUse, tool: ExpectedTool) -> str:
    """ "money" where an argument of the call holds another sum of money than the expected one; else ""."""
    if tool.arguments is None or use.arguments is None or tool.captured:
        return ""
    differing = differences(tool.arguments, use.arguments, match=tool.match)
    return "money" if any(_MONEY.search(one) for one in differing) else ""


def call_fault(use: ToolUse, tool: ExpectedTool) -> str:
    """Say why this call is not the expected one; "" where it is.

    A call that a golden session shows is held by its name where the transport shows no arguments.
    """
    if tool.status and use.status != tool.status:
        return f"{tool.name}: status {use.status or 'unknown'}, expected {tool.status}."
    if tool.arguments is None or (tool.captured and use.arguments is None):
        return ""
    if use.arguments is None:
        return f"{tool.name}: its arguments are not shown by this transport."
    differing = list(differences(tool.arguments, use.arguments, match=tool.match))
    return f"{tool.name}: {'; '.join(differing[:3])}." if differing else ""


def _unseen(turn: ReplayedTurn) -> Iterator[str]:
    held = {tool.name for tool in turn.expected_tools if tool.captured and tool.arguments}
    return (use.name for use in turn.tools if use.arguments is None and use.name in held)


def times(count: int) -> str:
    """Write a count in words: `once`, `3 times`."""
    return "once" if count == 1 else f"{count} times"


def differences(expected: Any, actual: Any, *, match: ArgumentMatch, path: str = "$") -> Iterator[str]:
    """Yield the places where two argument values differ, each with its JSON path.

    A pattern that cannot run is a difference.
    """
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for key in expected:
            if key not in actual:
                yield f"{path}.{key} is missing (expected {expected[key]!r})"
            else:
                yield from differences(expected[key], actual[key], match=match, path=f"{path}.{key}")
        if match is ArgumentMatch.EXACT:
            yield from (f"{path}.{key} is not in the golden session" for key in actual if key not in expected)
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            yield f"{path} has {len(actual)} entries (expected {len(expected)})"
        for at, (one, other) in enumerate(zip(expected, actual, strict=False)):
            yield from differences(one, other, match=match, path=f"{path}[{at}]")
    elif match is ArgumentMatch.REGEX and isinstance(expected, str):
        try:
            matches = compile_pattern(expected).found_in(str(actual))
        except PatternProblem as problem:
            matches = False
            yield f"{path}: {problem.message}"
        if not matches:
            yield f"{path} is {actual!r} (expected to match {expected!r})"
    elif _differ(expected, actual):
        alike = isinstance(expected, str) and isinstance(actual, str) and redact(expected) == redact(actual)
        yield (
            f"{path} is another value than the expected one; masked, both read {redact(str(actual))!r}"
            if alike
            else f"{path} is {actual!r} (expected {expected!r})"
        )


def _differ(expected: Any, actual: Any) -> bool:
    """Phones are the same by their number, however they are written; a value that was stored masked by what is left."""
    if isinstance(expected, str) and isinstance(actual, str):
        if expected == actual or redact(expected) == actual:
            return False
        return (whole_phone(expected) or expected) != (whole_phone(actual) or actual)
    return bool(expected != actual or isinstance(expected, bool) is not isinstance(actual, bool))


def _in_order(turn: ReplayedTurn, tool: ExpectedTool) -> bool:
    """Tell whether the ordered tools before this one were called before its last call."""
    names = [use.name for use in turn.tools]
    place = len(names) - 1 - names[::-1].index(tool.name)
    before = []
    for expected_tool in turn.expected_tools:
        if expected_tool is tool:
            break
        if expected_tool.ordered and not expected_tool.forbidden:
            before.append(expected_tool.name)
    return all(name in names[:place] for name in before)

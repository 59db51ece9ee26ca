"""Were the golden session's tools called again, with the arguments it had? Pure.

Missing tools fail, further ones are told (seeds 004, ADR-012). A plain name may be called anywhere in the session; an
entry with arguments, status, order or `forbidden` is held against its own turn.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.catalog.domain.expected_arguments import ArgumentMatch
from apps.core.patterns import PatternProblem, compile_pattern
from apps.core.phone_masking import whole_phone
from apps.core.redaction import redact
from apps.runs.domain.replayed import ExpectedTool, ReplayedTurn, ToolUse


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFindings:
    """`faults` are sentences with the turn they are about (None: the whole session); `extra` names tools that the
    golden session does not have; `met` of `expected` expectations hold."""

    faults: tuple[tuple[int | None, str], ...]
    extra: tuple[str, ...]
    met: int
    expected: int


def tool_findings(turns: Sequence[ReplayedTurn]) -> ToolFindings:
    """Every expectation of the session. Nothing expected: `expected` is 0."""
    seen = {use.name for turn in turns for use in turn.tools}
    wanted = [(turn, tool) for turn in turns for tool in turn.expected_tools]
    plain = dict.fromkeys(tool.name for _, tool in wanted if tool.plain)
    missing = [name for name in plain if name not in seen]
    faults: list[tuple[int | None, str]] = []
    if missing:
        faults.append((None, f"Missing tools {{{', '.join(missing)}}}. Got: {{{', '.join(sorted(seen))}}}"))
    own = [(turn, tool) for turn, tool in wanted if not tool.plain]
    unmet = 0
    for turn, tool in own:
        fault = tool_fault(turn, tool)
        if fault:
            unmet += 1
            faults.append((turn.at, fault))
    expected = len(plain) + len(own)
    known = {tool.name for _, tool in wanted}
    return ToolFindings(
        faults=tuple(faults),
        extra=tuple(sorted(seen - known)),
        met=expected - unmet - len(missing),
        expected=expected,
    )


def tool_fault(turn: ReplayedTurn, tool: ExpectedTool) -> str:
    """Why a turn does not meet an expectation that is its own; "" where it does."""
    uses = [use for use in turn.tools if use.name == tool.name]
    if tool.forbidden:
        return f"{tool.name} is forbidden here and was called." if uses else ""
    if not uses:
        return f"{tool.name} was not called in this turn."
    if tool.ordered and not _in_order(turn, tool):
        return f"{tool.name} was called before a tool that comes before it in the golden session."
    wrong = [call_fault(use, tool) for use in uses]
    return "" if not all(wrong) else min(wrong, key=len)


def call_fault(use: ToolUse, tool: ExpectedTool) -> str:
    """Why this call is not the expected one; "" where it is."""
    if tool.status and use.status != tool.status:
        return f"{tool.name}: status {use.status or 'unknown'}, expected {tool.status}."
    if tool.arguments is None:
        return ""
    if use.arguments is None:
        return f"{tool.name}: its arguments are not shown by this transport."
    differing = list(differences(tool.arguments, use.arguments, match=tool.match))
    return f"{tool.name}: {'; '.join(differing[:3])}." if differing else ""


def differences(expected: Any, actual: Any, *, match: ArgumentMatch, path: str = "$") -> Iterator[str]:
    """Where two argument values differ, each with its JSON path. A pattern that cannot run is a difference."""
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
            found = compile_pattern(expected).found_in(str(actual))
        except PatternProblem as problem:
            found = False
            yield f"{path}: {problem.message}"
        if not found:
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
    """Whether the ordered tools before this one were called before its last call."""
    names = [use.name for use in turn.tools]
    place = len(names) - 1 - names[::-1].index(tool.name)
    before = []
    for one in turn.expected_tools:
        if one is tool:
            break
        if one.ordered and not one.forbidden:
            before.append(one.name)
    return all(name in names[:place] for name in before)

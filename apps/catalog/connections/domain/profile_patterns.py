"""Patterns of a profile, and the defaults for Pega that ship as a file: a profile's own are tried first."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from apps.core.errors import BadInput
from apps.core.json_hygiene import escape
from apps.core.pattern_probe import refuse_slow_pattern
from apps.core.patterns import Pattern, PatternProblem, compile_pattern

PEGA_DEFAULTS = Path(__file__).resolve().parents[2] / "profiles" / "pega_patterns.json"
MAX_PATTERNS = 200
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPattern:
    """A reply that matches was made with this tool. `label` is for people."""

    pattern: str
    tool: str
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepAgentPattern:
    """A reply that matches tells of a step agent. `step_agent` is its name; "" where the pattern's group `name` holds
    it, or where only that there was one can be told."""

    pattern: str
    step_agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionPatterns:
    """All patterns a capture uses, in the order in which they are tried. Compiled without regard to case."""

    tools: tuple[tuple[Pattern, str], ...]
    step_agents: tuple[tuple[Pattern, str], ...]
    silent_uploads: tuple[Pattern, ...]

    def tools_in(self, reply: str) -> tuple[str, ...]:
        """Names of the tools that a reply shows, each once, in the order of the patterns. A pattern that takes too
        long on this reply finds nothing."""
        return _unique(tool for pattern, tool in self.tools if _found(pattern, reply))

    def step_agents_in(self, reply: str) -> tuple[str, ...]:
        """Names of the step agents that a reply tells of; ("",) where it shows only that there was one."""
        names = []
        for pattern, name in self.step_agents:
            if _found(pattern, reply):
                names.append(name or pattern.group_in(reply, "name"))
        return _unique(filter(None, names)) or (("",) if names else ())

    def is_upload(self, reply: str) -> bool:
        """Tell whether a reply to an empty turn says that a file was taken."""
        return any(_found(pattern, reply) for pattern in self.silent_uploads)


def detection_patterns(
    tools: Sequence[ToolPattern] = (),
    step_agents: Sequence[StepAgentPattern] = (),
    silent_uploads: Sequence[str] = (),
    *,
    defaults: bool = True,
) -> DetectionPatterns:
    """A profile's own patterns first, then the shipped ones for Pega."""
    own = (
        pega_defaults() if defaults else {"tool_patterns": (), "step_agent_patterns": (), "silent_upload_patterns": ()}
    )
    all_tools = (*tools, *(ToolPattern(**tool_pattern) for tool_pattern in own["tool_patterns"]))
    all_steps = (
        *step_agents,
        *(StepAgentPattern(**step_agent_pattern) for step_agent_pattern in own["step_agent_patterns"]),
    )
    return DetectionPatterns(
        tools=tuple((_compiled(tool.pattern), tool.tool) for tool in all_tools),
        step_agents=tuple((_compiled(step.pattern), step.step_agent) for step in all_steps),
        silent_uploads=tuple(_compiled(upload) for upload in (*silent_uploads, *own["silent_upload_patterns"])),
    )


@lru_cache(maxsize=1)
def pega_defaults() -> Mapping[str, Any]:
    """The shipped patterns, read as a profile's: 15 tools, 11 of step agents, 3 of silent uploads."""
    raw = json.loads(PEGA_DEFAULTS.read_text(encoding="utf-8"))
    return {
        "tool_patterns": tool_patterns(raw["tool_patterns"]),
        "step_agent_patterns": step_agent_patterns(raw["step_agent_patterns"]),
        "silent_upload_patterns": upload_patterns(raw["silent_upload_patterns"]),
    }


def tool_patterns(raw: Any) -> list[dict[str, str]]:
    """[{"pattern", "tool", "label"?}] from that form, from {pattern: tool} or from pairs. Raises BadInput with a
    pointer relative to the list."""
    return [_entry(at, pattern, fields, "tool", required=True) for at, pattern, fields in _entries(raw, "tool")]


def step_agent_patterns(raw: Any) -> list[dict[str, str]]:
    """[{"pattern", "step_agent"}] from that form, from {pattern: name}, from pairs or from patterns alone."""
    entries = _entries(raw, "step_agent")
    return [_entry(at, pattern, fields, "step_agent", required=False) for at, pattern, fields in entries]


def upload_patterns(raw: Any) -> list[str]:
    """Patterns of replies to a turn in which a file was sent without a word; also as [{"pattern"}]."""
    return [_entry(at, pattern, {}, "", required=False)["pattern"] for at, pattern, _ in _entries(raw, "")]


def _entries(raw: Any, name: str) -> Iterable[tuple[str, Any, Mapping[str, Any]]]:
    """(pointer, pattern, other fields) of every entry."""
    entries: list[tuple[str, Any, Mapping[str, Any]]]
    if isinstance(raw, Mapping):
        entries = [(f"/{escape(str(key))}", key, {name: value}) for key, value in raw.items()]
    elif isinstance(raw, list):
        entries = [_listed(item, f"/{index}", name) for index, item in enumerate(raw)]
    else:
        raise BadInput("must be a list of patterns")
    if len(entries) > MAX_PATTERNS:
        raise BadInput(f"has {len(entries)} patterns; the limit is {MAX_PATTERNS}")
    return entries


def _listed(item: Any, at: str, name: str) -> tuple[str, Any, Mapping[str, Any]]:
    if isinstance(item, str):
        return at, item, {}
    if isinstance(item, list) and len(item) == 2:
        return at, item[0], {name: item[1]}
    if not isinstance(item, Mapping):
        raise BadInput(f"must be an object with pattern{f' and {name}' if name else ''}", pointer=at)
    return f"{at}/pattern", item.get("pattern"), {key: value for key, value in item.items() if key != "pattern"}


def _entry(at: str, pattern: Any, fields: Mapping[str, Any], name: str, *, required: bool) -> dict[str, str]:
    if not isinstance(pattern, str) or not pattern.strip():
        raise BadInput("must be a regular expression", code="pattern", pointer=at)
    parent = at.removesuffix("/pattern")
    unknown = sorted(key for key in fields if key not in (name, "label") and key[:1] != "_")
    if unknown:
        raise BadInput(
            f"is not known here; there are pattern, {name}", code="unknown_field", pointer=f"{parent}/{unknown[0]}"
        )
    entry = {"pattern": pattern}
    for key in (name, "label"):
        value = fields.get(key) or ""
        if not isinstance(value, str) or len(value) > 200 or (required and key == name and not value.strip()):
            raise BadInput("must be a name of at most 200 characters", pointer=f"{parent}/{key}")
        if value:
            entry[key] = value
    try:
        refuse_slow_pattern(compile_pattern(pattern, ignore_case=True))
    except PatternProblem as error:
        raise BadInput(error.message, code=error.code, pointer=at) from None
    return entry


def _compiled(pattern: str) -> Pattern:
    return compile_pattern(pattern, ignore_case=True)


def _found(pattern: Pattern, text: str) -> bool:
    try:
        return pattern.found_in(text)
    except PatternProblem:
        return False


def _unique(names: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(names))

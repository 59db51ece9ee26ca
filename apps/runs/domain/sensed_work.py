"""Tools and step agents that a reply tells of, by the patterns of a profile."""

from collections.abc import Iterator, Mapping
from typing import Any

from apps.core.patterns import PatternProblem, compile_pattern


def sensed_tools(reply: str, profile: Mapping[str, Any]) -> list[str]:
    """Names of tools whose pattern is found in the reply, in the profile's order, each once."""
    return list(dict.fromkeys(_found(reply, profile.get("tool_patterns"), "tool")))


def sensed_step_agents(reply: str, profile: Mapping[str, Any]) -> list[str]:
    """Names of step agents whose pattern is found in the reply, in the profile's order, each once."""
    return list(dict.fromkeys(_found(reply, profile.get("step_agent_patterns"), "step_agent")))


def _found(reply: str, entries: Any, key: str) -> Iterator[str]:
    for entry in entries or ():
        try:
            if compile_pattern(str(entry["pattern"]), ignore_case=True).found_in(reply):
                yield str(entry[key])
        except (PatternProblem, KeyError, TypeError):
            continue  # checked when it was saved; one that has become too slow for a text says nothing about it

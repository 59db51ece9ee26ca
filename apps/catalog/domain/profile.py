"""An agent's profile: who it is, how its work goes, what is true, and how its tools show in what it says."""

from typing import Any

from apps.catalog.domain import field_readers as checks
from apps.core.patterns import MAX_PATTERN_CHARS, compile_pattern

SECTIONS = ("identity", "workflow", "known_facts", "tool_patterns")
IDENTITY = ("role", "description", "domain", "organization", "off_topic_guidance")


def parse_profile(raw: Any, pointer: str = "/profile") -> dict[str, Any]:
    """{"identity": {role, description, domain, organization, off_topic_guidance}, "workflow": {description, stages},
    "known_facts": [text], "tool_patterns": [{"pattern", "tool"}]}; empty sections are left out.

    Raises BadInput at the field at fault, a pattern that does not compile included.
    """
    data = checks.mapping(raw, pointer)
    checks.only(data, SECTIONS, pointer)
    sections = {
        "identity": _identity(data.get("identity"), checks.step(pointer, "identity")),
        "workflow": _workflow(data.get("workflow"), checks.step(pointer, "workflow")),
        "known_facts": _texts(data.get("known_facts"), checks.step(pointer, "known_facts")),
        "tool_patterns": _patterns(data.get("tool_patterns"), checks.step(pointer, "tool_patterns")),
    }
    return {name: value for name, value in sections.items() if value}


def _identity(raw: Any, pointer: str) -> dict[str, str]:
    data = checks.mapping(raw, pointer)
    checks.only(data, IDENTITY, pointer)
    return {key: checks.text(value, checks.step(pointer, key)) for key, value in data.items()}


def _workflow(raw: Any, pointer: str) -> dict[str, Any]:
    data = checks.mapping(raw, pointer)
    checks.only(data, ("description", "stages"), pointer)
    result: dict[str, Any] = {}
    if data.get("description"):
        result["description"] = checks.text(data["description"], checks.step(pointer, "description"))
    if data.get("stages"):
        result["stages"] = _texts(data["stages"], checks.step(pointer, "stages"))
    return result


def _texts(raw: Any, pointer: str) -> list[str]:
    return [
        checks.text(item, checks.step(pointer, index), required=True)
        for index, item in enumerate(checks.listing(raw, pointer))
    ]


def _patterns(raw: Any, pointer: str) -> list[dict[str, str]]:
    result = []
    for index, item in enumerate(checks.listing(raw, pointer)):
        at = checks.step(pointer, index)
        data = checks.mapping(item, at)
        checks.only(data, ("pattern", "tool"), at)
        where = checks.step(at, "pattern")
        pattern = checks.text(data.get("pattern"), where, required=True, limit=MAX_PATTERN_CHARS)
        compile_pattern(pattern, where)
        tool = checks.text(data.get("tool"), checks.step(at, "tool"), required=True, limit=200)
        result.append({"pattern": pattern, "tool": tool})
    return result

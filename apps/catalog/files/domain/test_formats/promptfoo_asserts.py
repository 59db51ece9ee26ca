"""promptfoo's asserts as assertions and criteria of a scenario; what none of ours says is named with its reason."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from apps.catalog.files.domain.test_formats.collecting import ImportedCase, texts_of
from apps.catalog.files.domain.test_formats.promptfoo_refusals import why_not
from apps.catalog.files.domain.test_formats.promptfoo_templates import Values, filled_value
from apps.catalog.scenarios.domain.reply_assertions import read_reply_limits
from apps.core.errors import BadInput

_GRADED = {
    "llm-rubric": "",
    "g-eval": "",
    "agent-rubric": "",
    "model-graded-closedqa": "",
    "factuality": "What the agent says agrees with: ",
    "model-graded-factuality": "What the agent says agrees with: ",
}
MAX_ASSERTS = 300  # each is told for each combination of the test's vars
_SETTINGS = ("weight", "metric", "transform", "provider", "rubricPrompt")
Placed = tuple[str, Any]  # where an assert stands, and the assert


def read_asserts(asserts: Sequence[Placed], values: Values, case: ImportedCase) -> None:
    """Put each assert into the case's assertions, criteria or left-out list. Raises BadInput past MAX_ASSERTS."""
    for at, one in asserts:
        if len(case.assertions) + len(case.criteria) + len(case.left_out) >= MAX_ASSERTS:
            raise BadInput(f"more than {MAX_ASSERTS} asserts in one test: split it")
        if not isinstance(one, Mapping) or not isinstance(one.get("type"), str):
            case.left_out.append(f"{at}: an assert without a type")
        elif one["type"] == "assert-set":
            _read_set(one, at, values, case)
        else:
            _read(one, at, values, case)


def _read_set(one: Mapping[str, Any], at: str, values: Values, case: ImportedCase) -> None:
    """All of a set must hold here. A set of which one is enough becomes one assertion where its members are words."""
    inner = one.get("assert")
    if not isinstance(inner, list) or not inner:
        case.left_out.append(f"{at} assert-set: it holds no list of asserts")
        return
    placed = [(f"{at}[{number}]", each) for number, each in enumerate(inner)]
    enough = _enough(one.get("threshold"), len(inner))
    if enough == len(inner):
        read_asserts(placed, values, case)
        _unread(one, at, "assert-set", case)
        return
    tried = ImportedCase()
    read_asserts(placed, values, tried)
    words = [each for each in tried.assertions if each.keys() <= {"said", "match"}]
    if enough == 1 and len(words) == len(inner) and not tried.criteria:
        texts = [
            text if each.get("match") == "regex" else f"(?i){re.escape(text)}"
            for each in words
            for text in each["said"]
        ]
        case.assertions.append({"said": texts, "match": "regex"})
        _unread(one, at, "assert-set", case)
        return
    case.left_out.append(
        f"{at} assert-set: {enough} of its {len(inner)} are enough there; here each assertion must hold, and only "
        "words can stand for one another"
    )


def _enough(threshold: Any, count: int) -> int:
    """Return how many of a set must hold; all where it has no threshold."""
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 < threshold < 1:
        return count
    return next(number for number in range(1, count + 1) if number / count >= threshold - 1e-9)


def _read(one: Mapping[str, Any], at: str, values: Values, case: ImportedCase) -> None:
    whole = str(one["type"])
    forbidden = whole.startswith("not-")
    kind = whole.removeprefix("not-")
    if one.get("weight") == 0:
        case.left_out.append(f"{at} {whole}: of weight 0, so it fails nothing there")
        return
    try:
        value = filled_value(one.get("value"), values)
    except BadInput as error:
        case.left_out.append(f"{at} {whole}: {error.message}")
        return
    marks = {"forbidden": True} if forbidden else {}
    if reason := why_not(kind, value):
        case.left_out.append(f"{at} {whole}: {reason}")
        return
    try:
        limits = _limits(kind, value, one)
    except BadInput as error:
        case.left_out.append(f"{at} {whole}: {error.message}")
        return
    if kind in _GRADED and isinstance(value, str) and value.strip() and not forbidden:
        case.criteria.append(_GRADED[kind] + value)
    elif kind == "is-refusal":
        case.criteria.append("The agent does not refuse." if forbidden else "The agent refuses what the customer asks.")
    elif limits and not forbidden:
        case.assertions.append(limits)
    elif (words := _words(kind, value)) and (len(words) == 1 or not forbidden):
        case.assertions += [{**word, **marks} for word in words]
    elif tools := _tools(kind, value):
        case.assertions += [{**tool, **marks} for tool in tools]
    elif forbidden:
        case.left_out.append(f"{at} {whole}: its opposite cannot be asserted here")
    else:
        case.left_out.append(
            f"{at} {whole}: there is no assertion of this kind here, or its value is not one that can be read"
        )
        return
    _unread(one, at, whole, case)


def _unread(one: Mapping[str, Any], at: str, whole: str, case: ImportedCase) -> None:
    names = _SETTINGS if whole in ("latency", "assert-set") else (*_SETTINGS, "threshold")
    unread = [key for key in names if key in one]
    case.left_out += [f"{at} {whole}: {', '.join(unread)} not read"] if unread else []


def _limits(kind: str, value: Any, one: Mapping[str, Any]) -> dict[str, Any]:
    """The limit of every reply that an assert stands for; {} for none. Raises BadInput for one that cannot be kept."""
    limit: dict[str, Any] = {}
    if kind == "latency":
        limit = {"latency_ms": one.get("threshold", value)}
    elif kind == "is-json":
        limit = {"json": True if value in (None, "", {}) else value}
    elif kind == "word-count":
        exact = isinstance(value, int) and not isinstance(value, bool)
        limit = {"words": {"min": value, "max": value} if exact else value}
    return read_reply_limits({"replies": limit}, "") if limit else {}


def _words(kind: str, value: Any) -> list[dict[str, Any]]:
    listed = texts_of(value.split(",") if kind.endswith(("-any", "-all")) and isinstance(value, str) else value)
    reader = _WORDS.get(kind)
    return (
        reader([one.strip() if kind.endswith(("-any", "-all")) else one for one in listed]) if reader and listed else []
    )


def _pattern(before: str, after: str) -> Callable[[list[str]], list[dict[str, Any]]]:
    return lambda texts: [{"said": [f"{before}{re.escape(text)}{after}" for text in texts], "match": "regex"}]


_WORDS: Mapping[str, Callable[[list[str]], list[dict[str, Any]]]] = {
    "contains": _pattern("", ""),
    "icontains": lambda texts: [{"said": texts}],
    "contains-any": _pattern("", ""),
    "icontains-any": lambda texts: [{"said": texts}],
    "contains-all": lambda texts: [{"said": [re.escape(text)], "match": "regex"} for text in texts],
    "icontains-all": lambda texts: [{"said": [text]} for text in texts],
    "equals": _pattern(r"\A\s*", r"\s*\Z"),
    "starts-with": _pattern(r"\A\s*", ""),
    "regex": lambda texts: [{"said": texts, "match": "regex"}],
}


def _tools(kind: str, value: Any) -> list[dict[str, Any]]:
    if kind == "trajectory:tool-used":
        named = [value] if isinstance(value, str) else value
        named = [value.get("name")] if isinstance(value, Mapping) else named
        return [{"tool": one} for one in named if isinstance(one, str)] if isinstance(named, list) else []
    if kind == "trajectory:tool-args-match" and isinstance(value, Mapping):
        tool, given = value.get("name") or value.get("tool"), value.get("args", value.get("arguments"))
        if isinstance(tool, str) and isinstance(given, Mapping):
            match = "exact" if value.get("mode") == "exact" else "subset"
            return [{"tool": tool, "arguments": dict(given), "match": match}]
    if kind == "trajectory:tool-sequence":
        steps = value.get("steps") if isinstance(value, Mapping) else value
        named = (
            [step.get("name") if isinstance(step, Mapping) else step for step in steps]
            if isinstance(steps, list)
            else []
        )
        return [{"tool": one} for one in named if isinstance(one, str)]
    return []

"""promptfoo's asserts as assertions and criteria of a scenario; what none of ours says is named with its reason."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from apps.catalog.domain.test_formats.collecting import ImportedCase, texts_of

_VARIABLE = re.compile(r"\{\{\s*([\w.-]+)\s*\}\}")
_CODE = ("javascript", "python", "ruby", "webhook")
_GRADED = ("llm-rubric", "g-eval", "factuality", "model-graded-closedqa", "model-graded-factuality", "agent-rubric")
_GRADED_PREFIX = {
    "factuality": "What the agent says agrees with: ",
    "model-graded-factuality": "What the agent says agrees with: ",
}
Values = Mapping[str, str]


def read_asserts(asserts: list[Any], values: Values, case: ImportedCase) -> None:
    """Put each assert into the case's assertions, criteria or left-out list."""
    for number, one in enumerate(asserts):
        at = f"assert[{number}]"
        if not isinstance(one, Mapping) or not isinstance(one.get("type"), str):
            case.left_out.append(f"{at}: no type")
            continue
        _read(one, at, values, case)


def _read(one: Mapping[str, Any], at: str, values: Values, case: ImportedCase) -> None:
    whole = str(one["type"])
    forbidden = whole.startswith("not-")
    kind = whole.removeprefix("not-")
    value = _filled(one.get("value"), values)
    if isinstance(value, str) and value.lstrip().startswith(("file://", "http://", "https://")):
        case.left_out.append(f"{at} {whole}: it stands in another file, which is not followed")
    elif kind in _CODE:
        case.left_out.append(f"{at} {whole}: code of others is not run")
    elif kind in _GRADED and isinstance(value, str) and value.strip() and not forbidden:
        case.criteria.append(_GRADED_PREFIX.get(kind, "") + value)
    elif (words := _words(kind, value)) and (len(words) == 1 or not forbidden):
        case.assertions += [{**word, **({"forbidden": True} if forbidden else {})} for word in words]
    elif tools := _tools(kind, value):
        case.assertions += [{**tool, **({"forbidden": True} if forbidden else {})} for tool in tools]
    else:
        case.left_out.append(f"{at} {whole}: there is no assertion of this kind here")
        return
    unread = [key for key in ("threshold", "weight", "metric", "transform", "provider") if key in one]
    case.left_out += [f"{at} {whole}: {', '.join(unread)} not read"] if unread else []


def _words(kind: str, value: Any) -> list[dict[str, Any]]:
    listed = texts_of(value.split(",") if kind.endswith(("-any", "-all")) and isinstance(value, str) else value)
    reader = _WORDS.get(kind)
    return (
        reader([one.strip() if kind.endswith(("-any", "-all")) else one for one in listed]) if reader and listed else []
    )


def _pattern(before: str, after: str) -> Callable[[list[str]], list[dict[str, Any]]]:
    return lambda texts: [{"said": [f"{before}{re.escape(one)}{after}" for one in texts], "match": "regex"}]


_WORDS: Mapping[str, Callable[[list[str]], list[dict[str, Any]]]] = {
    "contains": _pattern("", ""),
    "icontains": lambda texts: [{"said": texts}],
    "contains-any": _pattern("", ""),
    "icontains-any": lambda texts: [{"said": texts}],
    "contains-all": lambda texts: [{"said": [re.escape(one)], "match": "regex"} for one in texts],
    "icontains-all": lambda texts: [{"said": [one]} for one in texts],
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
            [one.get("name") if isinstance(one, Mapping) else one for one in steps] if isinstance(steps, list) else []
        )
        return [{"tool": one} for one in named if isinstance(one, str)]
    return []


def _filled(value: Any, values: Values) -> Any:
    """The value with its variables; a name that the test does not have stays as it is written."""
    if isinstance(value, str):
        return _VARIABLE.sub(lambda found: values.get(found[1], found[0]), value)
    if isinstance(value, list):
        return [_filled(one, values) for one in value]
    return value

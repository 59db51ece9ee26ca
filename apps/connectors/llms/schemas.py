"""JSON Schema in the dialect that strict structured output accepts (Anthropic, OpenAI): the common floor of both.

Every object closed, every property required (one that was optional may be null instead), and no bounds on numbers,
lengths or items: those providers refuse the keywords, and our parser checks the values anyway. A server of one's own
that obeys them gets them where its option says so: a small model may go on and on in a text without an end.
"""

import json
from collections.abc import Mapping
from typing import Any

BOUNDS = frozenset({"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"})
_DROPPED = frozenset(
    {
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "pattern",
        "uniqueItems",
        "minProperties",
        "maxProperties",
        "default",
        "examples",
        "$schema",
        "title",
    }
)
# One schema object serves a whole evaluation, so the answer is kept by identity, with the object itself so that its
# id cannot be taken by another one.
_KEPT: dict[tuple[int, bool], tuple[Mapping[str, Any], dict[str, Any]]] = {}
_KEEP = 64


def strict_schema(schema: Mapping[str, Any], *, bounds: bool = False) -> dict[str, Any]:
    """The strict form of `schema`, which is not changed (and must not be, afterwards), with its bounds or without.
    Costs microseconds when seen."""
    cached = _KEPT.get((id(schema), bounds))
    if cached is None:
        if len(_KEPT) >= _KEEP:
            _KEPT.clear()
        dropped = _DROPPED if bounds else _DROPPED | BOUNDS
        cached = _KEPT[id(schema), bounds] = (schema, _strict(schema, dropped))
    return cached[1]


def schema_in_words(schema: Mapping[str, Any]) -> str:
    """The sentence that asks for the shape where a server has no structured output."""
    return "Answer with one JSON object and nothing else. Its JSON Schema:\n" + json.dumps(schema, ensure_ascii=False)


def _strict(node: Any, dropped: frozenset[str]) -> Any:
    if isinstance(node, list | tuple):
        return [_strict(item, dropped) for item in node]
    if not isinstance(node, Mapping):
        return node
    strict = {
        key: {name: _strict(value, dropped) for name, value in item.items()}
        if key in ("properties", "$defs", "definitions") and isinstance(item, Mapping)
        else item
        if key in ("enum", "const", "required")
        else _strict(item, dropped)
        for key, item in node.items()
        if key not in dropped
    }
    properties = strict.get("properties")
    if isinstance(properties, dict):
        required = set(node.get("required", ()))
        strict["properties"] = {name: v if name in required else _nullable(v) for name, v in properties.items()}
        strict["required"] = list(properties)
        strict["additionalProperties"] = False
    elif node.get("type") == "object":
        strict["additionalProperties"] = False
    return strict


def _nullable(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    kind = node.get("type")
    if isinstance(kind, str) and "enum" not in node:
        return node if kind == "null" else {**node, "type": [kind, "null"]}
    if isinstance(kind, list) and "enum" not in node:
        return node if "null" in kind else {**node, "type": [*kind, "null"]}
    return {"anyOf": [node, {"type": "null"}]}

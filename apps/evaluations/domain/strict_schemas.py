"""JSON Schemas of answers as servers with strict structured output ask for them, and the keys of one in words."""

from collections.abc import Iterable, Mapping
from typing import Any

MAX_TEXT, MAX_ITEMS = 1200, 20  # for servers that obey them: a few sentences with room, where a model goes on and on


def strict(properties: Mapping[str, Any]) -> dict[str, Any]:
    """An object in which everything is required and nothing else allowed."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(items: Mapping[str, Any], *, most: int = MAX_ITEMS) -> dict[str, Any]:
    """A list of at most so many."""
    return {"type": "array", "items": dict(items), "maxItems": most}


def text_of(most: int = MAX_TEXT) -> dict[str, Any]:
    """A text of at most so many characters."""
    return {"type": "string", "maxLength": most}


def one_of(values: Iterable[str]) -> dict[str, Any]:
    """Return the schema of a text from this list; any text for an empty list, as servers refuse it."""
    allowed = list(dict.fromkeys(values))
    return {"type": "string", "enum": allowed} if allowed else {"type": "string"}


def keys_in_words(schema: Mapping[str, Any], *, nonce: str) -> str:
    """The keys of an answer in their order, as a question tells them: `"nonce": "n1", "fixes" [("section", "text")]`.

    Round brackets hold the keys of an object, square ones an entry of a list. No value stands in it but the nonce, and
    it is no JSON: a model that copies it has answered nothing, where a small model that was shown a filled-in form
    gives the values of the form back (docs/adr/0200). Where a server takes no schema its adapter adds the schema.
    """
    sentences = [
        f'"{name}": "{nonce}"' if name == "nonce" else f'"{name}"{_inner(node)}'
        for name, node in schema["properties"].items()
    ]
    return ", ".join(sentences)


def _inner(node: Mapping[str, Any]) -> str:
    if node.get("type") == "array":
        items = _inner(node["items"])
        return f" [{items.strip()}]" if items else " []"
    if "properties" in node:
        return " (" + ", ".join(f'"{name}"{_inner(inner)}' for name, inner in node["properties"].items()) + ")"
    return ""

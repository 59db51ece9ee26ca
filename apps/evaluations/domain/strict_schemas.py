"""JSON Schemas of answers as servers with strict structured output ask for them."""

from collections.abc import Mapping
from typing import Any


def strict(properties: Mapping[str, Any]) -> dict[str, Any]:
    """An object in which everything is required and nothing else allowed."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(items: Mapping[str, Any]) -> dict[str, Any]:
    """A list."""
    return {"type": "array", "items": dict(items)}

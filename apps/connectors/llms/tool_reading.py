"""Numbering the tool calls that a model asks for, whatever the format. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from apps.core.chat_parts import call_of_part
from apps.core.conversation import ToolCall


def numbered(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    """Give each call without an id one, by which its result is found."""
    return tuple(call if call.id else replace(call, id=f"call_{n}") for n, call in enumerate(calls, start=1))


def calls_of_parts(parts: Any) -> tuple[ToolCall, ...]:
    """The calls among the parts of an answer, numbered; what has no name is left out."""
    return numbered(call for part in objects_in(parts) if (call := call_of_part(part)) is not None)


def objects_in(items: Any) -> list[Mapping[str, Any]]:
    """Return the JSON objects of a list; [] for anything that is no list."""
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list | tuple) else []

"""Reading the tool calls that a model asks for, whatever the format. Pure; what cannot be read is left out."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from apps.core.conversation import ToolCall


def numbered(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    """Calls without an id get one: results are told apart by it."""
    return tuple(
        call if call.id else ToolCall(id=f"call_{n}", name=call.name, arguments=call.arguments, extra=call.extra)
        for n, call in enumerate(calls, start=1)
    )


def arguments_of(given: Any) -> dict[str, Any]:
    """What is no object stays visible under `raw`: the tool, or a check, says what is wrong with it."""
    if isinstance(given, str):
        try:
            given = json.loads(given or "{}")
        except ValueError:
            return {"raw": given}
    if given is None:
        return {}
    return dict(given) if isinstance(given, Mapping) else {"raw": given}


def objects_in(items: Any) -> list[Mapping[str, Any]]:
    """The objects of a list; nothing of what is none."""
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list | tuple) else []


def id_of(value: Any) -> str | None:
    """An id as text; None where the server gave none."""
    return str(value) if value else None

"""An entry as people read it: column by column, before beside after."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class ChangedField:
    """One column of the row."""

    field: str
    before: str
    after: str


def compare(
    before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, *, text: Callable[[str, Any], str | None]
) -> list[ChangedField]:
    """Return each column before and after; `text(column, value)` may name a value (an id)."""
    columns = sorted({*(before or {}), *(after or {})} - {"id"})
    return [
        ChangedField(field_name(column), _cell(column, before, text), _cell(column, after, text)) for column in columns
    ]


def changed_fields(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[str]:
    """The names of the columns that a change moved; nothing for a row that was added or deleted."""
    return [field_name(one) for one in sorted(after)] if before is not None and after is not None else []


def field_name(column: str) -> str:
    """A column's name in words."""
    return column.removesuffix("_id").replace("_", " ")


def plain_cell(text: str) -> str:
    """Text that a spreadsheet takes for text, not for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _cell(column: str, row: Mapping[str, Any] | None, text: Callable[[str, Any], str | None]) -> str:
    if row is None or column not in row:
        return "–"
    value = row[column]
    known = text(column, value)
    if known is not None:
        return known
    if value is None or value == "":
        return "empty"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)

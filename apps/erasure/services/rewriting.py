"""Reading rows of one place and writing what is left of them, whatever the place is."""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db import connection

from apps.audit.eraser import erase_rows
from apps.erasure.queries.places import SearchedTable
from apps.tenants.context import current_schema

EMPTY_BYTES = "\\x"
Row = Mapping[str, Any]


def rows_where(
    place: SearchedTable, columns: Sequence[str], where: str, parameters: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return key and columns of the rows of `t` that match `where`; JSON columns are parsed. One query."""
    listed = ", ".join(f't."{name}"' for name in (place.key, *(column for column in columns if column != place.key)))
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT {listed} FROM "{place.table}" t WHERE {where}', parameters)  # noqa: S608 - names of ours
        names = [one.name for one in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    for row in rows:
        for name in place.json & row.keys():
            row[name] = json.loads(row[name]) if isinstance(row[name], str) else row[name]
    return rows


def write_changes(
    place: SearchedTable, rows: Sequence[Row], change: Callable[[str, Any, Row], Any], *, write: bool
) -> list[Row]:
    """Give each column of each row to `change(column, value, row)`, and write the changed rows.

    Returns the changed rows with their old values; without `write` it writes nothing. A statement for each set of
    columns that changed.
    """
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    changed = list[Row]()
    for row in rows:
        after = {name: change(name, value, row) for name, value in row.items() if name in place.columns}
        differing = tuple(name for name in sorted(after) if after[name] != row[name])
        if differing:
            changed.append(row)
            changes = {name: _fitting(place, name, after[name]) for name in differing}
            groups[differing].append({place.key: row[place.key], **changes})
    if write:
        for columns, some in groups.items():
            erase_rows(schema=current_schema(), table=place.table, key=place.key, columns=columns, rows=some)
    return changed


def _fitting(place: SearchedTable, column: str, value: Any) -> Any:
    longest = dict(place.lengths).get(column)
    return value[:longest] if longest and isinstance(value, str) else value

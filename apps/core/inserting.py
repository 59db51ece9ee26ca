"""New rows of several tables written by one statement: one round trip, however many tables and rows.

Values travel as one JSON document per table and become columns by the table's own types, so a column added to a model
needs no change here. A field that is stored otherwise than it is read (an encrypted one) prepares its own value, as a
save does. Foreign keys between the tables are checked at the end of the transaction, as Django makes them.
"""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import connection, models

from apps.core.cursors import cursor_or_new


def insert_together(*tables: Sequence[models.Model]) -> None:
    """Insert unsaved rows: one sequence per table, each of one model, in the order they are to be written.

    One statement. Ids and times are the rows' own (`created_at` must be set: nothing is filled in here); an identity
    column is left to the database. No signals. Texts must be storable (apps.core.json_hygiene). Raises what the
    database raises: nothing is written then.
    """
    filled = [rows for rows in tables if rows]
    if not filled:
        return
    with connection.cursor() as cursor:
        cursor.execute(_statement(tuple(type(rows[0]) for rows in filled)), [_document(rows) for rows in filled])


def insert_new(rows: Sequence[models.Model], *, cursor: Any = None) -> set[Any]:
    """Insert rows of one model that are not there already; return the primary keys of those inserted.

    Rows that are there stay as they are. One statement, on the caller's cursor where there is one.
    """
    if not rows:
        return set()
    with cursor_or_new(cursor) as open_cursor:
        open_cursor.execute(_statement_for_new(type(rows[0])), [_document(rows)])
        return {key for (key,) in open_cursor.fetchall()}


def columns_of(model: type[models.Model]) -> tuple[tuple[str, str], ...]:
    """Return (column, type) of every column that is ours to write, as `rows_as_json` gives them."""
    return tuple((column, kind) for _, column, kind in _columns(model))


def rows_as_json(rows: Sequence[models.Model]) -> str:
    """Rows of one model as the JSON document that `jsonb_to_recordset` reads with `columns_of`."""
    return _document(rows)


@lru_cache(maxsize=64)
def _columns(model: type[models.Model]) -> tuple[tuple[str, str, str], ...]:
    """Return (attribute, column, type) of every column that is ours to write."""
    fields = [field for field in model._meta.concrete_fields if not isinstance(field, models.AutoField)]
    return tuple((field.attname, str(field.column), str(field.db_type(connection))) for field in fields)


@lru_cache(maxsize=64)
def _preparing(model: type[models.Model]) -> tuple[tuple[str, str, Callable[[Any], Any] | None], ...]:
    """Return for each column: the attribute, the column, and the function that prepares a value to be stored.

    The function is None for Django's own fields: Postgres reads their values by the column's type.
    """
    fields = {field.attname: field for field in model._meta.concrete_fields}
    return tuple(
        (attribute, column, None if _is_plain(fields[attribute]) else fields[attribute].get_prep_value)
        for attribute, column, _ in _columns(model)
    )


def _is_plain(field: Any) -> bool:
    kind = type(field)
    return all(
        getattr(kind, name).__module__.startswith("django.")
        for name in ("get_prep_value", "get_db_prep_value", "get_db_prep_save")
    )


@lru_cache(maxsize=64)
def _statement(kinds: tuple[type[models.Model], ...]) -> str:
    parts = [f"w{number} AS ({_insert(model, '%s')})" for number, model in enumerate(kinds)]
    return f"WITH {', '.join(parts)} SELECT 1"


@lru_cache(maxsize=64)
def _statement_for_new(model: type[models.Model]) -> str:
    return f'{_insert(model, "%s")} ON CONFLICT DO NOTHING RETURNING "{model._meta.pk.column}"'


def _insert(model: type[models.Model], document: str) -> str:
    names = ", ".join(f'"{column}"' for _, column, _ in _columns(model))
    typed = ", ".join(f'"{column}" {kind}' for _, column, kind in _columns(model))
    rows = f"SELECT {names} FROM jsonb_to_recordset({document}::jsonb) AS r({typed})"  # noqa: S608 - names of our models
    return f'INSERT INTO "{model._meta.db_table}" ({names}) {rows}'


def _document(rows: Sequence[models.Model]) -> str:
    columns = _preparing(type(rows[0]))
    whole = [
        {
            column: getattr(row, attribute) if prepare is None else prepare(getattr(row, attribute))
            for attribute, column, prepare in columns
        }
        for row in rows
    ]
    return json.dumps(whole, ensure_ascii=False, allow_nan=False, default=_plain)


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID | Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no place in a row written as JSON")

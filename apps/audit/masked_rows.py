"""Rows as another system gets them: copies whose columns are masked as the list says."""

import copy
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, TypeVar

from django.db import models

from apps.audit.domain.masking_rules import for_others

M = TypeVar("M", bound=models.Model)


def masked_rows(rows: Iterable[M]) -> Iterator[M]:
    """Return a copy of each row, and of the rows that were read with it, with people's words masked.

    Masked is every column that the list calls PERSONAL. Columns that were not read stay so, and what is read of a
    masked row's managers later is not masked. Not to be saved. No query.
    """
    read_together: dict[int, tuple[models.Model, models.Model]] = {}
    for row in rows:
        yield _masked_row(row, read_together)


def masked_columns(model: type[models.Model], rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Mask rows that were read as columns (`values()`)."""
    for row in rows:
        yield for_others(model._meta.db_table, row)


def _masked_row(row: M, done: dict[int, tuple[models.Model, models.Model]]) -> M:
    if id(row) in done:
        return done[id(row)][1]  # type: ignore[return-value]  # the copy of this very row
    columns, relations = _fields(type(row))
    read = {name: row.__dict__[name] for name in columns if name in row.__dict__}
    masked_row = type(row).__new__(type(row))
    masked_row.__dict__.update(row.__dict__, **for_others(row._meta.db_table, read))
    masked_row._state = copy.copy(row._state)
    cached = row._state.fields_cache
    done[id(row)] = row, masked_row  # the row itself too: while it lives, nothing else has its id
    masked_row._state.fields_cache = {
        name: _masked_row(one, done) if name in relations and one is not None else one for name, one in cached.items()
    }
    return masked_row


@cache
def _fields(model: type[models.Model]) -> tuple[tuple[str, ...], frozenset[str]]:
    """A model's own columns, and the names of rows that may be read with it."""
    fields = model._meta.concrete_fields
    relations = frozenset(field.name for field in fields if field.is_relation)
    return tuple(field.attname for field in fields if not field.is_relation), relations

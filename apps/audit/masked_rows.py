"""Rows as another system gets them: copies whose columns are masked as the list says."""

import copy
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from django.db import models

from apps.audit.domain.masking_rules import for_others

M = TypeVar("M", bound=models.Model)


def masked_rows(rows: Iterable[M]) -> Iterator[M]:
    """A copy of each row, and of the rows that were read with it, with people's words masked: every column that the
    list calls PERSONAL, and no name of one is written by whoever exports. Columns that were not read stay so. Not to
    be saved. No query."""
    read_together: dict[int, tuple[models.Model, models.Model]] = {}
    for row in rows:
        yield _masked_row(row, read_together)


def masked_columns(model: type[models.Model], rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The same for rows that were read as columns (`values()`)."""
    for row in rows:
        yield for_others(model._meta.db_table, row)


def _masked_row(row: M, done: dict[int, tuple[models.Model, models.Model]]) -> M:
    if id(row) in done:
        return done[id(row)][1]  # type: ignore[return-value]  # the copy of this very row
    found = copy.copy(row)
    done[id(row)] = row, found  # the row itself too: while it lives, nothing else has its id
    found.__dict__.update(for_others(row._meta.db_table, _columns_read(row)))
    for field in row._meta.concrete_fields:
        if not isinstance(field, models.ForeignKey) or not field.is_cached(row):
            continue
        if (one := field.get_cached_value(row)) is not None:
            field.set_cached_value(found, _masked_row(one, done))
    return found


def _columns_read(row: models.Model) -> dict[str, Any]:
    names = [field.attname for field in row._meta.concrete_fields if not field.is_relation]
    return {name: row.__dict__[name] for name in names if name in row.__dict__}

"""The tables and columns that are searched, as the lists and the models say."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from django.apps import apps
from django.db import models

from apps.audit.domain.personal_columns import PERSONAL
from apps.catalog.fields import _CiphertextField

CACHE = "budgets_cachedresponse"  # checked by a sum: an entry with somebody's words in it goes as a whole
FILES = "catalog_storedfile"


@dataclass(frozen=True, slots=True)
class SearchedTable:
    """A table that may hold somebody's words: its key, and which columns are JSON, text or bytes."""

    table: str
    key: str
    json: frozenset[str]
    text: frozenset[str]
    bytes: frozenset[str]
    lengths: tuple[tuple[str, int], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return (*sorted(self.text), *sorted(self.json), *sorted(self.bytes))


@lru_cache(maxsize=1)
def places() -> tuple[SearchedTable, ...]:
    """Every table with PERSONAL columns; ciphertext is not searched, it goes by reference."""
    by_table = {model._meta.db_table: model for model in apps.get_models() if not model._meta.proxy}
    return tuple(_place(by_table[table], columns) for table, columns in sorted(PERSONAL.items()) if table in by_table)


def place_of(table: str) -> SearchedTable:
    """Return the searched table of this name. Raises StopIteration for a table that is on no list."""
    return next(place for place in places() if place.table == table)


def _place(model: type[models.Model], columns: Collection[str]) -> SearchedTable:
    fields = {str(field.column): field for field in model._meta.concrete_fields if field.column in columns}
    searched = {name: field for name, field in fields.items() if not isinstance(field, _CiphertextField)}
    as_json = frozenset(name for name, field in searched.items() if isinstance(field, models.JSONField))
    as_bytes = frozenset(name for name, field in searched.items() if isinstance(field, models.BinaryField))
    return SearchedTable(
        table=model._meta.db_table,
        key=str(model._meta.pk.column),
        json=as_json,
        bytes=as_bytes,
        text=frozenset(searched) - as_json - as_bytes,
        lengths=tuple((name, field.max_length) for name, field in searched.items() if field.max_length),
    )

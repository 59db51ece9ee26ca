"""Writing stored secrets again under the newest field key, wherever a model keeps one."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.db import connection, models, transaction

from apps.catalog.fields import ENCRYPTED_FIELDS, field_keys
from apps.core import encryption


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A secret that no present key opens: it stays as it was and must be entered again, or its key put back."""

    where: str
    id: str

    def __str__(self) -> str:
        return f"{self.where} {self.id}"


@dataclass(slots=True, kw_only=True)
class Rotation:
    """Result of a rotation: how many secrets are under the newest key now, and which could not be read."""

    rewritten: int = 0
    unreadable: list[Unreadable] = field(default_factory=list)


def encrypted_fields() -> Iterator[tuple[type[models.Model], Any]]:
    """Yield (model, field) of every encrypted column of the installed apps; a new one is found by itself."""
    for model in apps.get_models():
        for local_concrete_field in model._meta.local_concrete_fields:
            if isinstance(local_concrete_field, ENCRYPTED_FIELDS):
                yield model, local_concrete_field


def reencrypt_secrets() -> Rotation:
    """Write every stored secret of the present tenant again under the newest field key. Safe to repeat.

    Run it in every tenant after putting a new key in front; then the old key can be dropped. A secret that no key opens
    is left as it is and named, and blocks no other; ciphertext is read and written as such, so no value is parsed.
    One query a column and one a secret; every row is written by itself and only if nobody changed it meanwhile.
    """
    keys = field_keys()
    rotation = Rotation()
    for model, one in encrypted_fields():
        if model._meta.db_table in _tables():
            _reencrypt(model, one, keys, rotation)
    return rotation


def _reencrypt(model: type[models.Model], one: Any, keys: tuple[str, ...], rotation: Rotation) -> None:
    quote = connection.ops.quote_name
    table, column, key = quote(model._meta.db_table), quote(one.column), quote(str(model._meta.pk.column))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {key}, {column} FROM {table} WHERE {column} <> '' ORDER BY {key}")  # noqa: S608 - names of our models
        rows = cursor.fetchall()
        for row_id, stored in rows:
            tokens, fresh = one.tokens(stored), dict[str, str]()
            for name, token in tokens.items():
                try:
                    fresh[name] = encryption.rotate(token, keys)
                except encryption.EncryptionError:
                    where = ".".join(filter(None, (model._meta.label, one.name, name)))
                    rotation.unreadable.append(Unreadable(where=where, id=str(row_id)))
            if not fresh:
                continue
            with transaction.atomic():
                cursor.execute(
                    f"UPDATE {table} SET {column} = %s WHERE {key} = %s AND {column} = %s",  # noqa: S608 - as above
                    [one.stored(tokens | fresh), row_id, stored],
                )
            rotation.rewritten += len(fresh) if cursor.rowcount else 0


def _tables() -> set[str]:
    """Return the tables of the present schema. Models that only the platform has keep their tables in `public`."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        return {name for (name,) in cursor.fetchall()}

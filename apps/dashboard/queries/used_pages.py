"""Find the pages in use: those whose tables hold a row of the tenant."""

from collections.abc import Collection

from django.apps import apps
from django.db import connection


def used_models(labels: Collection[str]) -> frozenset[str]:
    """Return those of these models ("gates.gatefloor") that have a row here. One query, none for no label."""
    if not labels:
        return frozenset()
    named = sorted(labels)
    tables = (connection.ops.quote_name(apps.get_model(label)._meta.db_table) for label in named)
    with connection.cursor() as cursor:
        columns = ", ".join(f"EXISTS (SELECT FROM {table})" for table in tables)
        cursor.execute(f"SELECT {columns}")
        return frozenset(label for label, used in zip(named, cursor.fetchone(), strict=True) if used)

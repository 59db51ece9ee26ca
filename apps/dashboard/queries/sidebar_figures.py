"""Read the figures of the sidebar: what a tenant has used, and how much waits for this reader."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.core.cache import cache
from django.db import connection
from django.db.models import QuerySet

MAX_COUNTED = 100
_HOME_HOLDS = 600  # seconds: Home asks twenty queries, other pages only repeat what it last said


@dataclass(frozen=True, slots=True)
class SidebarFigures:
    """`used` are the models that have a row here; `waiting` is how much waits, by page, MAX_COUNTED at most."""

    used: frozenset[str]
    waiting: Mapping[str, int]


def sidebar_figures(labels: Collection[str], waiting: Mapping[str, tuple[str, Sequence[Any]]]) -> SidebarFigures:
    """Ask which of these models ("gates.gatefloor") have a row here, and how many rows each of these queries finds.

    One query for all, none for nothing.
    """
    if not labels and not waiting:
        return SidebarFigures(frozenset(), {})
    named = sorted(labels)
    tables = (connection.ops.quote_name(apps.get_model(label)._meta.db_table) for label in named)
    columns = [f"EXISTS (SELECT FROM {table})" for table in tables]
    columns += [f"(SELECT count(*) FROM ({sql} LIMIT {MAX_COUNTED}) w)" for sql, _ in waiting.values()]  # noqa: S608 - our own
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(columns)}", [one for _, params in waiting.values() for one in params])
        figures = cursor.fetchone()
    used = frozenset(label for label, there in zip(named, figures, strict=False) if there)
    return SidebarFigures(used, dict(zip(waiting, figures[len(named) :], strict=True)))


def rows_of(rows: QuerySet[Any]) -> tuple[str, Sequence[Any]]:
    """Return the query of these rows, as `sidebar_figures` takes it."""
    return rows.order_by().values("pk").query.sql_with_params()


def remember_home(user: str, count: int) -> None:
    """Cache how many to-dos Home has just shown this person."""
    cache.set(_home_key(user), count, _HOME_HOLDS)


def waiting_at_home(user: str) -> int:
    """Return how many things needed this person when Home last said so; 0 where that is ten minutes ago. No query."""
    return int(cache.get(_home_key(user), 0))


def _home_key(user: str) -> str:
    return f"waiting-at-home-{user.encode().hex()}"

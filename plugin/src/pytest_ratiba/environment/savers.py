"""LangGraph's checkpoint savers, each on a connection of its own into the tenant's schema."""

import importlib.util
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from pytest_ratiba.environment.tenant import EvalTenant


def installed() -> bool:
    """Whether langgraph-checkpoint-postgres is there (extra `pytest-ratiba[langgraph]`)."""
    try:
        return importlib.util.find_spec("langgraph.checkpoint.postgres") is not None
    except ImportError:
        return False


def set_up(tenant: EvalTenant) -> None:
    """Make the saver's tables in the schema; about 0.1 s.

    In autocommit, because it makes indexes concurrently, which waits for older snapshots of the whole database.
    """
    from langgraph.checkpoint.postgres import PostgresSaver

    with tenant.connect(**_options()) as connection:
        PostgresSaver(connection).setup()


@contextmanager
def saver(tenant: EvalTenant) -> Iterator[Any]:
    """A PostgresSaver; its connection is closed at the end."""
    from langgraph.checkpoint.postgres import PostgresSaver

    with tenant.connect(**_options()) as connection:
        yield PostgresSaver(connection)


@asynccontextmanager
async def async_saver(tenant: EvalTenant) -> AsyncIterator[Any]:
    """An AsyncPostgresSaver of the loop that runs now; its connection is closed at the end."""
    import psycopg
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

    async with await psycopg.AsyncConnection.connect(tenant.url, autocommit=True, **_options()) as connection:
        yield AsyncPostgresSaver(connection)


def _options() -> dict[str, Any]:
    from psycopg.rows import dict_row

    return {"prepare_threshold": 0, "row_factory": dict_row}

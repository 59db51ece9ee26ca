"""A caller's cursor where there is one: finding the schema again costs a statement."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from django.db import connection


def cursor_or_new(cursor: Any = None) -> AbstractContextManager[Any]:
    """The cursor that is given, left open; else one of the connection, closed at the end of the block."""
    return connection.cursor() if cursor is None else nullcontext(cursor)

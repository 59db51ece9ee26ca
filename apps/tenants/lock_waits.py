"""Keep workers from waiting long for anybody's lock.

A table that one tenant's backup, migration or bulk insert holds would hold every process of them, and all other tenants
with it.
"""

from typing import Any

from django.db.backends.signals import connection_created
from psycopg.errors import LockNotAvailable as _LockNotAvailable

WAIT_S = 5


def limit_lock_waits() -> None:
    """Limit each new connection of this process to waiting WAIT_S seconds for a lock.

    It gives up a statement that has waited longer for a table or a row: an OperationalError, of which `lock_timed_out`
    knows. One round trip more a connection. Pools that fork inherit it. Said by a statement, since PgBouncer takes no
    such option at the start. Safe to repeat.
    """
    connection_created.connect(_limit, dispatch_uid="apps.tenants.lock_waits")


def _limit(*, connection: Any, **_: Any) -> None:
    connection.connection.execute(f"SET lock_timeout = '{WAIT_S}s'")


def lock_timed_out(error: BaseException) -> bool:
    """Tell whether this is a statement that gave up waiting for a lock.

    Nothing was changed by it, and the connection can be used.
    """
    return isinstance(error, _LockNotAvailable) or isinstance(error.__cause__, _LockNotAvailable)

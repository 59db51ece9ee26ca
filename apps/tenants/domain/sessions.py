"""Decide from a probe whether a session belongs to its client.

A schema is chosen by `SET search_path`, and slots are session locks. A pooler that lends one session of the server to
several clients in turn mixes tenants.
"""

from collections.abc import Sequence
from dataclasses import dataclass

MIXED = (
    "DATABASE_URL leads to a connection pooler that shares sessions among its clients (in PgBouncer: pool_mode = "
    "transaction or statement), so one tenant's rows would be given to another. Set pool_mode = session for this "
    "database, or let DATABASE_URL name Postgres itself."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLook:
    """One client's look at its session, in one statement: the server process that answered, and the marker in its
    session. `marker` is None where the session has none."""

    client: int
    backend: int
    marker: str | None


def sessions_belong(looks: Sequence[SessionLook]) -> bool:
    """Tell whether each client met its own session at every look, and no two clients the same one.

    False where fewer than two clients looked: nothing is proven then.
    """
    own: dict[int, SessionLook] = {}
    if any(look.marker is None or own.setdefault(look.client, look) != look for look in looks):
        return False
    return len(own) > 1 and len({look.backend for look in own.values()}) == len(own)

"""The first connection of a process proves that its sessions are its own; else there is none.

A pooler in transaction or statement mode lends one session to several clients, and rows of A are shown to B. Nobody has
to say that there is one: two clients leave a marker each in their sessions and look again. Once a process and address,
that is two connections and 4 round trips at Postgres itself; 14 where something stands between, and once more with the
first connection after a minute. A pooler in session mode passes, and so does one that leaves a session to its client
from the first `SET` on.
"""

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import psycopg
from django.db import OperationalError
from django.db.backends.signals import connection_created

from apps.tenants.domain.sessions import MIXED, SessionLook, sessions_belong
from apps.tenants.errors import SessionsMixed

# Through a pooler, so often: a busy one may lend a session to a third client at the very moment of one look, and a
# client that asks twice at once meets another session where they are lent in turn.
_POOLED = (0, 0, 1, 1) * 3
_DIRECT = (0, 1)
_CONNECT_TIMEOUT_S = 10
_LEAVE = "SELECT pg_backend_pid(), set_config('ratiba.probe', %s, false)"
_LOOK = "SELECT pg_backend_pid(), nullif(current_setting('ratiba.probe', true), '')"
_DJANGOS = frozenset({"context", "cursor_factory", "prepare_threshold"})  # of its own connections alone

_PROVEN_S = 60.0  # a pooler may be told another mode while we run; Postgres itself has none
_DIRECT_LOOKS = 2 + len(_DIRECT)

_proven: dict[tuple[str, str, str], float] = {}  # address: until when, by time.monotonic
_lock = threading.Lock()


def probe(connect: Callable[[], psycopg.Connection[Any]]) -> Sequence[SessionLook]:
    """Look at the sessions of two clients. `connect` gives a new connection in autocommit; both are closed. Changes
    nothing that outlives them. Raises psycopg.Error."""
    with connect() as first, connect() as second:
        clients = (first, second)
        looks = [_ask(clients, number, _LEAVE, [secrets.token_hex(8)]) for number in range(len(clients))]
        # What Postgres told at the start, which a pooler makes up: its clients share processes of the server.
        direct = all(client.info.backend_pid == look.backend for client, look in zip(clients, looks, strict=True))
        return looks + [_ask(clients, number, _LOOK) for number in (_DIRECT if direct else _POOLED)]


def _ask(
    clients: Sequence[psycopg.Connection[Any]], number: int, statement: str, parameters: Sequence[str] | None = None
) -> SessionLook:
    backend, marker = clients[number].execute(statement, parameters, prepare=False).fetchone() or (0, None)
    return SessionLook(client=number, backend=backend, marker=marker)


def refuse_mixed_sessions(*, connection: Any, **_: Any) -> None:
    """Probe an address that is not proven, and refuse shared sessions.

    A pooler is probed again after a minute. Closes the connection and raises SessionsMixed where sessions are shared.
    An address that cannot be proven (no second connection to be had) is an OperationalError.
    """
    at = connection.settings_dict
    address = (str(at["HOST"]), str(at["PORT"]), str(at["NAME"]))
    with _lock:
        if _proven.get(address, 0.0) > time.monotonic():
            return
        try:
            given = {name: one for name, one in connection.get_connection_params().items() if name not in _DJANGOS}
            parameters = {"connect_timeout": _CONNECT_TIMEOUT_S, **given}
            looks = probe(lambda: psycopg.connect(**parameters, autocommit=True))
        except psycopg.Error as error:
            connection.close()
            raise OperationalError(f"whether sessions are shared could not be tried: {error}") from error
        if not sessions_belong(looks):
            connection.close()
            raise SessionsMixed(MIXED)
        _proven[address] = inf if len(looks) == _DIRECT_LOOKS else time.monotonic() + _PROVEN_S


connection_created.connect(refuse_mixed_sessions, dispatch_uid="apps.tenants.session_probe")

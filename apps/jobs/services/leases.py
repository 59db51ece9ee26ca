"""Claim, extend and release rows that owe work: a lease in the row, never a lock that outlives its worker.

A room says what is owed in its table (LeasedTable); what is the same for all stands here. Whoever finishes a row
compares the lease token: a worker that was thought dead never ends its successor's attempt.
"""

import logging
import time
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import InterfaceError, OperationalError, connection

logger = logging.getLogger(__name__)
BACK_WITHIN_S = 60.0  # so long a database that went away is waited for

# SKIP LOCKED stands inside the CTE: elsewhere the planner may lock and update more rows than LIMIT says.
_CLAIM = """
WITH due AS (
  SELECT w.id FROM {table} w {joins}
  WHERE ({pending}) AND (w.not_before IS NULL OR w.not_before <= %(now)s)
    AND (w.lease_expires_at IS NULL OR w.lease_expires_at < %(now)s)
  ORDER BY {order} LIMIT %(limit)s
  FOR UPDATE OF w SKIP LOCKED
), claimed AS (
  UPDATE {table} w SET lease_token = %(token)s, lease_expires_at = %(expires)s, waiting_for = ''{counted}{also_set}
  FROM due WHERE w.id = due.id RETURNING w.*
)
{select}
"""
_IS_DUE = """
SELECT EXISTS (SELECT 1 FROM {table} w {joins}
  WHERE ({pending}) AND (w.not_before IS NULL OR w.not_before <= %(now)s)
    AND (w.lease_expires_at IS NULL OR w.lease_expires_at < %(now)s))
"""
_EXTEND = """
UPDATE {table} w SET lease_expires_at = %(expires)s WHERE w.id = ANY(%(ids)s) AND w.lease_token = %(token)s AND {held}
"""
_RELEASE = """
UPDATE {table} w SET lease_token = NULL, lease_expires_at = {released} WHERE w.lease_token = %(token)s AND {held}
"""
_LOCK = "SELECT 1 FROM {table} w WHERE w.id = %(id)s AND w.lease_token = %(token)s AND {held} FOR UPDATE"
_PUT_OFF = """
UPDATE {table} w SET not_before = %(until)s, waiting_for = %(why)s, lease_token = NULL, lease_expires_at = NULL{changes}
WHERE w.id = %(id)s AND w.lease_token = %(token)s AND {held}
"""
_NEXT = """
SELECT min(w.not_before) FROM {table} w {joins}
WHERE ({pending}) AND w.not_before > %(now)s AND w.not_before <= %(until)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeasedTable:
    """A table of LeasedRow, and how its work is claimed. Fields but `lease` are SQL, with the row as `w`.

    `counter`: the column that counts claims ("": none); a postponed claim is not counted. `pending`: rows that need
    work, leased or not. `joins`: what `pending` and `order` read beside the row. `also_set` (begins with a comma): what
    a claim changes besides the lease. `select`: reads the result from the CTE `claimed`; a function if other rooms
    register parts of it when Django starts. `held`: rows whose lease can be extended; `released`: the expiry that a
    released lease gets. Statements take the room's own parameters.
    """

    table: str
    lease: timedelta
    counter: str = ""
    pending: str = "w.status = 'pending'"
    joins: str = ""
    order: str = "w.created_at, w.id"
    also_set: str = ""
    select: str | Callable[[], str] = "SELECT id FROM claimed"
    held: str = "w.status = 'pending'"
    released: str = "NULL"

    def claim(self, *, token: uuid.UUID, limit: int, now: datetime, **parameters: Any) -> list[tuple[Any, ...]]:
        """Lease up to `limit` due rows and read them: one round trip. Two workers never claim the same row."""
        values: dict[str, Any] = {"token": token, "limit": limit, "now": now, "expires": now + self.lease}
        if (claims := _claims.get()) is not None:
            claims.add((self, token))
        with connection.cursor() as cursor:
            cursor.execute(self._sql(_CLAIM), values | parameters)
            return list(cursor.fetchall())

    def extend(self, *, token: uuid.UUID, ids: Collection[Any], now: datetime) -> int:
        """The heartbeat: how many of these are still held under this token. One query."""
        return self._write(_EXTEND, {"token": token, "ids": list(ids), "expires": now + self.lease})

    def release(self, *, token: uuid.UUID, now: datetime) -> int:
        """Drop every lease under this token, so that others need not wait for it to expire. One query."""
        return self._write(_RELEASE, {"token": token, "now": now})

    def lock(self, *, token: uuid.UUID | None, id: Any) -> bool:
        """Tell whether the row is held under this token, and lock it to the transaction's end. One query."""
        return bool(self._write(_LOCK, {"token": token, "id": id}))

    def put_off(
        self,
        *,
        token: uuid.UUID,
        id: Any,
        until: datetime | None,
        why: str,
        counts: bool = False,
        changes: Mapping[str, Any] | None = None,
    ) -> int:
        """Put a row that is held under this token off until then (None: at once).

        `changes` are further columns of ours, and `counts` says whether this claim stays counted. One query; 0 where
        the lease was lost.
        """
        changes = changes or {}
        columns = [f", {name} = %({name})s" for name in changes]
        if self.counter and self.counter not in changes and not counts:
            columns.append(f", {self.counter} = greatest(0, w.{self.counter} - 1)")
        values = {"token": token, "id": id, "until": until, "why": why[:200]}
        return self._write(_PUT_OFF, {**values, **changes}, changes="".join(columns))

    def next_due(self, *, now: datetime, within: timedelta, **parameters: Any) -> datetime | None:
        """Return when the next waiting row may be tried, if that is soon. One query."""
        with connection.cursor() as cursor:
            cursor.execute(self._sql(_NEXT), {"now": now, "until": now + within} | parameters)
            due: datetime | None = cursor.fetchone()[0]
        return due

    def is_due(self, *, now: datetime, **parameters: Any) -> bool:
        """Tell whether any row could be claimed now. One query."""
        with connection.cursor() as cursor:
            cursor.execute(self._sql(_IS_DUE), {"now": now} | parameters)
            return bool(cursor.fetchone()[0])

    def _write(self, template: str, parameters: dict[str, Any], *, changes: str = "") -> int:
        with connection.cursor() as cursor:
            cursor.execute(self._sql(template, changes=changes), parameters)
            return int(cursor.rowcount)

    def _sql(self, template: str, *, changes: str = "") -> str:
        counted = f", {self.counter} = w.{self.counter} + 1" if self.counter else ""
        select = self.select if isinstance(self.select, str) else self.select()
        return template.format(
            table=self.table,
            joins=self.joins,
            pending=self.pending,
            order=self.order,
            also_set=self.also_set,
            select=select,
            held=self.held,
            released=self.released,
            counted=counted,
            changes=changes,
        )


_claims: ContextVar[set[tuple[LeasedTable, uuid.UUID]] | None] = ContextVar("claims", default=None)


@contextmanager
def returning_leases(*, now: Callable[[], datetime]) -> Iterator[None]:
    """Return the block's leases when the database comes back after an outage, and raise the error.

    Its rows need not wait then until their leases end (an erasure's half an hour). A worker that is killed returns
    nothing, and work that the database refused (a deadlock, a time limit) waits for its lease. One query for each
    token, only then; waits for BACK_WITHIN_S at most.
    """
    mine: set[tuple[LeasedTable, uuid.UUID]] = set()
    outer = _claims.set(mine)
    try:
        yield
    except (OperationalError, InterfaceError):
        if not connection.is_usable():
            _give_back(mine, now)
        raise
    finally:
        _claims.reset(outer)


def _give_back(claims: set[tuple[LeasedTable, uuid.UUID]], now: Callable[[], datetime]) -> None:
    give_up_at = time.monotonic() + BACK_WITHIN_S
    while claims:
        try:
            connection.close()
            for table, token in claims:
                table.release(token=token, now=now())
            return
        except (OperationalError, InterfaceError):
            if time.monotonic() > give_up_at:
                logger.warning("leases could not be given back; they expire by themselves")
                return
            time.sleep(1.0)

"""The response cache: it keeps a model's answers, so that the same question is not paid for twice.

The thread that owns the connection reads it for a whole batch, and writes new entries with the results of the batch's
questions. A periodic task deletes old entries. Inside the event loop, which has no database, `CachedModel` asks the
metered model only for what is not in the cache.

A caller that asks several models, or one model several times, makes one `CachedModel` for each.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import connection

from apps.budgets.domain.cache_entry import FIRST, CacheEntry, CorruptEntry, read_entry, write_entry
from apps.budgets.services.ledger import CallFor, LedgerCall
from apps.budgets.services.metered_model import MeteredModel
from apps.connectors.llms.base import LLM, Attempt, LLMRequest, LLMResponse
from apps.connectors.retry import CallResult
from apps.core.cursors import cursor_or_new
from apps.core.events import EventType, log_event
from apps.core.usage import Usage

# `last_used_at` is written at most once a day for each entry: reading must not become writing.
_GET = """
WITH used AS (
  UPDATE budgets_cachedresponse SET last_used_at = %(now)s
  WHERE key = ANY(%(keys)s) AND last_used_at < %(now)s::timestamptz - interval '1 day'
)
SELECT key, body FROM budgets_cachedresponse WHERE key = ANY(%(keys)s)
"""

# One JSON text: as an array every quotation mark of every answer would be escaped by a regular expression.
_PUT = """
INSERT INTO budgets_cachedresponse (key, body, cost_usd, created_at, last_used_at)
SELECT decode(a.key, 'hex'), a.body, a.cost_usd, %(now)s, %(now)s
FROM jsonb_to_recordset(%(answers)s::jsonb) AS a(key text, body text, cost_usd numeric)
ON CONFLICT (key) DO UPDATE SET body = excluded.body, cost_usd = excluded.cost_usd, last_used_at = excluded.last_used_at
"""

# The newest ones that fit stay; sizes are those on disk.
_SWEEP = """
WITH aged AS (
  SELECT key, last_used_at < %(before)s AS old,
    sum(pg_column_size(body) + 100) OVER (ORDER BY last_used_at DESC, key) AS filled
  FROM budgets_cachedresponse
)
DELETE FROM budgets_cachedresponse k USING aged
WHERE k.key = aged.key AND (aged.old OR aged.filled > %(bytes)s)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCacheEntry:
    """An exchange on its way into the store."""

    key: str
    entry: CacheEntry


def get_cached(*, keys: Collection[str], now: datetime) -> Mapping[str, CacheEntry]:
    """The entries kept under these keys (64 hex digits), by key. One query; none for no keys.

    An entry that is not what was written is a miss, said in the log; the next answer replaces it.
    """
    if not keys:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_GET, {"keys": [bytes.fromhex(key) for key in keys], "now": now})
        rows = cursor.fetchall()
    entries = {}
    for raw, body in rows:
        key = bytes(raw).hex()
        try:
            entries[key] = read_entry(body)
        except CorruptEntry as error:
            log_event(EventType.KEPT_ANSWER_CORRUPT, key=key, why=str(error))
    return entries


def put_cached(*, answers: Sequence[NewCacheEntry], now: datetime, cursor: Any = None) -> None:
    """Store answers; the caller decides the transaction, and may give its cursor. One statement. Safe to repeat; the
    last writer wins."""
    latest = {fresh.key: fresh.entry for fresh in answers}
    if not latest:
        return
    rows = [
        {
            "key": key,
            "body": write_entry(entry),
            "cost_usd": None if entry.cost_usd is None else str(entry.cost_usd),
        }
        for key, entry in sorted(latest.items())  # one order for all writers: no deadlock
    ]
    with cursor_or_new(cursor) as open_cursor:
        open_cursor.execute(_PUT, {"answers": json.dumps(rows), "now": now})


def evict_cached(*, now: datetime, days: int, megabytes: int) -> int:
    """Forget what nobody used for `days`, and the longest unused beyond `megabytes`; returns how many. Safe to repeat.

    One statement that reads every entry's size: 60 ms for 100,000.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SWEEP, {"before": now - timedelta(days=days), "bytes": megabytes * 1024 * 1024})
        return int(cursor.rowcount)


@dataclass(slots=True, kw_only=True)
class CachedModel:
    """One model and one conversation: every call is in `calls`, every usable answer noted for `new_entries`.

    `key` None means that nothing is kept (offline rules, or the cache is off). `nonce` and `salt` are
    those the replies are bound to: a kept exchange brings its own.
    """

    metered: MeteredModel
    nonce: str
    salt: str = ""
    key: str | None = None
    cached: CacheEntry | None = None
    reasked: bool = False
    _usable_answers: dict[str, LLMResponse] = field(default_factory=dict)
    _model_called: bool = False

    def __post_init__(self) -> None:
        if self.cached is not None:
            self.nonce, self.salt = self.cached.nonce, self.cached.salt

    @property
    def calls(self) -> list[LedgerCall]:
        return self.metered.calls

    @property
    def from_cache(self) -> bool:
        """Tell whether something was answered and nobody was asked."""
        return bool(self.calls) and not self._model_called

    async def ask(self, request: LLMRequest, *, step: str, call_for: CallFor) -> CallResult:
        """Ask one question; a cached answer is free, else as `MeteredModel.ask`."""
        self.reasked = self.reasked or step != FIRST
        answer = self.cached.answers.get(step) if self.cached else None
        if answer is not None:
            self.calls.append(_from_store(call_for, self.metered.primary, answer))
            return CallResult(response=answer, attempts=(), fallback_used=False)
        self._model_called = True
        return await self.metered.ask(request, call_for=call_for)

    def note_usable(self, step: str, result: CallResult) -> None:
        """Note an answer that could be read. A fallback's is not kept: next time the model itself may answer."""
        if result.attempts and not result.fallback_used:
            self._usable_answers[step] = result.response

    def new_entries(self) -> tuple[NewCacheEntry, ...]:
        """The exchange with what is new in it; empty when nothing is."""
        if self.key is None or not self._usable_answers:
            return ()
        answers = {**(self.cached.answers if self.cached else {}), **self._usable_answers}
        return (NewCacheEntry(key=self.key, entry=CacheEntry(nonce=self.nonce, salt=self.salt, answers=answers)),)


def _from_store(call_for: CallFor, llm: LLM, answer: LLMResponse) -> LedgerCall:
    attempt = Attempt(
        provider=answer.provider,
        model=answer.model,
        requested_model=llm.spec.model,
        outcome="ok",
        usage=Usage(),
        cost_usd=Decimal(0),
        latency_ms=0,
    )
    return LedgerCall(call_for=call_for, attempt=attempt, cached=True, saved_usd=answer.cost_usd)

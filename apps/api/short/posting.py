"""A post of inline conversations: key, Idempotency-Key, config and every new row in one statement that commits alone.

What the process remembers of the key and of the config goes along, and the database writes only where all of it
still holds (queries.keys.STILL_OPENS, evaluations' remembering.STILL_SO). An Idempotency-Key that was used, or is in
work, has the same effect: nothing is written, and the long way finds the answer that was kept (docs/adr/0040).
"""

from datetime import datetime
from typing import Any
from uuid import uuid4

from django.db import InterfaceError, OperationalError

from apps.api.domain.evaluation_body import EvaluationBody, read_evaluation
from apps.api.domain.json_body import parse_body
from apps.api.models import IdempotencyRecord
from apps.api.problems import CONTENT_TYPE, DATABASE_AWAY, RETRY_AFTER_S, problem
from apps.api.queries.keys import STILL_OPENS, FoundKey, as_seen
from apps.api.services.answering import KEPT_FOR, digest_of_request, idempotency_key, lock_number, scope_of
from apps.api.services.intake import TAKEN, check_callback, evaluation_taken
from apps.api.short.asked import Asked
from apps.api.short.sent import Sent, json_sent
from apps.core.events import EventType, log_event
from apps.core.inserting import insert_if
from apps.evaluations.knocking import knock_for_judging
from apps.evaluations.services.creating import Asked as Wanted
from apps.evaluations.services.creating import inline_rows
from apps.evaluations.services.remembering import STILL_SO, forget, remember
from apps.tenants.context import current_schema, current_slug

ALLOW = b"GET, POST, HEAD, OPTIONS"
_API_ROOT = "/api/v1/"
_SURE = f"{STILL_OPENS.format(scope='may_write')} AND {STILL_SO}"
_TABLE = IdempotencyRecord._meta.db_table
# The lock is the long way's, which would write over a record that it did not see.
_ONCE = f"""
INSERT INTO {_TABLE} (id, created_at, scope, key, request_digest, status, body, expires_at)
SELECT %(record)s::uuid, %(now)s::timestamptz, %(scope)s::text, %(once)s::text, %(request)s::text, {TAKEN},
  %(answer)s::jsonb, %(forgotten)s::timestamptz
FROM sure WHERE pg_try_advisory_xact_lock(%(lock)s::bigint)
ON CONFLICT (scope, key) DO NOTHING RETURNING 1
"""  # noqa: S608 - the name of our own table


def take_post(asked: Asked, key: FoundKey, digest: str, raw: bytes, now: datetime) -> Sent | None:
    """202, or None where the long way must see to it. Raises RatibaError for what cannot be taken."""
    if "content-encoding" in asked.headers or asked.headers.get("content-type") != "application/json":
        return None
    body = parse_body(raw)
    wanted = read_evaluation(body)
    if wanted.documents is None:
        return None
    check_callback(wanted.callback_url)
    remembered = remember(wanted.evaluator_config)
    made = inline_rows(
        chosen=remembered.chosen, documents=wanted.documents, asked=_kept_of(wanted), how=wanted.how, now=now
    )
    first, *more = made.batches
    if more:
        return None
    guards, params = {"sure": _SURE}, {**as_seen(key, digest, now), **remembered.facts}
    answer = evaluation_taken(made.requested, f"{asked.scheme}://{asked.host}{_API_ROOT}")
    sent = json_sent(TAKEN, answer, allow=ALLOW)
    if "idempotency-key" in asked.headers:
        guards["once"] = _ONCE
        params |= _once(asked, key, body, sent, now)
    try:
        if not insert_if(guards, params, *first, schema=current_schema()):
            forget(wanted.evaluator_config)
            return None
    except (InterfaceError, OperationalError):
        return None if "once" in guards else _perhaps()
    log_event(EventType.REQUEST_TAKEN, evaluation=str(made.requested.evaluation_id), run=str(made.requested.run_id))
    knock_for_judging(current_slug())
    return sent


def _kept_of(wanted: EvaluationBody) -> Wanted:
    return Wanted(
        config=wanted.evaluator_config,
        triggered_by=wanted.triggered_by,
        analyzer=wanted.run_analyzer,
        callback=wanted.callback_url,
    )


def _once(asked: Asked, key: FoundKey, body: Any, sent: Sent, now: datetime) -> dict[str, Any]:
    scope, once = scope_of(f"key:{key.id}", asked.method, asked.path), idempotency_key(asked.headers["idempotency-key"])
    return {
        "record": uuid4(),
        "scope": scope,
        "once": once,
        "request": digest_of_request(asked.method, asked.path, body),
        "answer": sent.body.decode(),
        "forgotten": now + KEPT_FOR,
        "lock": str(lock_number(scope, once)),
    }


def _perhaps() -> Sent:
    """The database went away while it worked, and no key tells whether it did: as the long way says it then."""
    raw = problem(503, "database_unavailable", DATABASE_AWAY)
    sent = json_sent(503, raw, allow=ALLOW, more=((b"retry-after", b"%d" % RETRY_AFTER_S),))
    typed = tuple((name, CONTENT_TYPE.encode() if name == b"content-type" else value) for name, value in sent.headers)
    return Sent(503, typed, sent.body)

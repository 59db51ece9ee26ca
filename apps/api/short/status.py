"""A status address, asked again and again: key and status in one statement."""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from apps.api.etags import as_sent, etag_of, is_known
from apps.api.queries.keys import STILL_OPENS, FoundKey, as_seen
from apps.api.short.asked import Asked
from apps.api.short.sent import Sent, json_sent
from apps.core.prepared import ask_prepared
from apps.evaluations.queries.status import evaluation_status, run_status
from apps.tenants.context import current_schema

ALLOW = b"GET, HEAD, OPTIONS"


@cache
def _if_open(statement: str) -> str:
    """The statement's row, or none where the key does not open."""
    opens = STILL_OPENS.format(scope="may_read")
    return f"WITH opens AS MATERIALIZED ({opens}) SELECT a.* FROM opens CROSS JOIN LATERAL ({statement}) a"  # noqa: S608 - our own words


def status(asked: Asked, id: UUID, key: FoundKey, digest: str, now: datetime) -> Sent:
    """200, or 304 for a client that has it. Raises NotFound, also where the key does not open any more."""
    opens = as_seen(key, digest, now)

    def fetch(statement: str, params: Mapping[str, Any]) -> tuple[Any, ...] | None:
        return ask_prepared(_if_open(statement), {**params, **opens}, schema=current_schema())

    ask = evaluation_status if asked.of == "evaluations" else run_status
    raw = as_sent(ask(id, now=now, fetch=fetch))
    etag = etag_of(raw)
    more = ((b"etag", etag.encode()), (b"cache-control", b"no-cache"))
    if is_known(asked.headers.get("if-none-match", ""), etag):
        return json_sent(304, b"", allow=ALLOW, more=more)
    return json_sent(200, raw, allow=ALLOW, more=more)

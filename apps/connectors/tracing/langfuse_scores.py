"""Scores sent to a Langfuse over its public API: an array, upserted by id (servers from 4.59 on)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from apps.connectors.callbacks import CallbackOutcome, post_signed_in
from apps.connectors.tracing.langfuse_address import LangfuseAddress

PATH = "/api/public/scores"


async def send_scores(
    client: httpx.AsyncClient, address: LangfuseAddress, scores: Sequence[Mapping[str, Any]], *, within_s: float
) -> CallbackOutcome:
    """Post `scores`; the same id and timestamp again change nothing that is there but its value. One request.

    202 means all were taken; 207 names those that were not, which trying again does not mend, as a 400 does not. A key
    that is not taken and an address that is not there (401 to 410) may be mended, or be a proxy's word for an outage:
    they are tried again. Never raises for what the network does."""
    body = json.dumps(list(scores), ensure_ascii=False).encode("utf-8", "replace")
    outcome, answered = await post_signed_in(address.url(PATH), body, address.authorization, client, within_s=within_s)
    if outcome.status in (404, 405, 410):
        why = "no list of scores is taken there: is the address right, and the Langfuse version 4.59 or newer?"
        return CallbackOutcome(delivered=False, status=outcome.status, error=why)
    if outcome.status == 207 and (why := _rejected(answered)):
        return CallbackOutcome(delivered=False, status=207, refused=True, error=why)
    if outcome.status == 400:
        return CallbackOutcome(delivered=False, status=outcome.status, error=outcome.error, refused=True)
    return outcome


def _rejected(answered: bytes) -> str:
    """How many were not taken, and the first reason; "" where all were."""
    try:
        found = json.loads(answered)
        rejected = int(found.get("rejected") or len(found.get("errors") or ()))
        first = str((found.get("errors") or [{}])[0].get("message", ""))
    except (ValueError, AttributeError, TypeError, IndexError, RecursionError):
        return "answered 207 with a body that is no list of results"
    return f"{rejected} scores were not taken: {first}"[:200] if rejected else ""

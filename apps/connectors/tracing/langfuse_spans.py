"""Spans sent to a Langfuse: OTLP/HTTP, protobuf, packed. The same span again is stored once there, by its ids."""

import gzip
from collections.abc import Sequence

import httpx

from apps.connectors.callbacks import CallbackOutcome, post_signed_in
from apps.connectors.tracing.exported_span import ExportedSpan
from apps.connectors.tracing.langfuse_address import LangfuseAddress
from apps.connectors.tracing.otlp_export import export_request, not_taken

PATH = "/api/public/otel/v1/traces"
_HEADERS = {
    "content-type": "application/x-protobuf",
    "content-encoding": "gzip",
    "x-langfuse-ingestion-version": "4",  # without it what is sent can be read back after minutes only
}


async def send_spans(
    client: httpx.AsyncClient, address: LangfuseAddress, spans: Sequence[ExportedSpan], *, within_s: float
) -> CallbackOutcome:
    """Post these spans in one request. What cannot be mended by trying again (400, 413, a part that was not taken) is
    refused; a wrong key and an address that is not there are tried again. Never raises for what the network does."""
    body = gzip.compress(export_request(spans), compresslevel=6, mtime=0)
    outcome, answered = await post_signed_in(
        address.url(PATH), body, address.authorization, client, within_s=within_s, headers=_HEADERS
    )
    if outcome.delivered and (why := not_taken(answered)):
        return CallbackOutcome(delivered=False, status=outcome.status, refused=True, error=why)
    if outcome.status in (404, 405, 410):
        why = "no spans are taken there: is the address right, and the Langfuse version 4.59 or newer?"
        return CallbackOutcome(delivered=False, status=outcome.status, error=why)
    if outcome.status in (400, 413, 422):
        return CallbackOutcome(delivered=False, status=outcome.status, error=outcome.error, refused=True)
    return outcome

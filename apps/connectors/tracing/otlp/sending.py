"""Spans sent to a receiver of OTLP/HTTP: protobuf, packed. The same span again has the same ids."""

import gzip
from collections.abc import Mapping, Sequence

import httpx

from apps.connectors.callbacks import CallbackOutcome, post_signed_in
from apps.connectors.tracing.exported_span import ExportedSpan
from apps.connectors.tracing.otlp.address import OtlpAddress
from apps.connectors.tracing.otlp.export import export_request, not_taken

_BODY = {"content-type": "application/x-protobuf", "content-encoding": "gzip"}


async def post_spans(
    client: httpx.AsyncClient,
    address: OtlpAddress,
    spans: Sequence[ExportedSpan],
    *,
    within_s: float,
    resource: Mapping[str, str] | None = None,
    absent: str = "no spans are taken there: is the address right?",
) -> CallbackOutcome:
    """Post these spans in one request. What cannot be mended by trying again (400, 413, a part that was not taken) is
    refused; a wrong key and an address that is not there (`absent` is said of it) are tried again. Never raises for
    what the network does."""
    body = gzip.compress(export_request(spans, resource=resource), compresslevel=6, mtime=0)
    outcome, answered = await post_signed_in(
        address.url, body, "", client, within_s=within_s, headers={**_BODY, **address.headers}
    )
    if outcome.delivered and (why := not_taken(answered)):
        return CallbackOutcome(delivered=False, status=outcome.status, refused=True, error=why)
    if outcome.status in (404, 405, 410):
        return CallbackOutcome(delivered=False, status=outcome.status, error=absent)
    if outcome.status in (400, 413, 422):
        return CallbackOutcome(delivered=False, status=outcome.status, error=outcome.error, refused=True)
    return outcome

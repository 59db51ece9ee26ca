"""Spans sent to a Langfuse. The same span again is stored once there, by its ids."""

from collections.abc import Sequence

import httpx

from apps.connectors.callbacks import CallbackOutcome
from apps.connectors.tracing.exported_span import ExportedSpan
from apps.connectors.tracing.langfuse.address import LangfuseAddress
from apps.connectors.tracing.otlp.address import OtlpAddress
from apps.connectors.tracing.otlp.sending import post_spans

PATH = "/api/public/otel/v1/traces"
_VERSION = {"x-langfuse-ingestion-version": "4"}  # without it what is sent can be read back after minutes only


async def send_spans(
    client: httpx.AsyncClient, address: LangfuseAddress, spans: Sequence[ExportedSpan], *, within_s: float
) -> CallbackOutcome:
    """Send spans to a Langfuse, as `post_spans` does."""
    receiver = OtlpAddress(url=address.url(PATH), headers={"authorization": address.authorization, **_VERSION})
    absent = "no spans are taken there: is the address right, and the Langfuse version 4.59 or newer?"
    return await post_spans(client, receiver, spans, within_s=within_s, absent=absent)

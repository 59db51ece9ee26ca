"""Scores sent to a Langfuse over its public API: an array, upserted by id (servers from 4.59 on)."""

from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from apps.connectors.callbacks import CallbackOutcome
from apps.connectors.errors import ConnectorError
from apps.connectors.tracing.langfuse.address import LangfuseAddress
from apps.connectors.tracing.langfuse.api import LangfuseApi, failed


async def send_scores(
    client: httpx.AsyncClient, address: LangfuseAddress, scores: Sequence[Mapping[str, Any]], *, within_s: float
) -> CallbackOutcome:
    """Send `scores` to Langfuse in one request. The same id and timestamp sent again change only the score's value.

    202 means that all were taken. 207 names those that were not: trying again does not help, nor after a 400. A key
    that is refused or an address that is not there (401 to 410) may be mended, or a proxy may say so in an outage:
    these are tried again. Never raises for what the network does.
    """
    try:
        answer = await LangfuseApi(address).ask(
            client, lambda api: api.scores.create(request=_requests(scores)), within_s=within_s
        )
    except ConnectorError as error:
        if error.status in (404, 405, 410):
            why = "no list of scores is taken there: is the address right, and the Langfuse version 4.59 or newer?"
            return CallbackOutcome(delivered=False, status=error.status, error=why)
        return failed(error)
    rejected = int(getattr(answer.data, "rejected", 0) or 0)
    if rejected:
        first = answer.data.errors[0].message if answer.data.errors else "it does not say why"
        why = f"{rejected} scores were not taken: {first}"[:200]
        return CallbackOutcome(delivered=False, status=answer.status, refused=True, error=why)
    return CallbackOutcome(delivered=True, status=answer.status)


def _requests(scores: Sequence[Mapping[str, Any]]) -> list[Any]:
    from langfuse.api import CreateScoreRequest  # noqa: PLC0415 - as in LangfuseApi.ask

    return [CreateScoreRequest(**score) for score in scores]

"""Deleting traces in a Langfuse: asked for by id, and looked for afterwards, since a Langfuse deletes later."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import httpx

from apps.connectors.callbacks import CallbackOutcome
from apps.connectors.errors import ConnectorError
from apps.connectors.tracing.langfuse.address import LangfuseAddress
from apps.connectors.tracing.langfuse.api import failed
from apps.connectors.tracing.langfuse.reader import LangfuseReader


async def delete_traces(
    client: httpx.AsyncClient,
    address: LangfuseAddress,
    traces: Sequence[str],
    sessions: Sequence[str],
    *,
    within_s: float,
) -> CallbackOutcome:
    """Ask that these traces be deleted, and all of these sessions. One request, and one for each session. Safe to
    repeat; delivered where nothing is there, too. Never raises for what the network does."""
    project = LangfuseReader(address)

    async def delete() -> CallbackOutcome:
        known = [*traces, *await _traces_of(project, client, sessions)]
        if not known:
            return CallbackOutcome(delivered=True, status=200)
        known = list(dict.fromkeys(known))
        deleted = await project.ask(client, lambda api: api.trace.delete_multiple(trace_ids=known), within_s=within_s)
        return CallbackOutcome(delivered=True, status=deleted.status)

    return await _bounded(delete, within_s)


async def look_for_traces(
    client: httpx.AsyncClient,
    address: LangfuseAddress,
    traces: Sequence[str],
    sessions: Sequence[str],
    *,
    within_s: float,
) -> CallbackOutcome:
    """Delivered where nothing of them is there any more. One GET each. Never raises."""
    project = LangfuseReader(address)
    wanted = [{"trace_id": trace} for trace in traces] + [{"session_id": session} for session in sessions]

    async def look() -> CallbackOutcome:
        for one in wanted:
            if await project.observations(client, fields="core", **one):
                return CallbackOutcome(delivered=False, status=200, error="traces are still there")
        return CallbackOutcome(delivered=True, status=200)

    return await _bounded(look, within_s)


async def _bounded(act: Callable[[], Awaitable[CallbackOutcome]], within_s: float) -> CallbackOutcome:
    """The outcome of `act`; errors of the network, and no end within that time, are outcomes too."""
    try:
        async with asyncio.timeout(within_s):
            return await act()
    except TimeoutError:
        return CallbackOutcome(delivered=False, error=f"no answer within {within_s:g} s", timed_out=True)
    except ConnectorError as error:
        return failed(error)


async def _traces_of(reader: LangfuseReader, client: httpx.AsyncClient, sessions: Sequence[str]) -> list[str]:
    traces = list[str]()
    for session in sessions:
        rows = await reader.observations(client, fields="core", session_id=session)
        traces += [str(row["traceId"]) for row in rows if row.get("traceId")]
    return traces

"""Choose the source of a capture by its named options, else by the form of the ids and the agent."""

import asyncio
from collections.abc import Collection, Sequence
from enum import StrEnum
from pathlib import Path
from uuid import UUID

from apps.catalog.connections.queries.agents import agent_id, connection_kinds, connection_specs
from apps.catalog.connections.services.outbound_policies import agent_policy
from apps.connectors.agents.base import AgentSpec
from apps.connectors.outbound import outbound_client
from apps.connectors.tracing.langfuse.address import LangfuseAddress
from apps.connectors.tracing.langfuse.reader import LangfuseReader
from apps.core.errors import BadInput
from apps.runs.goldens.domain.captured_golden import CapturedSession
from apps.runs.goldens.services.capture.file_source import IsUpload, captured_from_file
from apps.runs.goldens.services.capture.langfuse_source import captured_from_langfuse
from apps.runs.goldens.services.capture.pega_source import Sleep, captured_from_pega
from apps.runs.goldens.services.capture.run_source import captured_from_runs


class CaptureSource(StrEnum):
    """PEGA: what the agent's Pega stores; LANGFUSE: a session or a trace; RUN: a conversation of ours; FILE: a document
    of a conversation, OpenAI messages or a tracer's export."""

    PEGA = "pega"
    LANGFUSE = "langfuse"
    RUN = "run"
    FILE = "file"


def read_source(
    *,
    agent: str,
    source: CaptureSource | None,
    ids: Sequence[str],
    file: Path | None,
    langfuse: LangfuseAddress | None = None,
    sleep: Sleep = asyncio.sleep,
    is_upload: IsUpload,
) -> CapturedSession:
    """The session to be captured; `is_upload` tells a reply to a silent upload. Reads from outside, so do not call it
    in a transaction; safe to repeat.

    Raises BadInput (`/conversation_id`, `/file`, `/from`), NotFound, and a ConnectorError where the other side does not
    answer. Up to three queries."""
    agent_pk = agent_id(agent)
    kinds = connection_kinds(agent_pk)
    chosen = _source(source, ids, file, kinds)
    if chosen is CaptureSource.FILE:
        if file is None:
            raise BadInput("name the file", pointer="/file")
        return captured_from_file(file, is_upload=is_upload)
    if not ids:
        raise BadInput("name at least one conversation", pointer="/conversation_id")
    ids = list(dict.fromkeys(ids))
    if chosen is CaptureSource.RUN:
        return captured_from_runs(ids)
    if chosen is CaptureSource.LANGFUSE:
        if langfuse is None:
            raise BadInput(
                "a Langfuse can be read by the command only, with its keys in the environment", pointer="/from"
            )
        return asyncio.run(_from_langfuse(langfuse, ids))
    if "agentx" not in kinds:
        raise BadInput(
            f"agent {agent!r} has no AgentX connection, by which a Pega's conversations are read; it has: "
            f"{', '.join(kinds)}",
            pointer="/agent",
        )
    return asyncio.run(_from_pega(connection_specs(agent_pk)["agentx"], ids, sleep))


def _source(
    source: CaptureSource | None, ids: Sequence[str], file: Path | None, kinds: Collection[str]
) -> CaptureSource:
    if source is not None:
        if file is not None and source is not CaptureSource.FILE:
            raise BadInput(f"a file is no conversation of {source.value}: leave one of them out", pointer="/file")
        return source
    if file is not None:
        return CaptureSource.FILE
    if ids and are_ours(ids):
        return CaptureSource.RUN
    if "agentx" in kinds:
        return CaptureSource.PEGA
    raise BadInput(
        f"say where these conversations are: {', '.join(one.value for one in CaptureSource)}", pointer="/from"
    )


async def _from_pega(spec: AgentSpec, ids: Sequence[str], sleep: Sleep) -> CapturedSession:
    async with outbound_client(agent_policy()) as client:
        return await captured_from_pega(spec, ids, client, sleep=sleep)


async def _from_langfuse(address: LangfuseAddress, ids: Sequence[str]) -> CapturedSession:
    async with outbound_client(agent_policy()) as client:
        return await captured_from_langfuse(LangfuseReader(address), ids, client)


def are_ours(ids: Sequence[str]) -> bool:
    """Tell whether these look like ids of our own conversations."""
    try:
        return all(UUID(pk) for pk in ids)
    except ValueError:
        return False

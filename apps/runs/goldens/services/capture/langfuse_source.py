"""Conversations that a Langfuse has traces of, by the ids of sessions or traces."""

import re
from collections.abc import Sequence
from typing import Any

from apps.connectors.tracing.langfuse.reader import LangfuseReader
from apps.connectors.tracing.langfuse.turns import read_observations
from apps.core.errors import NotFound
from apps.runs.goldens.domain.captured_golden import CapturedSession

_TRACE_ID = re.compile(r"[0-9a-f]{32}")


async def captured_from_langfuse(reader: LangfuseReader, ids: Sequence[str], client: Any) -> CapturedSession:
    """The conversations joined into one session; an id of 32 hex digits is a trace's, any other a session's. Raises
    NotFound for one without words in it, and a ConnectorError. One GET for each 1,000 observations."""
    conversations = []
    for pk in ids:
        kind = "trace" if _TRACE_ID.fullmatch(pk) else "session"
        turns = read_observations(await reader.observations(client, **{f"{kind}_id": pk}))
        if not turns:
            raise NotFound(f"{reader.who} has no words under the {kind} {pk!r}", pointer="/conversation_id")
        conversations.append(turns)
    return CapturedSession(ids=tuple(ids), source="langfuse", conversations=tuple(conversations))

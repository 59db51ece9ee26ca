"""Read a conversation from the data view `D_pxAutopilotConversation`: its messages, its case, and the filled fields.

It lags about 2 s behind the reply, knows only the roles USER and ASSISTANT (no tool calls), may begin with the agent's
greeting, and shows a silent upload as a message of the customer's without words. Pure.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.connectors.agents.capabilities import TranscriptMessage
from apps.connectors.errors import BadReply
from apps.connectors.pega.conversations import read_messages
from apps.connectors.pega.texts import pega_time, plain_text

MAX_FIELDS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldPrefill:
    """A field of an assignment that somebody filled in before the customer saw it; a step agent, in such a case."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PegaConversation:
    """One conversation as the view has it. `case_key` is the case's handle, with its space; "" where there is none yet.
    `prefills` are of the assignment that is open, `earlier_prefills` of the one before it."""

    id: str
    status: str
    created_at: datetime | None
    messages: tuple[TranscriptMessage, ...]
    case_key: str = ""
    assignment_key: str = ""
    prefills: tuple[FieldPrefill, ...] = ()
    earlier_prefills: tuple[FieldPrefill, ...] = ()


def read_insight(data: Any, *, who: str) -> PegaConversation:
    """The view's page, at top level or below `data`. Raises BadReply for what is no page of it."""
    page = data.get("data", data) if isinstance(data, Mapping) else None
    if not isinstance(page, Mapping) or not isinstance(page.get("pyMessages", []), list):
        raise BadReply(f"{who}: the conversation's view has no list of messages", raw=repr(data))
    case = page.get("pzCaseProcessingData")
    case = case if isinstance(case, Mapping) else {}
    return PegaConversation(
        id=str(page.get("pyID") or ""),
        status=str(page.get("pyStatusWork") or ""),
        created_at=pega_time(page.get("pxCreateDateTime")),
        messages=read_messages(page.get("pyMessages")),
        case_key=str(case.get("pzCaseKey") or ""),
        assignment_key=str(case.get("pzAssignmentKey") or ""),
        prefills=read_prefills(case.get("pzAssignmentFieldsMetaData")),
        earlier_prefills=read_prefills(case.get("pzPrevAssignmentFieldsMetaData")),
    )


def read_prefills(metadata: Any) -> tuple[FieldPrefill, ...]:
    """The fields with a value, of field metadata as JSON text within JSON (or as the list itself). What cannot be read
    has none: the view shows half-written metadata while a case is being worked on."""
    if isinstance(metadata, str):
        try:
            metadata = json.loads(metadata)
        except (ValueError, RecursionError):
            return ()
    if isinstance(metadata, Mapping):
        metadata = list(metadata.values())
    prefills: list[FieldPrefill] = []
    for item in metadata[:MAX_FIELDS] if isinstance(metadata, list) else []:
        if isinstance(item, list):
            prefills += read_prefills(item)
        elif isinstance(item, Mapping):
            value = item.get("defaultValue")
            name = item.get("name") or item.get("fieldID") or item.get("label")
            if isinstance(name, str) and name and value not in (None, "", [], {}):
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                prefills.append(FieldPrefill(name=name, value=plain_text(text)))
    return tuple(prefills[:MAX_FIELDS])


def read_listed(data: Any) -> tuple[str, ...]:
    """The conversations' ids on one page of a list view, as it orders them."""
    rows = data.get("data") if isinstance(data, Mapping) else None
    rows = rows if isinstance(rows, list) else []
    return tuple(str(row["pyID"]) for row in rows if isinstance(row, Mapping) and row.get("pyID"))

"""Turns between their row and their plain form."""

import uuid

from apps.audit.domain.masking_rules import at_rest
from apps.core.conversation import ToolCall, TurnPurpose, TurnRole, Utterance
from apps.core.document_parsing import utterance_as_json
from apps.core.json_hygiene import storable
from apps.core.turn_parsing import attachment_of
from apps.runs.conversations.models import Turn

BATCH = 2000


def turn_row(conversation_id: uuid.UUID, position: int, turn: Utterance, *, masked: bool, attempt: int = 0) -> Turn:
    """The row of one utterance, not saved; `masked` where the tenant stores masked."""
    written = storable(utterance_as_json(turn))  # an agent's words cannot be refused: they have been said
    columns = {
        "content": written["content"],
        "tool_calls": written.get("tool_calls", []),
        "attachments": written.get("attachments", []),
        "extra": storable(dict(turn.extra)),
    }
    return Turn(
        conversation_id=conversation_id,
        attempt=attempt,
        position=position,
        purpose=turn.purpose,
        role=turn.role.value,
        tool_call_id=written.get("tool_call_id", "")[:200],
        name=written.get("name", "")[:200],
        ts=turn.ts,
        latency_ms=turn.latency_ms,
        **at_rest(Turn._meta.db_table, columns, masked=masked),
    )


def utterance_of(row: Turn) -> Utterance:
    """The plain form of a stored turn."""
    return Utterance(
        role=TurnRole(row.role),
        content=row.content,
        tool_calls=tuple(
            ToolCall(name=call["name"], arguments=call.get("arguments", {}), id=call.get("id"))
            for call in row.tool_calls
        ),
        tool_call_id=row.tool_call_id or None,
        name=row.name or None,
        ts=row.ts,
        latency_ms=row.latency_ms,
        attachments=tuple(attachment_of(item) for item in row.attachments),
        extra=row.extra,
        nudge=row.purpose == TurnPurpose.NUDGE,
    )

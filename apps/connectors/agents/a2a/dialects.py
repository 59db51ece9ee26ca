"""The dialects of A2A over JSON-RPC, as data: what a call looks like in 0.2/0.3 and in 1.0. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Dialect(StrEnum):
    """0.2 and 0.3 speak alike here (only their cards differ)."""

    V03 = "0.3"
    V1 = "1.0"


class TaskState(StrEnum):
    """States of a task by the names of 0.x; 1.0's are read as these."""

    SUBMITTED = "submitted"
    WORKING = "working"
    INPUT_REQUIRED = "input-required"
    AUTH_REQUIRED = "auth-required"
    COMPLETED = "completed"
    CANCELED = "canceled"
    FAILED = "failed"
    REJECTED = "rejected"
    UNKNOWN = "unknown"


UNDER_WAY = frozenset({TaskState.SUBMITTED, TaskState.WORKING, TaskState.UNKNOWN})
INTERRUPTED = frozenset({TaskState.INPUT_REQUIRED, TaskState.AUTH_REQUIRED})
REFUSED = frozenset({TaskState.FAILED, TaskState.REJECTED, TaskState.CANCELED, TaskState.AUTH_REQUIRED})

# The server did not run anything, and says that it speaks another dialect (sheet §2 Errors, §4.3).
OTHER_DIALECT_CODES = frozenset({-32601, -32009})


@dataclass(frozen=True, slots=True, kw_only=True)
class WireTurn:
    """One message to the agent. `files` as attachments.encoded gives them."""

    text: str
    message_id: str
    context_id: str | None = None
    task_id: str | None = None
    files: Sequence[Mapping[str, str]] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


def send_call(dialect: Dialect, turn: WireTurn, *, stream: bool, configuration: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON-RPC call for a turn; its id is the message id, so a repeat on the wire is the same request."""
    v1 = dialect is Dialect.V1
    message: dict[str, Any] = {} if v1 else {"kind": "message"}
    message |= {"messageId": turn.message_id, "role": "ROLE_USER" if v1 else "user", "parts": _parts(dialect, turn)}
    message |= {"contextId": turn.context_id} if turn.context_id else {}
    message |= {"taskId": turn.task_id} if turn.task_id else {}
    message |= {"metadata": dict(turn.metadata)} if turn.metadata else {}
    waiting: dict[str, Any] = {} if v1 else {"blocking": True}  # 1.0 waits unless told otherwise
    settings = {"acceptedOutputModes": ["text/plain", "application/json"], **waiting, **configuration}
    method = (
        ("SendStreamingMessage" if stream else "SendMessage") if v1 else f"message/{'stream' if stream else 'send'}"
    )
    return _call(method, turn.message_id, {"message": message, "configuration": settings})


def get_task_call(dialect: Dialect, task_id: str, *, call_id: str) -> dict[str, Any]:
    """The JSON-RPC call that asks how a task is doing."""
    return _call("GetTask" if dialect is Dialect.V1 else "tasks/get", call_id, {"id": task_id})


def version_headers(dialect: Dialect) -> dict[str, str]:
    """Return the headers that name the version of the protocol.

    Version 1.0 is named on every call. A 0.3 server fails on this header, so it gets none (sheet §4.3).
    """
    return {"a2a-version": "1.0"} if dialect is Dialect.V1 else {}


def read_state(text: Any) -> TaskState:
    """A state as either dialect writes it."""
    name = str(text or "").removeprefix("TASK_STATE_").replace("_", "-").lower()
    return next((state for state in TaskState if state.value == name), TaskState.UNKNOWN)


def _call(method: str, call_id: str, params: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": call_id, "method": method, "params": dict(params)}


def _parts(dialect: Dialect, turn: WireTurn) -> list[dict[str, Any]]:
    if dialect is Dialect.V1:
        files = [{"raw": f["base64"], "filename": f["name"], "mediaType": f["media_type"]} for f in turn.files]
        return [{"text": turn.text}, *files] if turn.text or not files else files
    old = [
        {"kind": "file", "file": {"name": f["name"], "mimeType": f["media_type"], "bytes": f["base64"]}}
        for f in turn.files
    ]
    return [{"kind": "text", "text": turn.text}, *old] if turn.text or not old else old

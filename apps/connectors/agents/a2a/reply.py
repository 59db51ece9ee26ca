"""Reading what an A2A agent sent back, in either dialect, tolerantly: parts make a Message, a status a Task. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.connectors.agents.a2a.dialects import INTERRUPTED, REFUSED, TaskState, read_state
from apps.connectors.agents.a2a.parts import CALLS_KEYS, artifact_text, data_of, message_text, with_parts
from apps.connectors.agents.base import AgentReply, AgentSession
from apps.connectors.agents.tool_calls import is_call, read_tool_calls
from apps.connectors.errors import AgentRefused, BadReply
from apps.core.conversation import ToolCall

ENDED_KEYS = ("conversationEnded", "conversation_ended")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOutcome:
    """A turn's answer. `state` is None for a plain message."""

    text: str
    context_id: str | None = None
    task_id: str | None = None
    state: TaskState | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_results: Mapping[str, str] = field(default_factory=dict)
    ended: bool = False
    raw: Mapping[str, Any] = field(default_factory=dict)


def read_result(result: Any, *, who: str) -> TaskOutcome:
    """A JSON-RPC `result`: bare or wrapped in `message` / `task`. Raises BadReply for anything else."""
    wrapped = result if isinstance(result, Mapping) else {}
    payload = next((wrapped[name] for name in ("message", "task") if isinstance(wrapped.get(name), Mapping)), result)
    if isinstance(payload, Mapping) and isinstance(payload.get("parts"), list):
        return _message(payload)
    if isinstance(payload, Mapping) and isinstance(payload.get("status"), Mapping):
        return _task(payload)
    raise BadReply(f"{who}: the result is neither a message nor a task", raw=repr(result))


def agent_reply(outcome: TaskOutcome, session: AgentSession, latency_ms: int, *, who: str) -> AgentReply:
    """The reply to a turn. Raises AgentRefused for a task that failed, was rejected or canceled, or wants to see
    credentials. The task stays in the session only while it waits for the customer."""
    if outcome.state in REFUSED:
        raise AgentRefused(
            f"{who} answered with a task that is {outcome.state}: {outcome.text[:300]}",
            said=outcome.text,
            raw=json.dumps(outcome.raw),
            task_state=str(outcome.state),
            who=who,
        )
    state: dict[str, Any] = {"theirs": bool(outcome.context_id or session.state.get("theirs"))}
    if _id(outcome.raw.get("messageId")):
        state["message_id"] = outcome.raw["messageId"]
    if outcome.state in INTERRUPTED and outcome.task_id:
        state["task_id"] = outcome.task_id
    return AgentReply(
        text=outcome.text,
        session=AgentSession(context_id=outcome.context_id or session.context_id, state=state),
        latency_ms=latency_ms,
        tool_calls=outcome.tool_calls,
        tool_results=outcome.tool_results,
        task_state=outcome.state.value if outcome.state else None,
        ended=outcome.ended,
        raw=outcome.raw,
    )


def _message(message: Mapping[str, Any]) -> TaskOutcome:
    calls, results = _calls([message], message["parts"])
    return TaskOutcome(
        text=with_parts(message_text(message["parts"]), message["parts"]),
        context_id=_id(message.get("contextId")),
        task_id=_id(message.get("taskId")),
        tool_calls=calls,
        tool_results=results,
        ended=_ended([message]),
        raw=message,
    )


def _task(task: Mapping[str, Any]) -> TaskOutcome:
    status = task["status"]
    spoken = status.get("message") if isinstance(status.get("message"), Mapping) else {}
    artifacts = [artifact for artifact in _list(task.get("artifacts")) if isinstance(artifact, Mapping)]
    parts = [part for artifact in artifacts for part in _list(artifact.get("parts"))]
    spoken_parts = _list(spoken.get("parts"))
    state, holders = read_state(status.get("state")), [task, *artifacts, spoken]
    calls, results = _calls(holders, [*parts, *spoken_parts])
    texts, question = (
        [artifact_text(_list(artifact.get("parts"))) for artifact in artifacts],
        message_text(spoken_parts),
    )
    is_beside = state in INTERRUPTED | REFUSED and question.strip() not in "\n".join(texts)
    text = "\n".join(filter(None, [*texts, question if is_beside else ""])) or question or _last_message(task)
    return TaskOutcome(
        text=with_parts(text, [*parts, *spoken_parts]), context_id=_id(task.get("contextId")),
        task_id=_id(task.get("id")), state=state, tool_calls=calls, tool_results=results, ended=_ended(holders),
        raw=task,
    )  # fmt: skip


def _last_message(task: Mapping[str, Any]) -> str:
    """Return the text of the agent's last message in the history, where some agents leave their only answer."""
    for message in reversed(_list(task.get("history"))):
        if not isinstance(message, Mapping) or str(message.get("role", "")).lower().endswith("user"):
            return ""
        text = message_text(_list(message.get("parts")))
        if text:
            return text
    return ""


def _calls(holders: list[Mapping[str, Any]], parts: list[Any]) -> tuple[tuple[ToolCall, ...], dict[str, str]]:
    calls: list[Any] = []
    for metadata in _metadata(holders):
        calls += next((_list(metadata[key]) for key in CALLS_KEYS if metadata.get(key)), [])
    for data in map(data_of, parts):
        if isinstance(data, Mapping):
            calls += [data] if is_call(data) else []
            calls += next((_list(data[key]) for key in CALLS_KEYS if data.get(key)), [])
    return read_tool_calls(calls)


def _ended(holders: list[Mapping[str, Any]]) -> bool:
    return any(metadata.get(key) is True for metadata in _metadata(holders) for key in ENDED_KEYS)


def _metadata(holders: list[Any]) -> Iterator[Mapping[str, Any]]:
    for holder in holders:
        if isinstance(holder, Mapping) and isinstance(holder.get("metadata"), Mapping):
            yield holder["metadata"]


def said_prompts(outcome: TaskOutcome, *names: str) -> list[Any]:
    """The values that the answer's metadata has under these names, wherever they stand in it."""
    raw, status = outcome.raw, outcome.raw.get("status")
    holders = [raw, *_list(raw.get("artifacts")), status.get("message") if isinstance(status, Mapping) else None]
    return [one[name] for one in _metadata(holders) for name in names if name in one]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _id(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None

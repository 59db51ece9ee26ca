"""A streamed A2A answer put together: server-sent events in, one message or task out. Pure but for the reading."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from apps.connectors.agents.a2a.dialects import UNDER_WAY, read_state
from apps.connectors.agents.server_sent_events import EventReader

_INTERRUPTING = frozenset({"input-required", "auth-required"})


async def events(lines: AsyncIterator[str]) -> AsyncIterator[Any]:
    """The JSON documents of a stream (server_sent_events)."""
    reader = EventReader()
    async for line in lines:
        if (document := reader.feed(line)) is not None:
            yield document
    if (document := reader.end()) is not None:
        yield document


class Folded:
    """The answer built from the events so far: `result` is None, a Message or a Task (plain dicts, as without
    streaming)."""

    def __init__(self) -> None:
        self.result: dict[str, Any] | None = None

    @property
    def finished(self) -> bool:
        """Tell whether the answer is whole: a message, or a task that is no longer under way."""
        if self.result is None:
            return False
        return "status" not in self.result or read_state(_state(self.result)) not in UNDER_WAY

    @property
    def task_id(self) -> str | None:
        """The task that was begun, to ask about where the stream broke off."""
        begun = self.result.get("id") if self.result is not None and "status" in self.result else None
        return begun if isinstance(begun, str) else None

    def take(self, event: Any) -> bool:
        """Add one event (a JSON-RPC `result`). True when nothing more is to be waited for."""
        kind, body = _kind(event)
        if kind in ("message", "task"):
            self.result = dict(body)
        elif kind == "status":
            task = self._task(body)
            task["status"] = _mapping(body.get("status"))
            task["metadata"] = {**_mapping(task.get("metadata")), **_mapping(body.get("metadata"))}
        elif kind == "artifact":
            _add_artifact(self._task(body), body)
        interrupted = self.finished and read_state(_state(self.result)).value in _INTERRUPTING
        return kind == "message" or interrupted or (self.finished and body.get("final") is True)

    def _task(self, body: Mapping[str, Any]) -> dict[str, Any]:
        if self.result is None or "status" not in self.result:
            self.result = {"id": body.get("taskId"), "contextId": body.get("contextId"), "status": {"state": "working"}}
        return self.result


def _add_artifact(task: dict[str, Any], body: Mapping[str, Any]) -> None:
    artifact = _mapping(body.get("artifact"))
    known = [_mapping(item) for item in _list(task.get("artifacts"))]
    place = next((n for n, item in enumerate(known) if item.get("artifactId") == artifact.get("artifactId")), None)
    if place is None:
        known.append(artifact)
    elif body.get("append"):
        known[place] = {
            **known[place],
            "parts": _joined(_list(known[place].get("parts")), _list(artifact.get("parts"))),
        }
    else:
        known[place] = artifact
    task["artifacts"] = known


def _joined(before: list[Any], after: list[Any]) -> list[Any]:
    """Chunks of one text belong together without a line break between them."""
    last, first = _mapping(before[-1] if before else None), _mapping(after[0] if after else None)
    if isinstance(last.get("text"), str) and isinstance(first.get("text"), str):
        return [*before[:-1], {**last, "text": last["text"] + first["text"]}, *after[1:]]
    return [*before, *after]


def _kind(event: Any) -> tuple[str, Mapping[str, Any]]:
    if not isinstance(event, Mapping):
        return "", {}
    for name, kind in (
        ("message", "message"),
        ("task", "task"),
        ("statusUpdate", "status"),
        ("artifactUpdate", "artifact"),
    ):
        if isinstance(event.get(name), Mapping) and "kind" not in event:
            return kind, event[name]
    if "parts" in event:
        return "message", event
    if "artifact" in event:
        return "artifact", event
    if "status" in event:
        return ("task" if "id" in event and "taskId" not in event else "status"), event
    return "", {}


def _state(result: Mapping[str, Any] | None) -> Any:
    return _mapping((result or {}).get("status")).get("state")


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []

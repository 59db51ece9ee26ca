"""What an HTTP agent answered: one JSON document, a stream of them, or plain text."""

import json
from typing import Any

import httpx

from apps.connectors.agents.json_paths import Paths
from apps.connectors.agents.server_sent_events import documents_in
from apps.connectors.errors import BadReply

_EVENTS = "text/event-stream"
# Where an agent that says nothing else has its reply, its session, whether it closed, its tool calls.
DEFAULT_PATHS = {"reply": "$.reply", "session": "", "ended": "", "tool_calls": ""}


def read_reply(response: httpx.Response, paths: Paths, *, who: str) -> tuple[Any, str]:
    """The answer's data, and the reply in it. Of a stream the data is its last event, and the reply what the path finds
    in all events, joined without a break. Raises BadReply."""
    if not paths.any:
        return response.text, response.text
    if response.headers.get("content-type", "").partition(";")[0].strip().lower() == _EVENTS:
        events = documents_in(response.text)
        parts = [item for event in events for item in paths.find("reply", event)]
        return (events[-1] if events else {}), _joined(parts, "", response, who=who) if paths.has("reply") else ""
    try:
        data = json.loads(response.content)
    except (ValueError, RecursionError):
        raise BadReply(
            f"{who} answered with something that is not JSON", status=response.status_code, raw=response.text
        ) from None
    return data, _joined(paths.find("reply", data), "\n", response, who=who) if paths.has("reply") else response.text


def _joined(found: list[Any], between: str, response: httpx.Response, *, who: str) -> str:
    if not found:
        raise BadReply(f"{who}: nothing at options.reply in the answer", status=response.status_code, raw=response.text)
    return between.join(item if isinstance(item, str) else json.dumps(item) for item in found if item is not None)

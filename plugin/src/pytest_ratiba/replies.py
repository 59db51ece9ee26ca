"""Turn the value that an agent returned into the body that answers a leased turn."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_KEYS = ("content", "tool_calls", "usage", "ended")
_SHOWN_HERE = ("state", "transitions", "log")  # for assertions on the agent's own side; never sent
_SHAPE = "return a text, or {content, tool_calls: [{name, arguments, result?}], usage?}"


class AgentReplyError(Exception):
    """The agent returned something that is no reply; the message says what it must return."""


@dataclass(kw_only=True)
class Observed:
    """An `Observed` keeps the inner state that a callable showed, turn by turn.
    `state` is the state that the callable is in, `transitions` are (from, event, to), `log` are event log lines.

    `connect` opens a connection into the conversation's schema, where it has one.
    """

    state: str | None = None
    transitions: list[tuple[str, str, str]] = field(default_factory=list)
    log: list[Mapping[str, Any]] = field(default_factory=list)
    connect: Any = None

    def take(self, said: Any) -> Any:
        """Keep what is shown here and give back the rest, which is the reply. Raises `AgentReplyError`."""
        if not isinstance(said, Mapping) or not any(key in said for key in _SHOWN_HERE):
            return said
        steps, lines = said.get("transitions") or (), said.get("log") or ()
        if not all(isinstance(step, list | tuple) and len(step) == 3 for step in steps):
            raise AgentReplyError("transitions of the agent's reply must be a list of (from, event, to)")
        if not all(isinstance(line, Mapping) for line in lines):
            raise AgentReplyError("log of the agent's reply must be a list of mappings")
        self.state = str(said["state"]) if said.get("state") is not None else self.state
        self.transitions += [(str(a), str(b), str(c)) for a, b, c in steps]
        self.log += list(lines)
        return {key: value for key, value in said.items() if key not in _SHOWN_HERE}

    def take_shown(self, shown: Mapping[str, Any]) -> None:
        """The same from what an agent on the network shows beside its words; what has another form is its own."""
        steps, lines = shown.get("transitions"), shown.get("log")
        if isinstance(shown.get("state"), str):
            self.state = shown["state"]
        if isinstance(steps, list) and all(isinstance(step, list | tuple) and len(step) == 3 for step in steps):
            self.transitions += [(str(a), str(b), str(c)) for a, b, c in steps]
        if isinstance(lines, list) and all(isinstance(line, Mapping) for line in lines):
            self.log += lines


def reply_body(said: Any) -> dict[str, Any]:
    """`{"content", "tool_calls", "usage"?}` of a text or a mapping. Raises `AgentReplyError`."""
    if isinstance(said, str):
        return {"content": said, "tool_calls": []}
    if not isinstance(said, Mapping):
        raise AgentReplyError(f"the agent returned {_kind(said)}; {_SHAPE}")
    unknown = next((key for key in said if key not in _KEYS), None)
    if unknown is not None:
        raise AgentReplyError(f"the agent's reply has an unknown key {unknown!r}; {_SHAPE}")
    content = said.get("content") or ""
    if not isinstance(content, str):
        raise AgentReplyError(f"content of the agent's reply is {_kind(content)}, not a text")
    calls = said.get("tool_calls") or []
    if not isinstance(calls, list | tuple):
        raise AgentReplyError(f"tool_calls of the agent's reply is {_kind(calls)}, not a list")
    body: dict[str, Any] = {"content": content, "tool_calls": [_call(call, n) for n, call in enumerate(calls)]}
    body |= {key: said[key] for key in ("usage", "ended") if said.get(key) is not None}
    try:
        json.dumps(body, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        raise AgentReplyError(f"the agent's reply is not plain JSON: {error}") from error
    return body


def _call(call: Any, number: int) -> dict[str, Any]:
    """A tool call in our form; OpenAI's own (`function: {name, arguments}`) is accepted."""
    if not isinstance(call, Mapping):
        raise AgentReplyError(f"tool call {number} of the agent's reply is {_kind(call)}, not a mapping")
    function = call.get("function")
    source: Mapping[str, Any] = function if isinstance(function, Mapping) else call
    name, arguments = source.get("name"), source.get("arguments", {})
    if not isinstance(name, str) or not name:
        raise AgentReplyError(f"tool call {number} of the agent's reply has no name")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except ValueError as error:
            raise AgentReplyError(f"arguments of tool call {name} are not JSON: {error}") from error
    if not isinstance(arguments, Mapping):
        raise AgentReplyError(f"arguments of tool call {name} are {_kind(arguments)}, not a mapping")
    made: dict[str, Any] = {
        "id": str(call.get("id") or f"call_{number}"),
        "name": name,
        "arguments": dict(arguments),
    }
    return made | ({"result": call["result"]} if call.get("result") is not None else {})


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"

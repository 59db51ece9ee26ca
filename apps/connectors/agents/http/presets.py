"""Settings of HTTP agents that many endpoints share, by one name."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from apps.connectors.agents.base import AgentSpec
from apps.core.errors import BadInput

CHAT = "chat"


def with_preset(spec: AgentSpec) -> AgentSpec:
    """The spec with its preset written out; what the agent's own options say comes first.

    `chat`: OpenAI's chat format. The `body` is added to {"model", "messages"}; with `stream: true` in it the reply is
    put together from the events (tool calls are read from whole replies only). Raises BadInput with the pointer.
    """
    preset = spec.options.get("preset")
    if preset is None:
        return spec
    if preset != CHAT:
        raise BadInput(f"no preset {preset!r}: there is {CHAT}", pointer="/options/preset")
    body = spec.options.get("body") or {}
    if not isinstance(body, Mapping):
        raise BadInput("with a preset the body is an object that is added to what is sent", pointer="/options/body")
    reply = "$.choices[0].delta.content" if body.get("stream") is True else "$.choices[0].message.content"
    written: dict[str, Any] = {
        "reply": reply,
        "tool_calls": "$.choices[0].message.tool_calls",
        **spec.options,
        "body": {"model": "default", "messages": "{{ messages }}", **body},
    }
    return replace(spec, options=written)

"""The tools of an agent that is a prompt: answered from a table, or by an HTTP call.

    {name, description?, parameters?, ends?,
     answers: [{when?: {argument: value, …}, result}, …]}     the first whose `when` is among the arguments
    {name, description?, parameters?, ends?, url, headers?}   POST {"name", "arguments", "session"}: the answer's body

A result is a text, or data that is written as JSON. `ends: true`: the conversation is over when the tool was called.
Headers are templates, `{{ secret.NAME }}` reads the agent's secrets.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.header_templates import header_templates, rendered_headers
from apps.connectors.agents.http_exchange import HttpAsk, delivered_once, fetch
from apps.connectors.agents.templates import Template
from apps.connectors.errors import RemoteFailure
from apps.connectors.llms.base import ToolDefinition
from apps.core.conversation import ToolCall
from apps.core.errors import BadInput

MAX_TOOLS = 100
MAX_RESULT_CHARS = 100_000
_KEYS = ("name", "description", "parameters", "ends", "answers", "url", "headers")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTool:
    """One tool: what the model is offered, and who answers."""

    definition: ToolDefinition
    ends: bool = False
    answers: Sequence[Mapping[str, Any]] = ()
    url: str = ""
    headers: Mapping[str, Template] = field(default_factory=dict)

    async def result(self, call: ToolCall, *, spec: AgentSpec, session: str, client: httpx.AsyncClient) -> str:
        """The tool's result for this call. Raises RemoteFailure and Unreachable where its server is down; what a server
        refuses (4xx) is a result for the model, as in production."""
        if not self.url:
            return self._from_table(call.arguments)
        body = {"name": call.name, "arguments": dict(call.arguments), "session": session}
        ask = HttpAsk(
            who=f"tool {call.name!r}",
            method="POST",
            url=self.url,
            headers={
                "content-type": "application/json",
                **rendered_headers(self.headers, {"secret": dict(spec.secrets)}),
            },
            content=json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"),
            timeout_s=spec.timeout_s,
        )
        response = await delivered_once(lambda: fetch(client, ask))
        if response.status_code >= 500:
            raise RemoteFailure(
                f"tool {call.name!r} answered with {response.status_code}",
                status=response.status_code,
                raw=response.text,
            )
        return response.text[:MAX_RESULT_CHARS] or f"HTTP {response.status_code}"

    def _from_table(self, arguments: Mapping[str, Any]) -> str:
        for answer in self.answers:
            wanted = answer.get("when") or {}
            if all(name in arguments and _same(arguments[name], value) for name, value in wanted.items()):
                result = answer.get("result", "")
                return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
        return json.dumps({"error": "there is no answer for these arguments"})


def read_tools(raw: Any, pointer: str = "/options/tools") -> dict[str, AgentTool]:
    """Tools by name. Raises BadInput with the pointer of what cannot be used."""
    if not isinstance(raw, list | tuple) or len(raw) > MAX_TOOLS:
        raise BadInput(f"tools are a list of at most {MAX_TOOLS}", pointer=pointer)
    tools: dict[str, AgentTool] = {}
    for number, item in enumerate(raw):
        tool = _read_tool(item, f"{pointer}/{number}")
        if tool.definition.name in tools:
            raise BadInput(f"two tools are named {tool.definition.name!r}", pointer=f"{pointer}/{number}/name")
        tools[tool.definition.name] = tool
    return tools


def _read_tool(item: Any, at: str) -> AgentTool:
    if not isinstance(item, Mapping) or not isinstance(item.get("name"), str) or not item["name"].strip():
        raise BadInput("a tool is an object with a name", pointer=f"{at}/name")
    unknown = next((key for key in item if key not in _KEYS), None)
    if unknown is not None:
        raise BadInput(f"a tool has no {unknown!r}: there are {', '.join(_KEYS)}", pointer=f"{at}/{unknown}")
    if ("url" in item) == ("answers" in item):
        raise BadInput("a tool is answered either by `answers` or by `url`", pointer=at)
    parameters = item.get("parameters") or {"type": "object", "properties": {}}
    if not isinstance(parameters, Mapping) or parameters.get("type") != "object":
        raise BadInput('parameters are a JSON Schema with "type": "object"', pointer=f"{at}/parameters")
    url = str(item.get("url") or "").strip()
    if "url" in item and not url.lower().startswith(("http://", "https://")):
        raise BadInput("the address of a tool begins with http:// or https://", pointer=f"{at}/url")
    return AgentTool(
        definition=ToolDefinition(
            name=item["name"].strip(), description=str(item.get("description") or ""), parameters=dict(parameters)
        ),
        ends=item.get("ends") is True,
        answers=_read_answers(item.get("answers", ()), f"{at}/answers"),
        url=url,
        headers=header_templates(item, "headers", names=("secret",)),
    )


def _read_answers(raw: Any, at: str) -> Sequence[Mapping[str, Any]]:
    if not isinstance(raw, list | tuple):
        raise BadInput("answers are a list of {when?, result}", pointer=at)
    for number, answer in enumerate(raw):
        if not isinstance(answer, Mapping) or set(answer) - {"when", "result"} or "result" not in answer:
            raise BadInput("an answer is {when?, result}", pointer=f"{at}/{number}")
        if not isinstance(answer.get("when", {}), Mapping):
            raise BadInput("`when` is an object of arguments and their values", pointer=f"{at}/{number}/when")
    return tuple(raw)


def _same(value: Any, wanted: Any) -> bool:
    """Equal values; texts whatever their case, and a number written as text too."""
    if isinstance(value, str) or isinstance(wanted, str):
        return str(value).strip().casefold() == str(wanted).strip().casefold()
    return bool(value == wanted)

"""HTTP calls around a battle: a fresh state before it, what it left behind, and the state it led to."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from apps.catalog.scenarios.domain.script import HOOK_NAMES
from apps.connectors.agents.http_exchange import HttpAsk, delivered_once, fetch
from apps.connectors.agents.templates import Template
from apps.connectors.errors import ConnectorError
from apps.core.errors import BadInput, RatibaError
from apps.core.json_path import compile_path, matches
from apps.runs.domain.states import Blame
from apps.runs.services.conversation_player import PlayFault

TIMEOUT_S = 30.0


async def run_hooks(calls: Sequence[Mapping[str, Any]], *, when: str, values: Mapping[str, Any], client: Any) -> None:
    """Every call, in order. Raises PlayFault (`hook_failed`, blame platform) for the first that does not succeed."""
    for number, call in enumerate(calls):
        try:
            response = await _answered(call, values=values, client=client)
        except ConnectorError as error:
            raise _failed(f"/{when}/{number}: {error}") from error
        expected = call.get("status")
        if not (response.status_code == expected if expected else response.is_success):
            raise _failed(f"/{when}/{number} answered with {response.status_code}: {response.text[:300]}")


async def end_states(
    requests: Sequence[Mapping[str, Any]], *, values: Mapping[str, Any], client: Any
) -> list[dict[str, Any]]:
    """The value at each path now: {"url", "path", "expected", "found"} or {…, "error"}. Never raises for what a server
    does."""
    states = []
    for request in requests:
        state: dict[str, Any] = {"url": request["url"], "path": request["path"], "expected": request["equals"]}
        try:
            response = await _answered(request, values=values, client=client)
            if not response.is_success:
                raise ValueError(f"status {response.status_code}")
            values_found = matches(compile_path(request["path"], "/path"), json.loads(response.content))
            state["found"] = values_found[:10]
        except (ConnectorError, BadInput, ValueError, RecursionError) as error:
            state["error"] = str(error)[:300]
        states.append(state)
    return states


async def _answered(call: Mapping[str, Any], *, values: Mapping[str, Any], client: Any) -> Any:
    body = Template(call["body"], "/body", names=HOOK_NAMES).render(values) if "body" in call else None
    text = body if isinstance(body, str) or body is None else json.dumps(body, ensure_ascii=False)
    headers = {} if text is None else {"content-type": "text/plain" if isinstance(body, str) else "application/json"}
    ask = HttpAsk(
        who=f"{call['method']} {call['url']}",
        method=call["method"],
        url=str(Template(call["url"], "/url", names=HOOK_NAMES).render(values)),
        headers={**headers, **(call.get("headers") or {})},
        content=None if text is None else text.encode("utf-8", "replace"),
        timeout_s=TIMEOUT_S,
        purpose="hook",
    )
    return await delivered_once(lambda: fetch(client, ask))


def _failed(words: str) -> PlayFault:
    return PlayFault(RatibaError(f"hook {words}", code="hook_failed"), Blame.PLATFORM)

"""A2A over JSON-RPC (0.2 to 1.0) as much as it takes to hand a turn on: find the agent by its card, send, wait for the
task. What the answer means is read by the server, which gets it as it came."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from pytest_ratiba.relayed_http import AgentUnreachable, RelayedTurn, delivered

if TYPE_CHECKING:
    import httpx

CARDS = ("/.well-known/agent-card.json", "/.well-known/agent.json")
OTHER_DIALECT_CODES = (-32601, -32009)  # the agent ran nothing: it says that it speaks another dialect
UNDER_WAY, INTERRUPTED = ("submitted", "working", "unknown"), ("input-required", "auth-required")
POLL_S = (0.5, 5.0)


@dataclass(frozen=True, kw_only=True)
class A2AEndpoint:
    """An endpoint is the address at which the agent takes its calls, and its version of A2A.
    `v1` tells whether the agent speaks 1.0 (0.2 and 0.3 speak alike)."""

    url: str
    v1: bool


class A2AProtocol:
    """One agent by A2A. Keeps its card, and what each conversation goes on with: its context, and a task that waits
    for the customer."""

    name = "a2a"

    def __init__(self, address: str) -> None:
        self._address = address
        self._endpoint: A2AEndpoint | None = None
        self._going_on: dict[str, Mapping[str, str]] = {}  # by session: contextId, taskId

    async def prepare(self, http: "httpx.AsyncClient") -> None:
        """Find the agent, once. Raises `AgentUnreachable`."""
        if self._endpoint is None:
            self._endpoint = await self._discovered(http)

    async def ask(self, http: "httpx.AsyncClient", turn: RelayedTurn) -> "httpx.Response":
        """The response that holds the message, the task that is through with it, or the error. Sent once; again only
        where it was certainly not taken. Raises `AgentUnreachable`."""
        response = await self._say(http, turn)
        if _document(response).get("error", {}).get("code") in OTHER_DIALECT_CODES and self._endpoint is not None:
            self._endpoint = replace(self._endpoint, v1=not self._endpoint.v1)
            response = await self._say(http, turn)
        response = await self._until_done(http, response)
        found = _inner(response)
        task = {"taskId": found.get("id")} if _state(found) in INTERRUPTED else {}
        context = {"contextId": found.get("contextId")} if found.get("contextId") else self._context(turn)
        going_on = {**context, **task}
        self._going_on[turn.session] = {key: str(one) for key, one in going_on.items() if isinstance(one, str) and one}
        return response

    def shown(self, response: "httpx.Response") -> Mapping[str, Any]:
        """The metadata of the message or task, where an agent may show its state beside its words."""
        found = _inner(response)
        status = found.get("status")
        spoken = status.get("message") if isinstance(status, dict) else None
        holders = (found, spoken if isinstance(spoken, dict) else {})
        return {key: value for holder in holders for key, value in _mapping(holder.get("metadata")).items()}

    def _context(self, turn: RelayedTurn) -> Mapping[str, str]:
        known = self._going_on.get(turn.session, {})
        return {"contextId": known["contextId"]} if "contextId" in known else {}

    async def _say(self, http: "httpx.AsyncClient", turn: RelayedTurn) -> "httpx.Response":
        endpoint = self._endpoint
        if endpoint is None:
            raise AgentUnreachable(f"{self._address} was not found by its card")
        message: dict[str, Any] = {} if endpoint.v1 else {"kind": "message"}
        message |= {"messageId": turn.message_id, "role": "ROLE_USER" if endpoint.v1 else "user"}
        message |= {"parts": _parts(endpoint, turn), **self._going_on.get(turn.session, {})}
        configuration: dict[str, Any] = {"acceptedOutputModes": ["text/plain", "application/json"]}
        configuration |= {} if endpoint.v1 else {"blocking": True}  # 1.0 waits unless told otherwise
        method = "SendMessage" if endpoint.v1 else "message/send"
        return await self._call(http, method, turn.message_id, {"message": message, "configuration": configuration})

    async def _until_done(self, http: "httpx.AsyncClient", response: "httpx.Response") -> "httpx.Response":
        pause, polls = POLL_S[0], 0
        while (task := _inner(response)) and task.get("id") and _state(task) in UNDER_WAY:
            await asyncio.sleep(pause)
            pause, polls = min(pause * 1.5, POLL_S[1]), polls + 1
            v1 = self._endpoint is not None and self._endpoint.v1
            response = await self._call(
                http, "GetTask" if v1 else "tasks/get", f"{task['id']}-{polls}", {"id": task["id"]}
            )
        return response

    async def _call(self, http: "httpx.AsyncClient", method: str, call_id: str, params: Any) -> "httpx.Response":
        endpoint = self._endpoint
        headers = {"a2a-version": "1.0"} if endpoint is not None and endpoint.v1 else {}
        body = {"jsonrpc": "2.0", "id": call_id, "method": method, "params": params}
        url = endpoint.url if endpoint is not None else self._address
        return await delivered(lambda: http.post(url, json=body, headers=headers))

    async def _discovered(self, http: "httpx.AsyncClient") -> A2AEndpoint:
        refusal = f"{self._address} shows no A2A card"
        for url in _card_urls(self._address):
            response = await delivered(lambda url=url: http.get(url))  # type: ignore[misc]
            if response.status_code >= 500:
                raise AgentUnreachable(f"{url} answered {response.status_code} in place of its A2A card")
            card = _document(response) if response.is_success else {}
            offers = _interfaces(card, url)
            if offers:
                return next((offer for offer in offers if offer.v1), offers[0])
            if card.get("supportedInterfaces") or card.get("url"):
                raise AgentUnreachable(f"the card at {url} offers no JSON-RPC interface")
            if response.status_code in (401, 403):
                refusal = f"{url} answered {response.status_code}: relayed agents are asked without credentials"
        raise AgentUnreachable(refusal)


def _card_urls(address: str) -> tuple[str, ...]:
    if urlsplit(address).path.endswith(".json"):
        root = urljoin(address, "/").rstrip("/")
        return (address, *(root + path for path in CARDS))
    return (*(address.rstrip("/") + path for path in CARDS), address)


def _interfaces(card: Mapping[str, Any], url: str) -> list[A2AEndpoint]:
    """The JSON-RPC interfaces of a card, in the layouts of 0.2, 0.3 and 1.0."""
    version = str(card.get("protocolVersion", "0.3"))
    offers = [
        (mapping.get("protocolBinding", ""), str(mapping.get("protocolVersion", "1.0")), mapping.get("url", ""))
        for mapping in _mappings(card.get("supportedInterfaces"))
    ]
    if card.get("url"):
        offers.append((card.get("preferredTransport", "JSONRPC"), version, card["url"]))
    offers += [
        (mapping.get("transport", ""), version, mapping.get("url", ""))
        for mapping in _mappings(card.get("additionalInterfaces"))
    ]
    return [
        A2AEndpoint(url=urljoin(url, str(place)), v1=not known.startswith("0."))
        for wire, known, place in offers
        if str(wire).upper() in ("JSONRPC", "")
    ]


def _parts(endpoint: A2AEndpoint, turn: RelayedTurn) -> list[dict[str, Any]]:
    if endpoint.v1:
        files: list[dict[str, Any]] = [
            {"raw": file["base64"], "filename": file["name"], "mediaType": file["media_type"]} for file in turn.files
        ]
        text: dict[str, Any] = {"text": turn.text}
    else:
        files = [
            {"kind": "file", "file": {"name": file["name"], "mimeType": file["media_type"], "bytes": file["base64"]}}
            for file in turn.files
        ]
        text = {"kind": "text", "text": turn.text}
    return [text, *files] if turn.text or not files else files


def _document(response: "httpx.Response") -> dict[str, Any]:
    """The JSON object of a response; {} where it is none."""
    try:
        value = json.loads(response.content)
    except (ValueError, RecursionError):
        return {}
    found = value if isinstance(value, dict) else {}
    return found if isinstance(found.get("error", {}), dict) else {**found, "error": {}}


def _inner(response: "httpx.Response") -> dict[str, Any]:
    """The message or task of a JSON-RPC result, bare or wrapped."""
    result = _mapping(_document(response).get("result"))
    return next((result[name] for name in ("message", "task") if isinstance(result.get(name), dict)), result)


def _state(task: Mapping[str, Any]) -> str:
    """A task's state by 0.x's name; "" for a message."""
    if "parts" in task or not isinstance(task.get("status"), dict):
        return ""
    return str(task["status"].get("state") or "unknown").removeprefix("TASK_STATE_").replace("_", "-").lower()


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _mappings(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []

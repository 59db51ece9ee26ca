"""An agent with an address that the server may not or cannot dial: this machine's own, or its network's.

Turns are leased like a function's, asked by the agent's protocol, and its answer goes to the server as it came. The
server reads it with what it reads with where it dials itself.
"""

import asyncio
import base64
import ipaddress
import socket
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pytest_ratiba.agents import AgentProtocolName, AgentSetting
from pytest_ratiba.relayed_a2a import A2AProtocol
from pytest_ratiba.relayed_http import AgentProtocol, AgentUnreachable, HttpProtocol, RelayedTurn
from pytest_ratiba.replies import Observed

if TYPE_CHECKING:
    import httpx

    from pytest_ratiba.pulled import LeasedTurn

ANSWER_S = 120.0  # where the server names no limit
LATE_S = 5.0  # beyond the server's own limit, by which it has said that the agent was too late
PROTOCOLS: Mapping[AgentProtocolName, Callable[[str], AgentProtocol]] = {
    AgentProtocolName.A2A: A2AProtocol,
    AgentProtocolName.HTTP: HttpProtocol,
}


@lru_cache(maxsize=64)
def is_relayed(agent: AgentSetting) -> bool:
    """Whether turns are brought to this agent from here: A2A or HTTP on a host that is not public. A name is looked
    up; one that nobody knows is left to the server."""
    return bool(agent.address) and agent.kind in PROTOCOLS and is_private(urlsplit(agent.address).hostname or "")


def is_private(host: str) -> bool:
    """Whether a host is this machine's or its network's own: every address that its name has is not a public one."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        found = [ipaddress.ip_address(host)]
    except ValueError:
        try:
            found = [ipaddress.ip_address(one[4][0]) for one in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
        except (OSError, UnicodeError):
            return False
    return all(not one.is_global for one in found)


class RelayedAgent:
    """Answers leased turns by asking the agent. `gone` says why its process has ended, where we started it."""

    def __init__(self, agent: AgentSetting, *, gone: Callable[[], str] = lambda: "") -> None:
        self.observed: dict[str, Observed] = {}
        self.files: dict[str, bytes] = {}  # by digest: what goes with turns that name them
        self._options = dict(agent.paths)
        self._protocol, self._gone = PROTOCOLS[agent.kind](agent.address), gone
        self._client: httpx.AsyncClient | None = None

    async def respond(self, turn: "LeasedTurn", context: Mapping[str, Any]) -> dict[str, Any]:
        """The body that answers the turn: the agent's response, or that it was not reached."""
        from pytest_ratiba.recording.capture import bypass

        left = (turn.answer_by - datetime.now(UTC)).total_seconds() if turn.answer_by is not None else ANSWER_S
        try:
            with bypass():  # the agent under test is no recording's business, wherever it is
                async with asyncio.timeout(max(left, 0.0) + LATE_S):
                    http = self._http()
                    await self._protocol.prepare(http)
                    began = time.monotonic()
                    response = await self._protocol.ask(http, self._relayed(turn))
        except TimeoutError:
            return {"error": "the agent did not answer in time", "fault": "transport"}
        except AgentUnreachable as error:
            return {"error": (self._gone() or str(error))[:2000], "fault": "transport"}
        self.observed.setdefault(turn.conversation_id, Observed()).take_shown(self._protocol.shown(response))
        return {
            "latency_ms": round((time.monotonic() - began) * 1000),
            "response": {
                "protocol": self._protocol.name,
                "status": response.status_code,
                "body": response.text,
                "content_type": response.headers.get("content-type", "")[:200],
                "retry_after": response.headers.get("retry-after", "")[:100],
                **({"options": self._options} if self._options else {}),
            },
        }

    async def close(self) -> None:
        """Close its connections."""
        if self._client is not None:
            await self._client.aclose()

    def _http(self) -> "httpx.AsyncClient":
        import httpx

        if self._client is None:  # one connection a request: on a kept one, nobody knows whether a lost turn arrived
            limits = httpx.Timeout(None, connect=10.0)
            headers = {"connection": "close", "accept": "application/json"}
            self._client = httpx.AsyncClient(headers=headers, timeout=limits, trust_env=False)
        return self._client

    def _relayed(self, turn: "LeasedTurn") -> RelayedTurn:
        message = turn.messages[-1]
        named = [attachment for attachment in message.get("attachments") or () if isinstance(attachment, Mapping)]
        text = str(message.get("content") or "")
        if self._protocol.name == "a2a":
            notes = [f"[I have attached a file: {one.get('name')}]" for one in named]
            text = "\n".join(filter(None, (text, *(note for note in notes if note not in text))))
        files = [
            {
                "name": str(one.get("name")),
                "media_type": str(one.get("media_type") or "application/octet-stream"),
                "base64": base64.b64encode(self.files[str(one["sha256"])]).decode(),
            }
            for one in named
            if one.get("sha256") in self.files
        ]
        message_id = f"{turn.conversation_id}-{turn.attempt}-{turn.position}"
        return RelayedTurn(text=text, session=turn.session, message_id=message_id, files=files)

"""One call to a Pega's DX API v2: below the address's prefix, with the OAuth2 token, JSON in and out.

address            the prefix, as one text: https://host/prweb/api/application/v2, …/prweb/app/ALIAS/api/…, …/dx/api/…
options.agent_name the agent's id, CLASS!RULENAME (the brief's AGENT_NAME): "@BASECLASS!HelpAgent"
options.token_url  where tokens come from; https://host/prweb/PRRestService/oauth2/v1/token where it is not set
the rest of the authentication: see agents/oauth.py
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.http_exchange import HttpAsk, delivered_once, fetch
from apps.connectors.agents.oauth import Credentials
from apps.connectors.errors import BadReply, RemoteFailure, Unreachable
from apps.connectors.pega.errors import refuse
from apps.core.attached_files import AttachedFile

OAUTH_PATH = "/prweb/PRRestService/oauth2/v1/token"
AGENT_ID_SAFE = "@!"  # sheet §2: %40 was answered with 500


class PegaExchange:
    """Calls one Pega. Keeps nothing but its token (oauth.py)."""

    def __init__(self, spec: AgentSpec) -> None:
        self._prefix = spec.address.rstrip("/")
        self.who = f"the Pega at {self._prefix.partition('?')[0]}"
        self._credentials = Credentials(spec, who=self.who)
        self._prompt = spec.prompt
        parts = urlsplit(self._prefix)
        self._credentials.token_url = self._credentials.token_url or f"{parts.scheme}://{parts.netloc}{OAUTH_PATH}"

    async def call(
        self,
        method: str,
        path: str,
        *,
        client: httpx.AsyncClient,
        timeout_s: float,
        body: Mapping[str, Any] | None = None,
        file: AttachedFile | None = None,
        took_turn: bool = False,
        answered_before: bool = True,
    ) -> Any:
        """The JSON of a 2xx answer; {} where it has no body. Sent once: again only where nothing arrived, and after a
        401 with a fresh token. Raises a ConnectorError, ConversationLocked for a 423."""
        content, kind = _content(body, file)
        authorized = False

        async def ask() -> httpx.Response:
            nonlocal authorized
            headers = {"accept": "application/json", **({"content-type": kind} if kind else {})}
            headers |= self._prompt.headers() if self._prompt else {}
            try:
                headers |= await self._credentials.headers(client)
            except (Unreachable, RemoteFailure) as error:
                # A node that starts answers 503 here (sheet §1). Of our own request nothing has gone out yet.
                late = isinstance(error, Unreachable) and error.timed_out
                raise Unreachable(str(error), timed_out=late, sent=False, status=error.status) from error
            authorized = "authorization" in headers
            return await fetch(client, HttpAsk(who=self.who, method=method, url=self._prefix + path, headers=headers,
                                               content=content, timeout_s=timeout_s))  # fmt: skip

        response = await delivered_once(ask)
        if response.status_code == 401 and self._credentials.forget():
            response = await delivered_once(ask)
        if not response.is_success:
            refuse(response, self.who, took_turn=took_turn, answered_before=answered_before,
                   authorized=authorized)  # fmt: skip
        if self._prompt:
            self._prompt.check(self._prompt.said_in_headers(response.headers), (), who=self.who)
        return self._json(response)

    def _json(self, response: httpx.Response) -> Any:
        if not response.content.strip():
            return {}
        try:
            return json.loads(response.content)
        except (ValueError, RecursionError):
            raise BadReply(
                f"{self.who} answered with something that is not JSON", status=response.status_code, raw=response.text
            ) from None


def segment(text: str, *, safe: str = "") -> str:
    """One part of a path: a handle's space becomes %20."""
    return quote(text, safe=safe)


def _content(body: Mapping[str, Any] | None, file: AttachedFile | None) -> tuple[bytes | None, str]:
    if file is not None:
        request = httpx.Request("POST", "http://form", files={"file": (file.name, file.content, file.kind)})
        return request.read(), request.headers["content-type"]
    if body is None:
        return None, ""
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"), "application/json"

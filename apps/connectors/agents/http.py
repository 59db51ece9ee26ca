"""Any agent behind one HTTP call a turn: a template for the request, JSONPaths for the answer.

    address          URL, placeholders allowed
    options.method   POST
    options.headers  {name: template}; `{{ secret.NAME }}` reads the secrets (bearer and OAuth2: see oauth.py)
    options.body     JSON template, or a text; default {"message": "{{ text }}", "session_id": "{{ session }}"}
    options.reply    JSONPath of the reply (default $.reply); several matches are joined by line breaks; "" = whole body
    options.session  JSONPath of the agent's session id; without it the session id is ours and the same every turn
    options.ended    JSONPath that is true when the agent closed the conversation
    options.tool_calls   JSONPath of its tool calls

Placeholders: text, session (null until the agent gave one), message_id, turn (from 1), history (the turns before, as
[{"role", "content"}]), attachments ([{"name", "media_type", "base64"}]), secret.NAME.
"""

import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx

from apps.connectors.agents.attachments import encoded
from apps.connectors.agents.base import AgentReply, AgentSession, AgentSpec
from apps.connectors.agents.json_paths import Paths
from apps.connectors.agents.oauth import Credentials
from apps.connectors.agents.templates import Template
from apps.connectors.agents.tool_calls import read_tool_calls
from apps.connectors.agents.wire import Ask, delivered_once, fetch, refuse_bad_status
from apps.connectors.errors import BadReply
from apps.core.conversation import Attachment

_NAMES = ("text", "session", "message_id", "turn", "history", "attachments", "secret")
_SEPARATING = frozenset({"session", "history"})
_BODY: Mapping[str, str] = {"message": "{{ text }}", "session_id": "{{ session }}"}


class HTTPAgent:
    """One request a turn. Nothing is repeated once it may have arrived."""

    def __init__(self, spec: AgentSpec) -> None:
        self.spec = spec
        options = spec.options
        self._who = f"the agent at {spec.address.partition('?')[0]}"
        self._url = Template(spec.address, "/address", names=_NAMES)
        self._body = Template(options.get("body", _BODY), "/options/body", names=_NAMES)
        self._method = str(options.get("method", "POST")).upper()
        self._paths = Paths(options, {"reply": "$.reply", "session": "", "ended": "", "tool_calls": ""})
        self._credentials = Credentials(spec, who=self._who)
        self._uses = self._url.uses | self._body.uses

    @property
    def separates_sessions(self) -> bool:
        """Whether its requests carry the session or the history."""
        return bool(self._uses & _SEPARATING)

    async def send(
        self,
        text: str,
        *,
        session: AgentSession,
        message_id: str,
        client: httpx.AsyncClient,
        attachments: tuple[Attachment, ...] = (),
    ) -> AgentReply:
        """One turn by one request; a second one only after a failed connection or a 401 with a token to renew."""
        values = self._values(text, session, message_id)
        if "attachments" in self._body.uses:
            values["attachments"] = await encoded(attachments)
        started = time.perf_counter()
        response = await delivered_once(lambda: self._exchange(client, values))
        if response.status_code == 401 and self._credentials.forget():
            response = await delivered_once(lambda: self._exchange(client, values))
        refuse_bad_status(response, self._who, took_turn=True)
        return self._read(response, text, session, values, round((time.perf_counter() - started) * 1000))

    def _values(self, text: str, session: AgentSession, message_id: str) -> dict[str, Any]:
        theirs = self._paths.has("session")
        known = session.context_id if not theirs or session.state.get("theirs") else None
        return {
            "text": text,
            "session": known or (None if theirs else f"ratiba-{message_id}"),
            "message_id": message_id,
            "turn": int(session.state.get("turn", 0)) + 1,
            "history": list(session.state.get("history", [])),
            "secret": dict(self.spec.secrets),
        }

    async def _exchange(self, client: httpx.AsyncClient, values: Mapping[str, Any]) -> httpx.Response:
        headers = {"accept": "application/json", **await self._credentials.headers(client)}
        content: bytes | None = None
        if self._method != "GET":
            body = self._body.render(values)
            kind = "text/plain; charset=utf-8" if isinstance(body, str) else "application/json"
            headers = {"content-type": kind, **headers}
            content = (body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)).encode(
                "utf-8", "replace"
            )
        quoted = {key: quote(str(value or ""), safe="") for key, value in values.items() if key != "secret"}
        url = str(self._url.render({**quoted, "secret": values["secret"]}))
        ask = Ask(
            who=self._who, method=self._method, url=url, headers=headers, content=content, timeout_s=self.spec.timeout_s
        )
        return await fetch(client, ask)

    def _read(
        self, response: httpx.Response, text: str, session: AgentSession, values: Mapping[str, Any], latency_ms: int
    ) -> AgentReply:
        data: Any = response.text
        if self._paths.any:
            try:
                data = json.loads(response.content)
            except (ValueError, RecursionError):
                raise BadReply(
                    f"{self._who} answered with something that is not JSON",
                    status=response.status_code,
                    raw=response.text,
                ) from None
        reply = self._reply_text(data, response) if self._paths.has("reply") else response.text
        given = [item for item in self._paths.find("session", data) if item not in (None, "")]
        state = {"turn": values["turn"]} | ({"theirs": True} if given or session.state.get("theirs") else {})
        if "history" in self._body.uses:
            said = [{"role": "user", "content": text}, {"role": "assistant", "content": reply}]
            state["history"] = [*values["history"], *said]
        calls, results = read_tool_calls(self._paths.find("tool_calls", data))
        return AgentReply(
            text=reply,
            session=AgentSession(context_id=str(given[0]) if given else values["session"], state=state),
            latency_ms=latency_ms,
            tool_calls=calls,
            tool_results=results,
            ended=any(self._paths.find("ended", data)),
            raw=data if isinstance(data, Mapping) else {"body": data},
        )

    def _reply_text(self, data: Any, response: httpx.Response) -> str:
        found = self._paths.find("reply", data)
        if not found:
            raise BadReply(
                f"{self._who}: nothing at options.reply in the answer", status=response.status_code, raw=response.text
            )
        return "\n".join(item if isinstance(item, str) else json.dumps(item) for item in found if item is not None)

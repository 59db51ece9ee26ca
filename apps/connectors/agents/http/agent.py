"""Any agent behind one HTTP call a turn: a template for the request, JSONPaths for the answer.

    address          URL, placeholders allowed
    options.method   POST
    options.headers  {name: template}; `{{ secret.NAME }}` reads the secrets (bearer and OAuth2: see oauth.py)
    options.cookies  {name: template}
    options.body     JSON template, or a text; default {"message": "{{ text }}", "session_id": "{{ session }}"}
    options.reply    JSONPath of the reply (default $.reply); several matches are joined by line breaks; "" = whole body
    options.session  JSONPath of the agent's session id, {header: NAME} or {cookie: NAME}, sent back in the same place
                     as well; without it the session id is ours and the same every turn
    options.ended    JSONPath that is true when the agent closed the conversation (default $.ended)
    options.tool_calls   JSONPath of its tool calls (default $.tool_calls)
    options.preset   "chat": OpenAI's chat format, the whole conversation each turn; `body` adds to what is sent

A reply that comes as server-sent events is read whole: every event is JSON, and what `reply` finds in them is joined
without a break.

Placeholders of the body: text, session (null until the agent gave one), message_id, turn (from 1), history (the turns
before, as [{"role", "content"}]), messages (the history and the present turn), attachments ([{"name", "media_type",
"base64"}]), secret.NAME. Those of the address: all but the lists; of headers and cookies: all but the lists and text.
A header or cookie that would hold a session nobody has yet is left out.
"""

import time
from collections.abc import Mapping
from typing import Any

import httpx

from apps.connectors.agents.attachments import encoded
from apps.connectors.agents.base import AgentReply, AgentSession, AgentSpec, AgentTurn
from apps.connectors.agents.http.presets import with_preset
from apps.connectors.agents.http.reply import HttpAnswerReader
from apps.connectors.agents.http.request import HEADER_NAMES, RequestTemplate
from apps.connectors.agents.http.session import SessionPlace
from apps.connectors.agents.http_exchange import delivered_once, fetch, refuse_bad_status
from apps.connectors.agents.oauth import OAUTH_OPTIONS, Credentials
from apps.connectors.agents.prompt_delivery import ECHO_FIELD

_REMEMBERING = frozenset({"history", "messages"})


class HTTPAgent:
    """One request a turn. Nothing is repeated once it may have arrived."""

    OPTIONS = frozenset(
        {"method", "cookies", "body", "reply", "session", "ended", "tool_calls", "preset", *OAUTH_OPTIONS}
    )

    def __init__(self, spec: AgentSpec) -> None:
        self.spec = spec = with_preset(spec)
        self._who = f"the agent at {spec.address.partition('?')[0]}"
        self._request = RequestTemplate(spec)
        session = self._request.session
        path = session.name if session.place is SessionPlace.PATH else ""
        self._answers = HttpAnswerReader(spec.options, session=path)
        self._credentials = Credentials(spec, who=self._who, names=HEADER_NAMES)
        self._uses = self._credentials.uses | self._request.uses

    @property
    def separates_sessions(self) -> bool:
        """Tell whether its requests carry the session or the history."""
        returned = self._request.session.place in (SessionPlace.HEADER, SessionPlace.COOKIE)
        return returned or "session" in self._uses or bool(self._uses & _REMEMBERING)

    def remarks(self, reply: AgentReply) -> tuple[str, ...]:
        """Secrets that are named and not stored, and a session id that did not come."""
        named = self._credentials.secret_names | self._request.secret_names
        missing = sorted(named - set(self.spec.secrets))
        remarks_found = [f"no secret named {name!r} is stored: an empty text is sent in its place" for name in missing]
        if self._request.session.given_by_agent and not reply.session.state.get("theirs"):
            remarks_found.append(f"no session id came back at {self._request.session}")
        return tuple(remarks_found)

    async def send(self, turn: AgentTurn, *, client: httpx.AsyncClient) -> AgentReply:
        """One turn by one request; a second one only after a failed connection or a 401 with a token to renew."""
        values = self._values(turn.text, turn.session, turn.message_id)
        if "attachments" in self._uses:
            values["attachments"] = await encoded(turn.attachments)
        started = time.perf_counter()
        response = await delivered_once(lambda: self._exchange(client, values))
        if response.status_code == 401 and self._credentials.forget():
            response = await delivered_once(lambda: self._exchange(client, values))
        refuse_bad_status(response, self._who, took_turn=True)
        return self._read(response, turn.session, values, round((time.perf_counter() - started) * 1000))

    def _values(self, text: str, session: AgentSession, message_id: str) -> dict[str, Any]:
        theirs = self._request.session.given_by_agent
        known = session.context_id if not theirs or session.state.get("theirs") else None
        history = list(session.state.get("history", []))
        return {
            "text": text,
            "session": known or (None if theirs else f"ratiba-{message_id}"),
            "message_id": message_id,
            "turn": int(session.state.get("turn", 0)) + 1,
            "history": history,
            "messages": [*history, {"role": "user", "content": text}],
            "secret": dict(self.spec.secrets),
        }

    async def _exchange(self, client: httpx.AsyncClient, values: Mapping[str, Any]) -> httpx.Response:
        own = await self._credentials.headers(client, values)
        return await fetch(client, self._request.ask(values, own, who=self._who, timeout_s=self.spec.timeout_s))

    def _read(
        self, response: httpx.Response, session: AgentSession, values: Mapping[str, Any], latency_ms: int
    ) -> AgentReply:
        answer = self._answers.read(response, who=self._who)
        data, reply = answer.data, answer.text
        if prompt := self.spec.prompt:
            echo = data.get(ECHO_FIELD) if isinstance(data, Mapping) else None
            prompt.check(prompt.said_in_headers(response.headers), [echo], who=self._who)
        given = self._request.session.found(response, self._answers.paths.find("session", data))
        state = {"turn": values["turn"]} | ({"theirs": True} if given or session.state.get("theirs") else {})
        if self._uses & _REMEMBERING:
            state["history"] = [*values["messages"], {"role": "assistant", "content": reply}]
        return AgentReply(
            text=reply,
            session=AgentSession(context_id=given or values["session"], state=state),
            latency_ms=latency_ms,
            tool_calls=answer.tool_calls,
            tool_results=answer.tool_results,
            ended=answer.ended,
            raw=data if isinstance(data, Mapping) else {"body": data},
            hidden=answer.hidden,
        )

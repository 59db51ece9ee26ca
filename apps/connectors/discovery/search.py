"""Find out how an undescribed agent speaks: try the usual ways with one hello each until one works.

In order: its A2A card; what its OpenAPI document offers (FastAPI has one unless it is told not to); OpenAI's chat
format; JSON with one of the usual names for what is said. A server that says which field it lacks is believed. Every
request goes through the guarded client, none is repeated, and at most MAX_HELLOS reach the agent.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx

from apps.connectors.agents.a2a.card import WELL_KNOWN
from apps.connectors.agents.http_exchange import HttpAsk, fetch
from apps.connectors.agents.server_sent_events import documents_in
from apps.connectors.discovery.reply_places import SESSION_NAMES, ReplyPlaces, places_in
from apps.connectors.discovery.web_address import normalised
from apps.connectors.errors import AddressRefused, BadReply, ConnectorError, Unreachable
from apps.core.errors import BadInput

SAID_NAMES = ("message", "text", "input", "query", "question", "prompt", "content", "user_input", "msg")
USUAL_PATHS = (
    "/chat",
    "/v1/chat/completions",
    "/api/chat",
    "/message",
    "/messages",
    "/webhooks/rest/webhook",
    "/ask",
    "/invoke",
)
USUAL_SESSION = "session_id"
MAX_HELLOS = 24
_CHAT_PATH = re.compile(r"/(?:v\d+|chat/completions)/?\Z")
_SPEAKING = re.compile(r"chat|message|ask|reply|repl|agent|convers|invoke|talk|webhook", re.IGNORECASE)
_ELSEWHERE = (404, 405, 501)
_LOCKED = (401, 403)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentWay:
    """Settings of an agent's connection, what they are called, and what it answered to the hello."""

    words: str
    kind: str
    address: str
    options: Mapping[str, Any] = field(default_factory=dict)
    reply: str = ""


@dataclass(slots=True, kw_only=True)
class WaySearch:
    """One search. `tried` tells in words what was asked and what came back."""

    client: httpx.AsyncClient
    hello: str
    session: str
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 60.0
    tried: list[str] = field(default_factory=list)
    hellos: int = 0

    async def run(self, address: str) -> AgentWay:
        """Return the first protocol in which the agent answers.
        Raises AddressRefused, Unreachable, or BadInput with all tries (`not_understood`, `credentials_missing`)."""
        address = normalised(address)
        if await self._shows_card(address):
            return AgentWay(words="A2A, by its card", kind="a2a", address=address)
        for url, names in await self._places(address):
            if (way := await self._at(url, names)) is not None:
                return way
        raise BadInput(
            "Nothing at this address was answered as an agent answers. Tried: " + "; ".join(self.tried),
            code="not_understood",
        )

    async def _shows_card(self, address: str) -> bool:
        for path in WELL_KNOWN:
            response = await self._ask("GET", address.rstrip("/") + path)
            card = _json(response)
            if isinstance(card, Mapping) and "name" in card and {"url", "skills", "supportedInterfaces"} & card.keys():
                return True
        self.tried.append("no A2A card")
        return False

    async def _places(self, address: str) -> list[tuple[str, tuple[str, ...]]]:
        """Return where to say hello, with the names that are known there.

        They are the address itself, the paths of its document, and the usual paths where it names none.
        """
        places: dict[str, tuple[str, ...]] = {}
        document = _json(await self._ask("GET", urljoin(address, "/openapi.json")))
        offered = dict(_offered(document, address)) if isinstance(document, Mapping) else {}
        bare = urlsplit(address).path in ("", "/")
        if not bare or not offered:
            places[address] = offered.get(address, ())
        if bare:
            places |= offered
            places |= {urljoin(address, path): () for path in USUAL_PATHS if urljoin(address, path) not in places}
        return list(places.items())

    async def _at(self, url: str, named: tuple[str, ...]) -> AgentWay | None:
        chat_first = bool(_CHAT_PATH.search(urlsplit(url).path)) or "messages" in named
        if chat_first and (way := await self._as_chat(url)) is not None:
            return way
        names = [*(name for name in named if name != "messages"), *SAID_NAMES]
        queue = list(dict.fromkeys(names))
        session = USUAL_SESSION
        while queue and self.hellos < MAX_HELLOS:
            name = queue.pop(0)
            response = await self._say(url, {name: self.hello, **({session: self.session} if session else {})})
            if response is None or response.status_code in _ELSEWHERE:
                self.tried.append(f"POST {url}: {_status(response)}")
                return None
            if (way := self._read(url, name, session, response)) is not None:
                return way
            refused = _named_in(response)
            if session and session in refused:  # an unknown field to it: what it names instead, or none at all
                session = next(
                    (session_name for session_name in SESSION_NAMES if session_name in refused - {session}), ""
                )
                queue.insert(0, name)
            queue.sort(key=lambda one: one not in refused)  # what it says it lacks comes first
            if not chat_first and "messages" in refused and (way := await self._as_chat(url)):
                return way
        return None if chat_first else await self._as_chat(url)

    def _read(self, url: str, name: str, session: str, response: httpx.Response) -> AgentWay | None:
        if response.status_code >= 300:
            self.tried.append(f'POST {url} with "{name}": {response.status_code}')
            return None
        places = _places_of(response, said=self.hello)
        if places is None:
            self.tried.append(f'POST {url} with "{name}": {response.status_code}, and no reply was found in the answer')
            return None
        theirs = places.sessions[0] if places.sessions else ""
        carried = {theirs or session: "{{ session }}"} if theirs or session else {}
        options: dict[str, Any] = {"body": {name: "{{ text }}", **carried}}
        options["reply"] = places.reply
        if theirs:
            options["session"] = f"$.{theirs}"
        words = f'JSON with "{name}"' + (f", reply at {places.reply}" if places.reply else ", reply as text")
        return AgentWay(words=words, kind="http", address=url, options=options, reply=places.text)

    async def _as_chat(self, url: str) -> AgentWay | None:
        path = urlsplit(url).path.rstrip("/")
        if path.endswith("/v1"):
            url = f"{url.rstrip('/')}/chat/completions"
        elif not _CHAT_PATH.search(path) and path in ("", "/"):
            return None
        messages = [{"role": "user", "content": self.hello}]
        for model in ("default", await self._model_at(url)):
            response = await self._say(url, {"model": model, "messages": messages}) if model else None
            places = _places_of(response, said=self.hello) if response is not None and response.is_success else None
            if places is not None:
                body = {} if model == "default" else {"model": model}
                options: dict[str, Any] = {"preset": "chat", "body": body}
                if not places.reply.startswith("$.choices"):
                    options["reply"] = places.reply
                words = f"OpenAI's chat format, model {model!r}" if body else "OpenAI's chat format"
                return AgentWay(words=words, kind="http", address=url, options=options, reply=places.text)
            self.tried.append(f'POST {url} with "messages": {_status(response)}')
            if response is None or (response.status_code in _ELSEWHERE and "model" not in response.text[:4000]):
                return None  # nothing is here; where the model is unknown, the server is asked which it has
        return None

    async def _model_at(self, url: str) -> str:
        listed = _json(await self._ask("GET", url.removesuffix("/chat/completions") + "/models"))
        models = listed.get("data") if isinstance(listed, Mapping) else None
        first = models[0] if isinstance(models, list) and models else None
        return str(first.get("id") or "") if isinstance(first, Mapping) else ""

    async def _say(self, url: str, body: Mapping[str, Any]) -> httpx.Response | None:
        if self.hellos >= MAX_HELLOS:
            return None
        self.hellos += 1
        return await self._ask("POST", url, body)

    async def _ask(self, method: str, url: str, body: Mapping[str, Any] | None = None) -> httpx.Response | None:
        """One request; None for an answer that breaks its own protocol. Raises Unreachable, AddressRefused and
        BadInput: where nobody is, or nobody may go, further tries show nothing."""
        headers = {"accept": "application/json, text/event-stream;q=0.9, */*;q=0.5", **self.headers}
        content = None
        if body is not None:
            headers["content-type"], content = "application/json", json.dumps(body).encode()
        ask = HttpAsk(
            who=f"the agent at {url.partition('?')[0]}",
            method=method,
            url=url,
            headers=headers,
            content=content,
            timeout_s=self.timeout_s,
        )
        try:
            response = await fetch(self.client, ask)
        except (Unreachable, AddressRefused):
            raise
        except ConnectorError as error:
            self.tried.append(f"{method} {url}: {error.message}")
            return None
        if response.status_code in _LOCKED and method == "POST":
            raise BadInput(
                f"{ask.who} wants credentials ({response.status_code}). Name the environment variable that holds its "
                "token: --token-variable MY_TOKEN",
                code="credentials_missing",
            )
        return response


def _offered(document: Mapping[str, Any], address: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The operations of an OpenAPI document that take a message: each POST whose body has one of the usual names."""
    paths = document.get("paths")
    rows = (
        [(path, item["post"]) for path, item in paths.items() if isinstance(item, Mapping) and "post" in item]
        if isinstance(paths, Mapping)
        else []
    )
    for path, operation in sorted(rows, key=lambda row: not _SPEAKING.search(str(row[0]))):
        names = _body_names(document, operation)
        message_names = tuple(name for name in ("messages", *SAID_NAMES) if name in names)
        if message_names and "{" not in str(path):
            yield urljoin(address, str(path)), message_names


def _body_names(document: Mapping[str, Any], operation: Any) -> frozenset[str]:
    try:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        if "$ref" in schema:
            schema = document["components"]["schemas"][str(schema["$ref"]).rpartition("/")[2]]
        return frozenset(map(str, schema["properties"]))
    except (KeyError, TypeError, AttributeError):
        return frozenset()


def _status(response: httpx.Response | None) -> str:
    return "no answer" if response is None else str(response.status_code)


def _named_in(response: httpx.Response) -> frozenset[str]:
    """Names of ours that stand in what a server says of a request it refuses."""
    if response.status_code < 400:
        return frozenset()
    return frozenset(re.findall(r"\w+", response.text[:4000])) & {"messages", *SAID_NAMES, *SESSION_NAMES}


def _json(response: httpx.Response | None) -> Any:
    if response is None or not response.is_success:
        return None
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        return None


def _places_of(response: httpx.Response, *, said: str) -> ReplyPlaces | None:
    """Return the place of the reply in a whole answer, a stream of events, or a plain text."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/event-stream":
        try:
            events = documents_in(response.text)
        except BadReply:
            return None
        return next((places for event in events if (places := places_in(event, said=said))), None)
    data = _json(response)
    if data is not None and not isinstance(data, str):
        return places_in(data, said=said)
    text = data if isinstance(data, str) else response.text
    if kind in ("text/html", "application/xhtml+xml") or not text.strip() or text.strip() == said:
        return None
    return ReplyPlaces(reply="", text=text.strip())

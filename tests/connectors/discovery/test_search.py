"""Finding out how an agent speaks, by the answers of servers that each speak in one way."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from apps.connectors.addresses import OutboundPolicy
from apps.connectors.agents.base import AgentSpec
from apps.connectors.discovery.reply_places import places_in
from apps.connectors.discovery.search import MAX_HELLOS, AgentWay, WaySearch
from apps.connectors.discovery.web_address import normalised
from apps.connectors.errors import AddressRefused, Unreachable
from apps.connectors.outbound import outbound_client
from apps.core.errors import BadInput
from tests.connectors.agents.conftest import talk
from tests.loopback.http_server import Answer, LoopbackServer, Request

HELLO = "Hello, are you open?"
LOOPBACK = OutboundPolicy(private_hosts=("127.0.0.1",))
NOWHERE = Answer(status=404, body=b"no", content_type="text/plain")
Serve = Callable[[str, Mapping[str, Any]], Answer]


def said(body: Any, status: int = 200) -> Answer:
    return Answer(status=status, body=json.dumps(body).encode())


class Agent:
    """A server that answers POSTs to `path` by `speak`, and documents at other paths."""

    def __init__(self, path: str, speak: Serve, documents: Mapping[str, Any] | None = None) -> None:
        self.path, self.speak, self.documents, self.hellos = path, speak, documents or {}, 0

    def __call__(self, request: Request) -> Answer:
        if request.method == "GET":
            return said(self.documents[request.path]) if request.path in self.documents else NOWHERE
        self.hellos += 1
        return self.speak(request.path, json.loads(request.body)) if request.path == self.path else NOWHERE


def found(agent: Agent, path: str = "", *, policy: OutboundPolicy = LOOPBACK) -> tuple[AgentWay, list[str]]:
    """The way, tried through the connector that runs use, and its replies to two turns."""

    async def search(url: str) -> AgentWay:
        async with outbound_client(policy) as client:
            return await WaySearch(client=client, hello=HELLO, session="s-1", timeout_s=5).run(url)

    with LoopbackServer(agent) as server:
        way = asyncio.run(search(server.url + path))
        if way.kind != "http":
            return way, []
        spec = AgentSpec(kind=way.kind, address=way.address, options=way.options, timeout_s=5)
        return way, [reply.text for reply in talk(spec, "one", "two")]


def plain(name: str, answer: Callable[[str], Any], *, extra: bool = True) -> Serve:
    def speak(_path: str, body: Mapping[str, Any]) -> Answer:
        if name not in body or (not extra and set(body) != {name}):
            lacking = [{"loc": ["body", name], "msg": "Field required"}] if name not in body else []
            more = [{"loc": ["body", one], "msg": "Extra inputs"} for one in body if one != name]
            return said({"detail": lacking + more}, 422)
        return said(answer(body[name]))

    return speak


SHAPES: dict[str, tuple[Callable[[str], Any], str]] = {
    "reply": (lambda text: {"reply": f"Yes to {text}"}, "$.reply"),
    "nested": (lambda text: {"data": {"answer": f"Yes to {text}"}, "took": 3}, "$.data.answer"),
    "bubbles": (lambda text: [{"recipient_id": "u", "text": f"Yes to {text}"}, {"text": "Bye"}], "$[*].text"),
    "history": (
        lambda text: {"messages": [{"role": "user", "content": text}, {"role": "ai", "content": f"Yes to {text}"}]},
        "$.messages[-1].content",
    ),
    "output": (lambda text: {"output": {"content": f"Yes to {text}"}}, "$.output.content"),
    "repeats the question": (lambda text: {"message": text, "response": f"Yes to {text}"}, "$.response"),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_the_reply_is_found_wherever_it_usually_stands(shape: str) -> None:
    answer, path = SHAPES[shape]
    way, replies = found(Agent("/chat", plain("message", answer)), "/chat")
    assert way.options["reply"] == path
    assert [text.splitlines()[0] for text in replies] == ["Yes to one", "Yes to two"]


@pytest.mark.parametrize("name", ["text", "query", "question", "user_input"])
def test_the_field_that_a_strict_server_says_it_lacks_is_tried_next(name: str) -> None:
    agent = Agent("/talk", plain(name, lambda text: {"answer": f"Yes to {text}"}, extra=False))
    way, replies = found(agent, "/talk")
    assert way.options["body"] == {name: "{{ text }}"}
    assert replies == ["Yes to one", "Yes to two"]
    assert agent.hellos <= 3 + 2


def test_a_session_that_the_agent_gives_is_sent_back_under_its_name() -> None:
    bodies: list[Mapping[str, Any]] = []

    def speak(_path: str, body: Mapping[str, Any]) -> Answer:
        bodies.append(body)
        return said({"reply": "Yes", "conversation_id": "c-7"})

    way, _replies = found(Agent("/chat", speak), "/chat")
    assert way.options["session"] == "$.conversation_id"
    assert bodies[-1] == {"message": "two", "conversation_id": "c-7"}


def chat(model: str = "") -> Serve:
    def speak(_path: str, body: Mapping[str, Any]) -> Answer:
        if "messages" not in body:
            return said({"error": {"message": "messages is required"}}, 400)
        if model and body["model"] != model:
            return said({"error": {"message": f"model {body['model']} not found"}}, 404)
        text = f"{len(body['messages'])} messages"
        return said({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]})

    return speak


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1", "", "/assistant"])
def test_an_agent_in_openais_form_is_found_at_its_address_its_base_and_its_host(path: str) -> None:
    place = "/assistant" if path == "/assistant" else "/v1/chat/completions"
    way, replies = found(Agent(place, chat()), path)
    assert (way.options["preset"], way.address.endswith(place)) == ("chat", True)
    assert replies == ["1 messages", "3 messages"]


def test_a_model_that_the_server_wants_by_name_is_asked_for() -> None:
    models = {"/v1/models": {"data": [{"id": "salon-1"}]}}
    way, replies = found(Agent("/v1/chat/completions", chat("salon-1"), models), "/v1")
    assert way.options["body"] == {"model": "salon-1"}
    assert replies == ["1 messages", "3 messages"]


def test_an_openapi_document_says_where_to_speak_and_under_which_name() -> None:
    post = {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Say"}}}}}
    document = {
        "paths": {"/health": {"get": {}}, "/items": {"post": {}}, "/v2/converse": {"post": post}},
        "components": {"schemas": {"Say": {"properties": {"utterance_id": {}, "query": {"type": "string"}}}}},
    }
    agent = Agent("/v2/converse", plain("query", lambda text: {"reply": f"Yes to {text}"}), {"/openapi.json": document})
    way, replies = found(agent)
    assert way.address.endswith("/v2/converse")
    assert replies == ["Yes to one", "Yes to two"]
    assert agent.hellos == 3


def test_a_card_says_that_it_is_a2a_and_nobody_is_said_hello_to() -> None:
    card = {"/.well-known/agent-card.json": {"name": "Salon", "url": "http://127.0.0.1/", "skills": []}}
    agent = Agent("/", plain("message", lambda text: {"reply": text}), card)
    way, _ = found(agent)
    assert (way.kind, agent.hellos) == ("a2a", 0)


def test_events_and_plain_text_are_replies_too() -> None:
    events = b'data: {"text": "Yes "}\n\ndata: {"text": "please"}\n\n'
    way, replies = found(Agent("/chat", lambda *_: Answer(body=events, content_type="text/event-stream")), "/chat")
    assert replies == ["Yes please", "Yes please"]
    way, replies = found(Agent("/chat", lambda *_: Answer(body=b"Yes, we are.", content_type="text/plain")), "/chat")
    assert (way.options["reply"], replies[0]) == ("", "Yes, we are.")


@pytest.mark.parametrize(
    "answer",
    [
        Answer(body=b"<html><body>Welcome</body></html>", content_type="text/html"),
        said({"message": HELLO}),
        said({"reply": ""}),
        said({"ok": True, "id": 4}),
        said([]),
        Answer(body=b"{", content_type="application/json; charset=utf-8"),
        Answer(status=500, body=b"boom"),
    ],
)
def test_what_is_no_reply_is_not_taken_for_one_and_all_tries_are_told(answer: Answer) -> None:
    agent = Agent("/chat", lambda *_: answer)
    if answer.body == b"{":  # a broken document is a text: what it says is shown, and a person sees it
        assert found(agent, "/chat")[0].reply == "{"
        return
    with pytest.raises(BadInput) as raised:
        found(agent, "/chat")
    assert raised.value.code == "not_understood"
    assert '/chat with "message"' in raised.value.message
    assert agent.hellos <= MAX_HELLOS


@pytest.mark.parametrize("status", [401, 403])
def test_an_agent_that_wants_credentials_says_how_to_give_them(status: int) -> None:
    with pytest.raises(BadInput, match="--token-variable") as raised:
        found(Agent("/chat", lambda *_: said({"detail": "who are you?"}, status)), "/chat")
    assert raised.value.code == "credentials_missing"


def test_where_nobody_is_or_nobody_may_go_nothing_else_is_tried() -> None:
    async def search(url: str, policy: OutboundPolicy) -> AgentWay:
        async with outbound_client(policy) as client:
            return await WaySearch(client=client, hello=HELLO, session="s", timeout_s=2).run(url)

    with LoopbackServer(lambda _request: NOWHERE) as server:
        url = server.url
        with pytest.raises(AddressRefused):
            asyncio.run(search(url, OutboundPolicy()))
    with pytest.raises(Unreachable):
        asyncio.run(search(url, LOOPBACK))


@pytest.mark.parametrize("address", ["", "ftp://x", "http://", "not an address"])
def test_what_is_no_web_address_is_refused(address: str) -> None:
    with pytest.raises(BadInput, match="web address"):
        normalised(address)


def test_an_address_without_a_scheme_is_http() -> None:
    assert normalised(" 127.0.0.1:8000/chat ") == "http://127.0.0.1:8000/chat"


def test_nothing_is_found_in_an_answer_without_words() -> None:
    assert places_in({"a": {"b": {"c": {"d": "too deep"}}}}, said=HELLO) is None
    assert places_in(3, said=HELLO) is None

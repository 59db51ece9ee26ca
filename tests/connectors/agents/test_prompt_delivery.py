"""A prompt on the wire: where each protocol holds it, what has no room for it, and an agent that played another one."""

import json
from typing import Any

import pytest

from apps.connectors.addresses import OutboundPolicy
from apps.connectors.agents import oauth
from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.prompt_delivery import PromptDelivery, PromptPayload, check_delivery
from apps.connectors.agents.registry import agent_for, check_settings
from apps.connectors.errors import ConnectorError, OtherPrompt, RemoteRefusal
from apps.core.digest import sha256_hex
from apps.core.errors import BadInput
from tests.connectors.agents.conftest import talk
from tests.connectors.agents.pega_bot import AGENT, PREFIX, PegaBot
from tests.loopback.http_server import Answer, LoopbackServer, Request

TEXT = "You book haircuts.\nBe short: „ndiyo“."
VERSION = "salon@sha256-12345678"
URI = "https://salon.example/ext/prompt/v1"


def delivery(**more: Any) -> PromptDelivery:
    return PromptDelivery(**{"field": "prompt", "version": VERSION, "text": TEXT, **more})


class Wire:
    """Answers A2A and plain HTTP; keeps every request. `metadata`, `headers`, `body` are added to what it answers."""

    def __init__(self, *, headers: Any = None, metadata: Any = None, card_url: str = "", **body: Any) -> None:
        self.requests: list[Request] = []
        self.headers, self.metadata, self.card_url, self.body = headers or {}, metadata, card_url, body

    def __call__(self, request: Request) -> Answer:
        if request.method == "GET":
            return Answer(body=json.dumps({"url": self.card_url, "protocolVersion": "0.3"}).encode())
        self.requests.append(request)
        asked = json.loads(request.body)
        if "jsonrpc" not in asked:
            return Answer(body=json.dumps({"reply": "hello", **self.body}).encode(), headers=self.headers)
        message = {"parts": [{"text": "hello"}]} | ({"metadata": self.metadata} if self.metadata else {})
        done = {"jsonrpc": "2.0", "id": asked["id"], "result": message}
        return Answer(body=json.dumps(done).encode(), headers=self.headers)

    def asked(self, kind: str, prompt: PromptDelivery, *texts: str, **options: Any) -> Any:
        """The replies of an agent of this kind that is sent this prompt, or the error."""
        with LoopbackServer(self) as server:
            options = ({"endpoint": server.url} if kind == "a2a" else {}) | options
            spec = AgentSpec(kind=kind, address=server.url, options=options, timeout_s=5, prompt=prompt)
            try:
                return talk(spec, *(texts or ("hi",)))
            except ConnectorError as error:
                return error

    def bodies(self) -> list[Any]:
        return [json.loads(request.body) for request in self.requests]


@pytest.mark.parametrize("dialect", ["0.3", "1.0"])
@pytest.mark.parametrize("form, value", [(PromptPayload.TEXT, TEXT), (PromptPayload.VERSION, VERSION)])
def test_a2a_holds_it_in_the_metadata_of_every_message(dialect: str, form: PromptPayload, value: str) -> None:
    wire = Wire()
    wire.asked("a2a", delivery(field=URI, form=form), "hi", "again", dialect=dialect)
    assert [body["params"]["message"]["metadata"] for body in wire.bodies()] == [{URI: value}] * 2


@pytest.mark.parametrize("form, value", [(PromptPayload.TEXT, TEXT), (PromptPayload.VERSION, VERSION)])
def test_http_holds_it_in_a_field_of_the_body(form: PromptPayload, value: str) -> None:
    wire = Wire()
    wire.asked("http", delivery(field="config.prompt", form=form), body={"q": "{{ text }}", "config": {"a": 1}})
    assert wire.bodies() == [{"q": "hi", "config": {"a": 1, "prompt": value}}]


def test_what_a_customer_says_cannot_take_its_place() -> None:
    wire = Wire()
    wire.asked("http", delivery(), '{"prompt": "mine"} {{ prompt }}')
    assert wire.bodies()[0]["prompt"] == TEXT


@pytest.mark.parametrize("kind", ["a2a", "http"])
def test_a_header_holds_the_version_and_no_field_is_added(kind: str) -> None:
    wire = Wire()
    wire.asked(kind, delivery(field="", header="X-Prompt-Version"))
    assert wire.requests[0].headers["x-prompt-version"] == VERSION
    assert TEXT not in wire.requests[0].body.decode()
    assert "metadata" not in wire.bodies()[0].get("params", {}).get("message", {})


def test_agentx_holds_it_where_a_conversation_is_opened_and_in_every_turn(
    pega: PegaBot, pega_server: LoopbackServer
) -> None:
    oauth._tokens.clear()
    spec = AgentSpec(
        kind="agentx", address=pega_server.url + PREFIX, options={"agent_name": AGENT, "look_again_s": 0.01},
        prompt=delivery(field="additionalContext.prompt", header="x-prompt"), timeout_s=5,
    )  # fmt: skip
    talk(spec, "hi")
    opened = next(json.loads(one.body) for one in pega.requests if one.method == "POST" and b"contextID" in one.body)
    assert opened["additionalContext"] == pega.patches[0]["additionalContext"] == {"prompt": TEXT}
    assert pega.requests[-1].headers["x-prompt"] == VERSION


def test_without_a_prompt_nothing_is_added() -> None:
    wire = Wire()
    with LoopbackServer(wire) as server:
        talk(AgentSpec(kind="http", address=server.url, timeout_s=5), "hi")
    assert wire.bodies() == [{"message": "hi", "session_id": "ours"}]


@pytest.mark.parametrize(
    "said",
    [VERSION, TEXT, sha256_hex(TEXT), f"sha256:{sha256_hex(TEXT)}", sha256_hex(TEXT)[:8].upper(), "", "  "],
)
@pytest.mark.parametrize("place", ["header", "metadata", "body"])
def test_an_agent_that_says_it_played_this_one_is_believed(said: str, place: str) -> None:
    if place == "header":
        if not said.isascii() or "\n" in said:
            pytest.skip("no header holds this")
        wire = Wire(headers={"x-ratiba-prompt": said})
    else:
        wire = Wire(metadata={"ratiba_prompt": said}) if place == "metadata" else Wire(ratiba_prompt=said)
    replies = wire.asked("a2a" if place == "metadata" else "http", delivery())
    assert replies[0].text == "hello"


@pytest.mark.parametrize("said", ["salon@live", "0" * 64, sha256_hex(TEXT)[:7], "You book haircuts."])
def test_an_agent_that_says_it_played_another_one_is_not_heard(said: str) -> None:
    header = Wire(headers={"X-Ratiba-Prompt": said})
    own_header = Wire(headers={"x-prompt": said})
    metadata, own_key, body = Wire(metadata={"ratiba_prompt": said}), Wire(metadata={URI: said}), Wire(
        ratiba_prompt=said
    )  # fmt: skip
    answers = [
        header.asked("http", delivery()), header.asked("a2a", delivery()),
        own_header.asked("http", delivery(header="X-Prompt")), own_header.asked("a2a", delivery(header="X-Prompt")),
        metadata.asked("a2a", delivery()), own_key.asked("a2a", delivery(field=URI)), body.asked("http", delivery()),
    ]  # fmt: skip
    for answer in answers:
        assert isinstance(answer, OtherPrompt)
        assert said[:50] in str(answer)
        assert VERSION in str(answer)


def test_what_an_agent_says_in_a_field_of_its_own_is_no_word_about_our_prompt() -> None:
    assert Wire(prompt="What else can I do?").asked("http", delivery())[0].text == "hello"


def test_a_card_that_names_another_server_is_not_followed_with_a_prompt() -> None:
    elsewhere = Wire()
    with LoopbackServer(elsewhere) as production:
        wire = Wire(card_url=production.url)
        error = wire.asked("a2a", delivery(), endpoint="")
        assert isinstance(error, RemoteRefusal)
        assert "another server" in str(error)
        assert not elsewhere.requests


@pytest.mark.parametrize(
    "kind, field, options",
    [
        ("http", "prompt", {"body": "a text {{ text }}"}),
        ("http", "prompt", {"method": "GET"}),
        ("http", "message", {}),  # it would take the customer's words out
        ("http", "config.prompt", {"body": {"config": "x", "q": "{{ text }}"}}),
        ("agentx", "Request", {"agent_name": AGENT}),
        ("agentx", "contextID", {"agent_name": AGENT}),
        ("agentx", "a.b", {"agent_name": AGENT, "message": {"a": 1}}),
    ],
)
def test_where_there_is_no_room_the_settings_are_refused(kind: str, field: str, options: Any) -> None:
    spec = AgentSpec(kind=kind, address="http://x", options=options, prompt=delivery(field=field))
    with pytest.raises(BadInput) as refused:
        check_settings(spec, OutboundPolicy())
    assert refused.value.pointer == "/prompt_field"
    assert agent_for(AgentSpec(kind=kind, address="http://x", options=options))


@pytest.mark.parametrize(
    "field, header, pointer",
    [
        ("two words", "", "/prompt_field"), ("a..b", "", "/prompt_field"), ("x" * 201, "", "/prompt_field"),
        ("", "x:y", "/prompt_header"), ("", "x\ny", "/prompt_header"), ("", "Authorization", "/prompt_header"),
        ("", "Content-Length", "/prompt_header"), ("", "a2a-version", "/prompt_header"),
    ],
)  # fmt: skip
def test_a_name_that_none_can_have_is_refused(field: str, header: str, pointer: str) -> None:
    with pytest.raises(BadInput) as refused:
        check_delivery(field, header)
    assert refused.value.pointer == pointer

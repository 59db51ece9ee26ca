"""A2A against the official server: tasks, cards, who we are, and documents that fit the published schemas."""

import json
import re
from typing import Any

import httpx
import jsonschema
import pytest

from apps.connectors.agents.a2a.card import card_urls, read_card
from apps.connectors.agents.a2a.dialects import Dialect, WireTurn, get_task_call, send_call
from apps.connectors.agents.base import AgentSession, AgentSpec
from apps.connectors.errors import AgentFailed, AgentRefused, BadReply, RemoteRefusal
from apps.core.attached_files import AttachedFile
from apps.core.errors import BadInput
from tests.connectors.agents.conftest import talk
from tests.connectors.agents.sdk_server import CHUNKS, SDKServer
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.shared_data import SHARED

SCHEMAS = SHARED / "data" / "conformance" / "a2a"
DIALECTS = pytest.mark.parametrize("dialect", ["0.3", "1.0"])
STREAMING = pytest.mark.parametrize("stream", [False, True])


def spec_for(sdk: SDKServer, **options: Any) -> AgentSpec:
    return AgentSpec(kind="a2a", address=sdk.base, options={"poll_s": 0.02, **options}, timeout_s=5)


@DIALECTS
@STREAMING
def test_a_task_gives_its_artifacts(sdk: SDKServer, dialect: str, stream: bool) -> None:
    reply = talk(spec_for(sdk, dialect=dialect, stream=stream), "task one")[0]
    assert (reply.text, reply.task_state) == ("result of task one", "completed")
    assert "task_id" not in reply.session.state


@DIALECTS
@STREAMING
def test_the_task_is_named_only_while_it_waits_for_the_customer(sdk: SDKServer, dialect: str, stream: bool) -> None:
    asked, answered, after = talk(spec_for(sdk, dialect=dialect, stream=stream), "ask me", "the red one", "hello")
    assert (asked.text, asked.task_state) == ("which one?", "input-required")
    assert "task_id" in asked.session.state
    assert (answered.text, answered.task_state) == ("result of the red one", "completed")
    assert "task_id" not in answered.session.state
    assert after.text.startswith("you said: hello")
    assert len({context for _, context, _ in sdk.puppet.heard}) == 1


@DIALECTS
@STREAMING
@pytest.mark.parametrize("text, state", [("fail", "failed"), ("reject", "rejected"), ("auth", "auth-required")])
def test_a_task_that_ends_badly_is_the_agents_refusal(
    sdk: SDKServer, dialect: str, stream: bool, text: str, state: str
) -> None:
    with pytest.raises(AgentRefused, match="sorry") as raised:
        talk(spec_for(sdk, dialect=dialect, stream=stream), text)
    assert raised.value.extra["task_state"] == state
    assert len(sdk.puppet.heard) == 1


def test_files_go_along(sdk: SDKServer) -> None:
    for dialect in ("0.3", "1.0"):
        assert talk(spec_for(sdk, dialect=dialect), "see", attachments=(AttachedFile(name="a.txt", content=b"abc"),))


# --- Cards ------------------------------------------------------------------------------------------------------------
def test_the_card_is_looked_for_in_order() -> None:
    assert card_urls("http://h/a/") == (
        "http://h/a/.well-known/agent-card.json",
        "http://h/a/.well-known/agent.json",
        "http://h/a/",
    )
    assert card_urls("http://h/x/card.json")[0] == "http://h/x/card.json"


@pytest.mark.parametrize("path", ["/.well-known/agent-card.json", "/.well-known/agent.json", "/"])
def test_an_agent_is_found_wherever_its_card_is(path: str) -> None:
    seen: list[str] = []

    def serve(request: Request) -> Answer:
        seen.append(request.path)
        if request.method == "POST":
            return Answer(body=b'{"result": {"parts": [{"kind": "text", "text": "found"}]}}')
        card = {"url": "/rpc", "protocolVersion": "0.2.6"}
        return Answer(body=json.dumps(card).encode()) if request.path == path else Answer(status=404)

    with LoopbackServer(serve) as server:
        spec = AgentSpec(kind="a2a", address=server.url + "/", timeout_s=5)
        assert talk(spec, "hi", "again")[1].text == "found"
    wells = ["/.well-known/agent-card.json", "/.well-known/agent.json", "/"]
    assert seen == [*wells[: wells.index(path) + 1], "/rpc", "/rpc"]


def test_an_agent_without_a_card_is_refused() -> None:
    with LoopbackServer(lambda _: Answer(status=404)) as server, pytest.raises(RemoteRefusal):
        talk(AgentSpec(kind="a2a", address=server.url, timeout_s=5), "hi")


@pytest.mark.parametrize(
    "card, dialect, url",
    [
        ({"url": "http://h/a"}, "0.3", "http://h/a"),
        ({"url": "http://h/a", "protocolVersion": "0.2.5"}, "0.3", "http://h/a"),
        ({"url": "http://h/a", "protocolVersion": "1.0"}, "1.0", "http://h/a"),
        (
            {
                "url": "http://h/g",
                "preferredTransport": "GRPC",
                "protocolVersion": "0.3.0",
                "additionalInterfaces": [{"transport": "JSONRPC", "url": "/j"}],
            },
            "0.3",
            "http://h/j",
        ),
        (
            {
                "supportedInterfaces": [
                    {"url": "http://h/3", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
                    {"url": "http://h/1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
                ]
            },
            "1.0",
            "http://h/1",
        ),
    ],
)
def test_a_card_says_where_and_how(card: dict[str, Any], dialect: str, url: str) -> None:
    endpoint = read_card(card, url="http://h/.well-known/agent-card.json", who="it")
    assert (endpoint.url, endpoint.dialect) == (url, Dialect(dialect))


def test_a_card_without_json_rpc_cannot_be_used() -> None:
    grpc = {"supportedInterfaces": [{"url": "h:1", "protocolBinding": "GRPC", "protocolVersion": "1.0"}]}
    with pytest.raises(BadReply, match="no JSON-RPC"):
        read_card(grpc, url="http://h", who="it")


def test_the_version_is_named_to_1_0_only(sdk: SDKServer) -> None:
    talk(spec_for(sdk), "hello")
    talk(spec_for(sdk, dialect="0.3"), "hello")
    assert [headers.get("a2a-version") for headers in sdk.door.headers] == ["1.0", None]


def test_our_own_context_id_is_not_given_out_as_theirs(sdk: SDKServer) -> None:
    reply = talk(spec_for(sdk), "hello", session=AgentSession(context_id="our-own"))[0]
    assert reply.session.context_id not in (None, "our-own")


# --- Who we are -------------------------------------------------------------------------------------------------------
SECRETS = {"client_secret": "s3cret"}


def test_a_token_is_fetched_once_and_kept(sdk: SDKServer) -> None:
    sdk.door.required = True
    spec = AgentSpec(
        kind="a2a",
        address=sdk.base,
        options={"client_id": "me", "token_url": f"{sdk.base}/token", "scope": "a2a"},
        secrets=SECRETS,
        timeout_s=5,
    )
    assert talk(spec, "hello", "again")[1].text.endswith("(turn 2)")
    assert talk(spec, "hello")
    (grant,) = sdk.door.grants
    assert (grant["grant_type"], grant["client_id"], grant["scope"]) == ("client_credentials", "me", "a2a")


def test_the_secret_can_go_as_basic(sdk: SDKServer) -> None:
    options = {"client_id": "me", "token_url": f"{sdk.base}/token", "token_auth": "basic"}
    talk(AgentSpec(kind="a2a", address=sdk.base, options=options, secrets=SECRETS, timeout_s=5), "hello")
    assert sdk.door.grants[0]["authorization"] == "Basic bWU6czNjcmV0"
    assert "client_secret" not in sdk.door.grants[0]


@STREAMING
def test_a_token_refused_midway_is_renewed_once(sdk: SDKServer, stream: bool) -> None:
    sdk.door.required = True
    options = {"client_id": "me", "token_url": f"{sdk.base}/token", "stream": stream}
    spec = AgentSpec(kind="a2a", address=sdk.base, options=options, secrets=SECRETS, timeout_s=5)
    session = talk(spec, "hello")[0].session
    sdk.door.token += 1  # the server forgets what it gave
    assert talk(spec, "again", session=session)[0].text.endswith("(turn 2)")
    assert len(sdk.door.grants) == 2
    assert [text for _, _, text in sdk.puppet.heard] == ["hello", "again"]


def test_a_short_lived_token_is_renewed_before_it_runs_out(sdk: SDKServer) -> None:
    sdk.door.required, sdk.door.expires_in = True, 0
    options = {"client_id": "me", "token_url": f"{sdk.base}/token"}
    talk(AgentSpec(kind="a2a", address=sdk.base, options=options, secrets=SECRETS, timeout_s=5), "hello")
    assert sdk.door.grants


def test_the_token_endpoint_may_be_learned_from_the_card(sdk: SDKServer) -> None:
    spec = AgentSpec(kind="a2a", address=sdk.base, options={"client_id": "me"}, secrets=SECRETS, timeout_s=5)
    talk(spec, "hello")
    assert sdk.door.grants[0]["scope"] == "a2a"
    assert sdk.door.headers[-1]["authorization"] == "Bearer tok-1"


def test_a_card_cannot_send_our_secret_elsewhere() -> None:
    flow = {"clientCredentials": {"tokenUrl": "http://elsewhere.example/token", "scopes": {}}}
    card = {"url": "/rpc", "securitySchemes": {"o": {"type": "oauth2", "flows": flow}}}
    with LoopbackServer(lambda _: Answer(body=json.dumps(card).encode())) as server:
        spec = AgentSpec(
            kind="a2a", address=server.url, options={"client_id": "me"}, secrets={"client_secret": "s"}, timeout_s=5
        )
        with pytest.raises(RemoteRefusal, match="token_url"):
            talk(spec, "hello")
    with LoopbackServer(lambda _: Answer(body=b'{"url": "http://elsewhere.example/rpc"}')) as server:
        spec = AgentSpec(kind="a2a", address=server.url, secrets={"bearer_token": "t"}, timeout_s=5)
        with pytest.raises(RemoteRefusal, match="allow_other_host"):
            talk(spec, "hello")


def test_a_bearer_token_and_headers_are_sent_and_never_quoted(sdk: SDKServer) -> None:
    sdk.door.required, sdk.door.token = True, 0
    spec = AgentSpec(
        kind="a2a",
        address=sdk.base,
        options={"headers": {"X-Key": "{{ secret.key }}"}},
        secrets={"bearer_token": "tok-0", "key": "k3y"},
        timeout_s=5,
    )
    talk(spec, "hello")
    assert sdk.door.headers[0]["x-key"] == "k3y"
    with pytest.raises(RemoteRefusal) as raised:
        talk(AgentSpec(kind="a2a", address=sdk.base, secrets={"bearer_token": "wr0ng-token"}, timeout_s=5), "hello")
    assert raised.value.status == 401
    assert "wr0ng" not in str(raised.value) + raised.value.raw


def test_a_wrong_dialect_is_refused_at_once() -> None:
    with pytest.raises(BadInput, match=r"0\.3, 1\.0"):
        talk(AgentSpec(kind="a2a", address="http://x", options={"dialect": "2"}), "hi")


# --- The published schemas --------------------------------------------------------------------------------------------
def schema(version: str) -> dict[str, Any]:
    path = SCHEMAS / version / "a2a.schema.json"
    text = path.read_text()
    names = {name.replace(" ", ""): name for name in json.loads(text)["definitions"]}
    # The 1.0 file names its parts by the files they were made of; here they stand in one document.
    one = re.sub(
        r"(?:lf\.a2a\.v1|google\.protobuf)\.(\w+)\.jsonschema\.json", lambda m: f"#/definitions/{names[m[1]]}", text
    )
    loaded: dict[str, Any] = json.loads(one)
    return loaded


def check(document: Any, version: str, definition: str) -> None:
    whole = schema(version)
    jsonschema.Draft202012Validator({**whole, "$ref": f"#/definitions/{definition}"}).validate(document)


TURN = WireTurn(
    text="Habari",
    message_id="m1",
    context_id="c1",
    task_id="t1",
    files=({"name": "a.txt", "media_type": "text/plain", "base64": "YWJj"},),
)


@STREAMING
@pytest.mark.shared
def test_calls_fit_the_schema_of_0_3(stream: bool) -> None:
    call = send_call(Dialect.V03, TURN, stream=stream, configuration={"historyLength": 3})
    check(call, "v0.3.0", "SendStreamingMessageRequest" if stream else "SendMessageRequest")
    check(get_task_call(Dialect.V03, "t1", call_id="x"), "v0.3.0", "GetTaskRequest")


@pytest.mark.shared
def test_calls_fit_the_schema_of_1_0() -> None:
    check(send_call(Dialect.V1, TURN, stream=False, configuration={})["params"], "v1.0.0", "Send Message Request")
    check(get_task_call(Dialect.V1, "t1", call_id="x")["params"], "v1.0.0", "Get Task Request")


@DIALECTS
@pytest.mark.shared
def test_what_the_server_gave_us_fits_too(sdk: SDKServer, dialect: str) -> None:
    reply = talk(spec_for(sdk, dialect=dialect), "task one")[0]
    check(dict(reply.raw), "v0.3.0" if dialect == "0.3" else "v1.0.0", "Task")


@pytest.mark.shared
def test_the_card_we_read_fits_the_schema_of_0_3(sdk: SDKServer) -> None:
    check(httpx.get(f"{sdk.base}/.well-known/agent-card.json").json(), "v0.3.0", "AgentCard")


@DIALECTS
@STREAMING
def test_chunks_of_an_answer_are_one_text_streamed_or_not(sdk: SDKServer, dialect: str, stream: bool) -> None:
    (reply,) = talk(spec_for(sdk, dialect=dialect, stream=stream), "task chunks")
    assert reply.text == "".join(CHUNKS)


@DIALECTS
@STREAMING
@pytest.mark.parametrize("text", ["boom", "task broken"])
def test_an_agent_that_raises_has_failed_by_itself(sdk: SDKServer, dialect: str, stream: bool, text: str) -> None:
    with pytest.raises((AgentFailed, AgentRefused)):
        talk(spec_for(sdk, dialect=dialect, stream=stream), text)


def test_a_failed_tasks_words_are_what_the_customer_was_told(sdk: SDKServer) -> None:
    with pytest.raises(AgentRefused) as raised:
        talk(spec_for(sdk), "fail")
    assert raised.value.said == "fail: sorry"

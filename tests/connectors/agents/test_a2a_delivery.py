"""A turn is sent once: what is repeated, and what must not be, against servers that misbehave on the wire."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from apps.connectors.agents.base import AgentSpec
from apps.connectors.errors import (
    AgentFailed,
    BadReply,
    ConnectorError,
    RateLimited,
    RemoteFailure,
    RemoteRefusal,
    Unreachable,
)
from tests.connectors.agents.conftest import talk
from tests.loopback.http_server import Answer, LoopbackServer, Request


class Endpoint:
    """Answers JSON-RPC as scripted, then normally; keeps what it was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.calls: list[dict[str, Any]] = []

    def __call__(self, request: Request) -> Answer:
        call = json.loads(request.body)
        self.calls.append(call)
        return self.answers.pop(0) if self.answers else result(call, {"parts": [{"text": "hello"}]})


def result(call: dict[str, Any], payload: dict[str, Any]) -> Answer:
    return Answer(body=json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": payload}).encode())


def rpc_error(code: int, message: str = "no") -> Answer:
    return Answer(body=json.dumps({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": message}}).encode())


def spec_for(url: str, **options: Any) -> AgentSpec:
    defaults = {"endpoint": url, "poll_s": 0.01}
    return AgentSpec(kind="a2a", address=url, options={**defaults, **options}, timeout_s=options.pop("timeout_s", 5.0))


def asked(*answers: Answer, texts: tuple[str, ...] = ("hi",), **options: Any) -> tuple[Endpoint, Any]:
    """What the endpoint heard, and the replies or the error."""
    endpoint = Endpoint(*answers)
    with LoopbackServer(endpoint) as server:
        try:
            return endpoint, talk(spec_for(server.url, **options), *texts)
        except ConnectorError as error:
            return endpoint, error


@pytest.mark.parametrize("fault", ["reset", "cut"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_server_that_dies_after_receiving_is_not_sent_the_turn_again(fault: str, stream: bool) -> None:
    body = b'{"jsonrpc": "2.0", "id": "m0", "result": {"parts": [{"text": "hello"}]}}'
    endpoint, error = asked(Answer(fault=fault, body=body), stream=stream)
    assert isinstance(error, Unreachable)
    assert error.sent
    assert len(endpoint.calls) == 1


@contextmanager
def late_server(after_s: float) -> Iterator[tuple[str, Endpoint]]:
    """An address where nobody listens at first."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    endpoint = Endpoint()
    stop = threading.Event()

    def serve() -> None:
        time.sleep(after_s)
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", port))
            listener.listen()
            listener.settimeout(3)
            connection, _ = listener.accept()
            head, _, body = connection.recv(65536).partition(b"\r\n\r\n")
            connection.sendall(endpoint(Request("POST", "/", head, body or connection.recv(65536))).encode())
            connection.close()
            stop.wait(3)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{port}/", endpoint
    stop.set()
    thread.join(5)


def test_a_connection_that_failed_is_tried_again_under_the_same_message_id() -> None:
    with late_server(0.3) as (url, endpoint):
        assert talk(spec_for(url), "hi")[0].text == "hello"
    assert [call["params"]["message"]["messageId"] for call in endpoint.calls] == ["m0"]


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_says_when_to_come_back_limits_us(status: int) -> None:
    endpoint, error = asked(Answer(status=status, headers={"retry-after": "7"}))
    assert isinstance(error, RateLimited)
    assert error.retry_after == 7
    assert str(error.extra["who"]).startswith("the agent at")
    assert len(endpoint.calls) == 1


@pytest.mark.parametrize(
    "answer, kind",
    [
        (Answer(status=500, body=b"oops"), AgentFailed),
        (Answer(status=503), RemoteFailure),
        (Answer(status=404), RemoteRefusal),
        (Answer(status=401), RemoteRefusal),
        (Answer(status=403, body=b'{"error": {"code": 7}}'), RemoteRefusal),
        (Answer(body=b"<html>"), BadReply),
        (Answer(body=b"[]"), BadReply),
        (Answer(body=b'{"jsonrpc": "2.0", "id": "m0"}'), BadReply),
        (Answer(body=b'{"jsonrpc": "2.0", "id": "m0", "result": {"odd": 1}}'), BadReply),
        (rpc_error(-32603, "kaput"), AgentFailed),
        (rpc_error(-32602), RemoteRefusal),
        (rpc_error(-32004), RemoteRefusal),
        (Answer(status=500, body=rpc_error(-32602).body), RemoteRefusal),
    ],
)
def test_errors_have_their_names_and_are_not_repeated(answer: Answer, kind: type[ConnectorError]) -> None:
    endpoint, error = asked(answer)
    assert type(error) is kind
    assert len(endpoint.calls) == 1


@pytest.mark.parametrize("code", [-32601, -32009])
def test_the_other_dialect_is_tried_when_the_first_is_not_spoken(code: int) -> None:
    endpoint, replies = asked(rpc_error(code), texts=("hi", "again"))
    assert [call["method"] for call in endpoint.calls] == ["SendMessage", "message/send", "message/send"]
    assert endpoint.calls[0]["params"]["message"]["messageId"] == endpoint.calls[1]["params"]["message"]["messageId"]
    assert replies[1].text == "hello"


def test_a_pinned_dialect_is_not_left() -> None:
    endpoint, error = asked(rpc_error(-32601), dialect="1.0")
    assert isinstance(error, RemoteRefusal)
    assert len(endpoint.calls) == 1


def task(state: str, **more: Any) -> dict[str, Any]:
    return {"id": "t1", "contextId": "c1", "status": {"state": state}, **more}


def test_a_task_under_way_is_asked_about_until_it_is_done() -> None:
    done = task("TASK_STATE_COMPLETED", artifacts=[{"artifactId": "a", "parts": [{"text": "at last"}]}])
    endpoint, replies = asked(
        *(result({"id": "m0"}, {"task": task("TASK_STATE_WORKING")}) for _ in range(3)), result({"id": "x"}, done)
    )
    assert replies[0].text == "at last"
    assert replies[0].task_state == "completed"
    assert [call["method"] for call in endpoint.calls] == ["SendMessage", "GetTask", "GetTask", "GetTask"]
    assert endpoint.calls[1]["params"] == {"id": "t1"}


def test_a_task_that_never_ends_times_out_and_the_turn_is_not_sent_again() -> None:
    working = result({"id": "m0"}, {"task": task("TASK_STATE_WORKING")})
    endpoint = Endpoint(*[working] * 500)
    with LoopbackServer(endpoint) as server:
        spec = AgentSpec(
            kind="a2a", address=server.url, options={"endpoint": server.url, "poll_s": 0.02}, timeout_s=0.3
        )
        with pytest.raises(Unreachable) as raised:
            talk(spec, "hi")
    assert raised.value.timed_out
    assert [call["method"] for call in endpoint.calls].count("SendMessage") == 1


@pytest.mark.parametrize("code", [-32001, -32603])
def test_a_task_that_cannot_be_asked_about_is_an_error(code: int) -> None:
    endpoint, error = asked(result({"id": "m0"}, {"task": task("TASK_STATE_WORKING")}), rpc_error(code))
    assert isinstance(error, RemoteFailure | RemoteRefusal)
    assert [call["method"] for call in endpoint.calls] == ["SendMessage", "GetTask"]


def test_a_stream_that_breaks_off_is_taken_up_by_asking_for_the_task(make_stream: Callable[..., Answer]) -> None:
    begun = make_stream({"task": task("TASK_STATE_WORKING")})
    done = task("TASK_STATE_COMPLETED", artifacts=[{"artifactId": "a", "parts": [{"text": "all of it"}]}])
    endpoint, replies = asked(begun, result({"id": "x"}, done), stream=True)
    assert replies[0].text == "all of it"
    assert [call["method"] for call in endpoint.calls] == ["SendStreamingMessage", "GetTask"]


def test_a_streamed_answer_is_put_together(make_stream: Callable[..., Answer]) -> None:
    def chunk(text: str, append: bool) -> dict[str, Any]:
        artifact = {"artifactId": "a", "parts": [{"text": text}]}
        return {"artifactUpdate": {"taskId": "t1", "contextId": "c1", "artifact": artifact, "append": append}}

    final = {"statusUpdate": {"taskId": "t1", "contextId": "c1", "status": {"state": "TASK_STATE_COMPLETED"}}}
    answer = make_stream({"task": task("TASK_STATE_WORKING")}, chunk("Kari", False), chunk("bu!", True), final)
    _, replies = asked(answer, stream=True)
    assert (replies[0].text, replies[0].session.context_id, replies[0].task_state) == ("Karibu!", "c1", "completed")


def test_a_stream_without_an_answer_is_not_asked_for_again(make_stream: Callable[..., Answer]) -> None:
    endpoint, error = asked(make_stream(), stream=True)
    assert isinstance(error, Unreachable)
    assert len(endpoint.calls) == 1


def test_an_error_in_a_stream_is_the_agents(make_stream: Callable[..., Answer]) -> None:
    body = b'event: error\ndata: {"jsonrpc":"2.0","id":"m0","error":{"code":-32603,"message":"kaput"}}\n\n'
    _, error = asked(Answer(body=body, content_type="text/event-stream"), stream=True)
    assert isinstance(error, RemoteFailure)


@pytest.fixture
def make_stream() -> Callable[..., Answer]:
    def stream(*payloads: dict[str, Any]) -> Answer:
        lines = [f"data: {json.dumps({'jsonrpc': '2.0', 'id': 'm0', 'result': payload})}\n\n" for payload in payloads]
        return Answer(body=(": hello\n\n" + "".join(lines)).encode(), content_type="text/event-stream")

    return stream

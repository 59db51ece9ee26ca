"""Answers that are no whole reply: errors in a stream or in a 200, cut off, held back; and a question beside an
artifact."""

import json
from typing import Any

import pytest

from apps.connectors.agents.a2a.card import read_card
from apps.connectors.agents.a2a.reply import read_result
from apps.connectors.agents.base import AgentReply, AgentSpec
from apps.connectors.errors import AgentRefused, BadReply, RemoteFailure
from tests.connectors.agents.conftest import talk
from tests.loopback.http_server import Answer, LoopbackServer


def delta(text: str | None = None, **choice: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text}, **choice}]}


def streamed(*documents: Any) -> AgentReply:
    text = "".join(f"data: {json.dumps(one)}\n\n" for one in documents) + "data: [DONE]\n\n"
    return asked(Answer(body=text.encode(), content_type="text/event-stream"), stream=True)


def asked(answer: Answer, *, stream: bool = False, **options: Any) -> AgentReply:
    settings = {"preset": "chat", "body": {"stream": stream}, **options}
    with LoopbackServer(lambda request: answer) as server:
        (reply,) = talk(AgentSpec(kind="http", address=server.url, options=settings), "hello")
    return reply


@pytest.mark.parametrize(
    "frame",
    [
        {"error": {"message": "Provider disconnected", "code": 502}},
        {"error": "Provider disconnected"},
        {"type": "error", "error": {"type": "overloaded_error", "message": "Provider disconnected"}},
        delta("", finish_reason="error", error={"message": "Provider disconnected"}),
    ],
)
def test_a_stream_that_ends_in_an_error_is_no_reply(frame: dict[str, Any]) -> None:
    with pytest.raises(RemoteFailure, match="error after it had begun its reply: Provider disconnected"):
        streamed(delta("Hello! "), frame)
    with pytest.raises(RemoteFailure, match="Provider disconnected"):
        streamed(frame)


@pytest.mark.parametrize("reason, why", [("length", "cut off"), ("content_filter", "held its reply back")])
def test_a_reply_that_is_cut_off_or_held_back_is_told_with_what_was_said(reason: str, why: str) -> None:
    with pytest.raises(AgentRefused, match=why) as refused:
        streamed(delta("Hello, I"), delta(finish_reason=reason))
    assert refused.value.said == "Hello, I"
    body = {"choices": [{"message": {"content": "Hello, I"}, "finish_reason": reason}]}
    with pytest.raises(AgentRefused, match=why):
        asked(Answer(body=json.dumps(body).encode()))


def test_a_stream_that_ends_well_is_whole() -> None:
    assert streamed(delta("Hel"), delta("lo"), delta(finish_reason="stop"), {"choices": []}).text == "Hello"
    assert streamed(delta("Hello"), {"error": None, "choices": []}).text == "Hello"


def test_an_error_in_a_200_is_told_in_its_words() -> None:
    with pytest.raises(RemoteFailure, match="out of memory, 500"):
        asked(Answer(body=b'{"error": {"message": "out of memory", "code": 500}}'))
    with pytest.raises(BadReply):
        asked(Answer(body=b'{"other": 1}'))


def test_an_agents_own_field_called_error_is_its_own() -> None:
    body = json.dumps({"reply": "Sorry, what was that?", "error": "asr_low_confidence"}).encode()
    assert asked(Answer(body=body), preset=None, reply="$.reply").text == "Sorry, what was that?"


def task(state: str, said: str = "", *artifacts: str) -> dict[str, Any]:
    message = {"message": {"role": "agent", "parts": [{"kind": "text", "text": said}]}} if said else {}
    held = [{"artifactId": str(n), "parts": [{"kind": "text", "text": one}]} for n, one in enumerate(artifacts)]
    return {"kind": "task", "id": "t", "status": {"state": state, **message}, "artifacts": held}


@pytest.mark.parametrize(
    "result, text",
    [
        (task("input-required", "Which day?", "Our prices."), "Our prices.\nWhich day?"),
        (task("TASK_STATE_INPUT_REQUIRED", "Which day?", "Our prices.", "Our hours."),
         "Our prices.\nOur hours.\nWhich day?"),
        (task("input-required", "Our prices.", "Our prices."), "Our prices."),
        (task("input-required", "Which day?"), "Which day?"),
        (task("failed", "The till is closed.", "Half a bill"), "Half a bill\nThe till is closed."),
        (task("completed", "Done", "Our prices."), "Our prices."),
    ],
)  # fmt: skip
def test_the_question_beside_an_artifact_is_part_of_the_turn(result: dict[str, Any], text: str) -> None:
    assert read_result(result, who="it").text == text


@pytest.mark.parametrize("told", ["http://0.0.0.0:9999/", "http://[::]:9999/a2a"])
def test_a_card_that_names_where_its_server_listens_says_what_to_set(told: str) -> None:
    with pytest.raises(BadReply, match=r"set options\.endpoint"):
        read_card({"url": told, "protocolVersion": "0.3"}, url="https://a.example/card.json", who="it")
    assert read_card({"url": "/a2a"}, url="https://a.example/card.json", who="it").url == "https://a.example/a2a"

"""The plain HTTP agent: templates out, JSONPaths in, and what it keeps to itself."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.catalog.domain.states import AgentKind
from apps.connectors.addresses import OutboundPolicy
from apps.connectors.agents.base import AgentReply, AgentSession, AgentSpec
from apps.connectors.agents.registry import agent_for, check_settings, kinds
from apps.connectors.agents.templates import Template
from apps.connectors.errors import (
    AgentFailed,
    BadReply,
    ConnectorError,
    RateLimited,
    RemoteFailure,
    RemoteRefusal,
    Unreachable,
)
from apps.core.errors import BadInput
from tests.connectors.agents.conftest import talk
from tests.loopback.http_server import Answer, LoopbackServer, Request


def asked(
    *answers: Answer, texts: tuple[str, ...] = ("hi",), path: str = "/", secrets: Any = None, **options: Any
) -> tuple[list[Request], Any]:
    """The requests that arrived, and the replies or the error."""
    requests: list[Request] = []
    queue = list(answers)

    def serve(request: Request) -> Answer:
        requests.append(request)
        return queue.pop(0) if queue else Answer(body=b'{"reply": "hello"}')

    with LoopbackServer(serve) as server:
        spec = AgentSpec(kind="http", address=server.url + path, options=options, secrets=secrets or {}, timeout_s=5)
        try:
            return requests, talk(spec, *texts)
        except ConnectorError as error:
            return requests, error


def bodies(requests: list[Request]) -> list[Any]:
    return [json.loads(request.body) for request in requests]


def test_without_options_a_message_and_our_session_id_are_sent_every_turn() -> None:
    requests, replies = asked(texts=("hi", "again"))
    assert bodies(requests) == [{"message": "hi", "session_id": "ours"}, {"message": "again", "session_id": "ours"}]
    assert replies[1].text == "hello"


def test_the_agents_own_session_id_is_kept_once_it_gave_one() -> None:
    answer = Answer(body=b'{"reply": "x", "sid": 77}')
    requests, replies = asked(answer, answer, texts=("hi", "again"), session="$.sid")
    assert [body["session_id"] for body in bodies(requests)] == [None, "77"]
    assert replies[1].session.context_id == "77"


def test_a_stateless_chat_endpoint_gets_the_history() -> None:
    body = {"messages": "{{ history }}", "input": "{{ text }}", "turn": "{{ turn }}", "id": "m-{{ message_id }}"}
    requests, _ = asked(texts=("hi", "again"), body=body)
    first, second = bodies(requests)
    assert first == {"messages": [], "input": "hi", "turn": 1, "id": "m-m0"}
    assert second["messages"] == [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    assert second["turn"] == 2


def test_messages_are_the_history_with_the_present_turn_as_a_list_or_spliced() -> None:
    body = {
        "whole": "{{ messages }}",
        "spliced": [{"role": "system", "content": "Be kind."}, "{{ messages }}", {"role": "system", "content": "Now."}],
    }
    requests, _ = asked(texts=("hi", "again"), body=body)
    first, second = bodies(requests)
    hi, hello, again = (
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "hello"},
        {"role": "user", "content": "again"},
    )
    assert first["whole"] == [hi]
    assert second["whole"] == [hi, hello, again]
    system = [{"role": "system", "content": text} for text in ("Be kind.", "Now.")]
    assert second["spliced"] == [system[0], hi, hello, again, system[1]]


@pytest.mark.parametrize(
    "headers, session",
    [
        ({"set-cookie": "sid=abc; Path=/; HttpOnly"}, {"cookie": "sid"}),
        ({"x-chat": "abc"}, {"header": "X-Chat"}),
    ],
)
def test_a_session_goes_back_in_the_header_or_cookie_it_came_in(headers: dict[str, str], session: Any) -> None:
    first, later = Answer(body=b'{"reply": "x"}', headers=headers), Answer(body=b'{"reply": "x"}')
    texts = ("hi", "more", "again")
    requests, replies = asked(first, later, later, texts=texts, session=session, body={"q": "{{ text }}"})
    name, value = ("cookie", "sid=abc") if "cookie" in session else ("x-chat", "abc")
    assert [request.headers.get(name) for request in requests] == [None, value, value]
    assert replies[2].session.context_id == "abc"


def test_a_session_can_be_put_into_any_header_and_cookie() -> None:
    answer = Answer(body=b'{"reply": "x", "sid": "s1"}')
    requests, _ = asked(
        answer,
        answer,
        texts=("hi", "again"),
        session="$.sid",
        body={"q": "{{ text }}"},
        headers={"Authorization": "Session {{ session }}", "X-Fixed": "1", "Cookie": "a=1"},
        cookies={"chat": "{{ session }}", "key": "{{ secret.key }}"},
        secrets={"key": "k3y"},
    )
    first, second = (request.headers for request in requests)
    assert (first.get("authorization"), first["x-fixed"], first["cookie"]) == (None, "1", "a=1; key=k3y")
    assert (second["authorization"], second["cookie"]) == ("Session s1", "a=1; chat=s1; key=k3y")


def test_two_conversations_share_no_cookie() -> None:
    answers = [Answer(body=b'{"reply": "x"}', headers={"set-cookie": f"sid={n}"}) for n in (1, 2)]
    seen: list[str | None] = []

    def serve(request: Request) -> Answer:
        seen.append(request.headers.get("cookie"))
        return answers.pop(0) if answers else Answer(body=b'{"reply": "x"}')

    with LoopbackServer(serve) as server:
        spec = AgentSpec(kind="http", address=server.url, options={"session": {"cookie": "sid"}}, timeout_s=5)
        agent = agent_for(spec)
        one, two = (talk(spec, "hi", agent=agent)[0].session for _ in range(2))
        talk(spec, "again", agent=agent, session=one)
        talk(spec, "again", agent=agent, session=two)
    assert seen == [None, None, "sid=1", "sid=2"]


@pytest.mark.parametrize(
    "options, separates",
    [
        ({}, True),
        ({"body": {"q": "{{ text }}"}}, False),
        ({"body": {"q": "{{ text }}", "id": "{{ message_id }}"}}, False),
        ({"body": "{{ messages | json }}"}, True),
        ({"body": {"q": "{{ text }}"}, "headers": {"x": "{{ session }}"}}, True),
        ({"body": {"q": "{{ text }}"}, "cookies": {"x": "{{ session }}"}}, True),
        ({"body": {"q": "{{ text }}"}, "session": {"cookie": "sid"}}, True),
        ({"body": {"q": "{{ text }}"}, "session": "$.sid"}, False),
        ({"method": "GET"}, False),
    ],
)
def test_whether_an_agent_can_tell_conversations_apart_is_known(options: Any, separates: bool) -> None:
    assert agent_for(AgentSpec(kind="http", address="http://x", options=options)).separates_sessions is separates


@pytest.mark.parametrize(
    "kind, options, pointer, words",
    [
        ("http", {"boddy": {}}, "/options/boddy", "did you mean 'body'"),
        ("http", {"header": {}}, "/options/header", "did you mean 'headers'"),
        ("a2a", {"reply": "$.x"}, "/options/reply", "there are allow_other_host, client_id"),
        ("a2a", {"poll_s": "soon"}, "/options/poll_s", "seconds"),
        ("a2a", {"dialect": "2"}, "/options/dialect", "0.3, 1.0"),
        ("a2a", {"token_auth": "digest"}, "/options/token_auth", "body, basic"),
        ("a2a", {"headers": {"X": "{{ session }}"}}, "/options/headers/X", "there is secret"),
        ("scripted", {"replise": []}, "/options/replise", "did you mean 'replies'"),
        ("scripted", {"replies": [{"txt": "x"}]}, "/options/replies/0/txt", "there are text"),
        ("http", {"body": {"q": "{{ texte }}"}}, "/options/body/q", "{{ texte }} cannot be filled in: there is text"),
        ("http", {"headers": ["x"]}, "/options/headers", "names with texts"),
        ("http", {"session": {"cookies": "sid"}}, "/options/session", "{cookie: NAME}"),
        ("http", {"method": "FETCH"}, "/options/method", "GET, POST"),
        ("http", {"reply": "reply"}, "/options/reply", "not a JSONPath"),
    ],
)
def test_settings_that_cannot_work_are_refused_by_name(kind: str, options: Any, pointer: str, words: str) -> None:
    with pytest.raises(BadInput) as raised:
        check_settings(AgentSpec(kind=kind, address="http://x", options=options), OutboundPolicy())
    assert raised.value.pointer == pointer
    assert words in raised.value.message


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput) as raised:
        check_settings(AgentSpec(kind="a2a", address="agent.example.org"), OutboundPolicy())
    assert raised.value.pointer == "/address"


def test_every_kind_that_is_offered_has_a_connector() -> None:
    assert {kind.value for kind in AgentKind} == set(kinds())


def test_get_with_the_text_in_the_address() -> None:
    requests, replies = asked(method="get", path="/say?q={{ text }}&s={{ session }}", texts=("a b&c=ü",))
    assert requests[0].method == "GET"
    assert requests[0].path == "/say?q=a%20b%26c%3D%C3%BC&s=ours"
    assert replies[0].text == "hello"


def test_a_body_that_is_a_text_is_sent_as_text() -> None:
    requests, _ = asked(body='<say lang="sw">{{ text | json }}</say>', texts=('a "b"',))
    assert requests[0].body.decode() == '<say lang="sw">"a \\"b\\""</say>'
    assert requests[0].headers["content-type"].startswith("text/plain")


def test_an_answer_can_be_all_text() -> None:
    _, replies = asked(Answer(body="Karibu ☕".encode(), content_type="text/plain; charset=utf-8"), reply="")
    assert replies[0].text == "Karibu ☕"


def test_several_matches_are_lines_and_null_is_silence() -> None:
    several = Answer(body=b'{"messages": [{"t": "one"}, {"t": null}, {"t": "two"}]}')
    assert asked(several, reply="$.messages[*].t")[1][0].text == "one\ntwo"
    assert asked(Answer(body=b'{"reply": null}'))[1][0].text == ""


def test_secrets_go_into_headers_and_nowhere_else() -> None:
    requests, _ = asked(headers={"X-Api-Key": "{{ secret.key }}"}, secrets={"key": "k3y", "bearer_token": "b"})
    assert requests[0].headers["x-api-key"] == "k3y"
    assert requests[0].headers["authorization"] == "Bearer b"
    assert b"k3y" not in requests[0].body


@pytest.mark.parametrize(
    "answer, kind",
    [
        (Answer(status=429, headers={"retry-after": "3"}), RateLimited),
        (Answer(status=503, headers={"retry-after": "3"}), RateLimited),
        (Answer(status=503), RemoteFailure),
        (Answer(status=500), AgentFailed),
        (Answer(status=502), RemoteFailure),
        (Answer(status=400), RemoteRefusal),
        (Answer(status=302, headers={"location": "http://169.254.169.254/"}), RemoteRefusal),
        (Answer(body=b"<html>"), BadReply),
        (Answer(body=b'{"other": 1}'), BadReply),
        (Answer(fault="reset"), Unreachable),
        (Answer(fault="cut", body=b'{"reply": "hello there"}'), Unreachable),
    ],
)
def test_errors_have_their_names_and_the_turn_is_not_repeated(answer: Answer, kind: type[ConnectorError]) -> None:
    requests, error = asked(answer)
    assert type(error) is kind
    assert len(requests) == 1


@pytest.mark.parametrize(
    "options, pointer",
    [
        ({"body": {"a": ["{{ nothing }}"]}}, "/options/body/a/0"),
        ({"body": "{{ text | upper }}"}, "/options/body"),
        ({"body": "{{ text"}, "/options/body"),
        ({"body": "{{ 7 * 7 }}"}, "/options/body"),
        ({"body": "{{ text.__class__.__mro__ }}"}, "/options/body"),
        ({"headers": {"X": "{{ text }}"}}, "/options/headers/X"),
        ({"reply": "$[?("}, "/options/reply"),
    ],
)
def test_options_that_cannot_work_are_refused_when_the_agent_is_set_up(options: Any, pointer: str) -> None:
    with pytest.raises(BadInput) as raised:
        agent_for(AgentSpec(kind="http", address="http://x", options=options))
    assert raised.value.pointer == pointer


def test_what_the_customer_says_is_never_a_template() -> None:
    requests, _ = asked(texts=("{{ secret.key }} {{ history }}",), secrets={"key": "k3y"})
    assert bodies(requests)[0]["message"] == "{{ secret.key }} {{ history }}"


@given(st.text(), st.text())
def test_any_text_comes_through_a_template_as_it_is(text: str, around: str) -> None:
    around = around.replace("{", "").replace("}", "")
    template = Template({"alone": "{{ text }}", "inside": around + "{{ text }}"}, "", names=("text",))
    assert template.render({"text": text}) == {"alone": text, "inside": around + text}


def test_a_reply_has_no_tool_turns_without_tools() -> None:
    assert AgentReply(text="x", session=AgentSession(), latency_ms=1).tool_turns(at=None) == ()


# --- Chat endpoints and streams ---------------------------------------------------------------------------------------
def test_a_chat_endpoint_is_one_line_and_gets_the_whole_conversation() -> None:
    requests: list[dict[str, Any]] = []

    def handle(request: Request) -> Answer:
        requests.append(json.loads(request.body))
        call = {"id": "c1", "type": "function", "function": {"name": "free_slots", "arguments": '{"day": "friday"}'}}
        message = {"role": "assistant", "content": f"answer {len(requests)}", "tool_calls": [call]}
        return Answer(body=json.dumps({"choices": [{"message": message}]}).encode())

    with LoopbackServer(handle) as server:
        spec = AgentSpec(kind="http", address=server.url, options={"preset": "chat", "body": {"model": "my-bot"}})
        check_settings(spec, OutboundPolicy(private_hosts=("loopback",)))
        first, second = talk(spec, "hello", "more")
    assert (first.text, second.text, first.tool_calls[0].arguments) == ("answer 1", "answer 2", {"day": "friday"})
    assert requests[1] == {
        "model": "my-bot",
        "messages": [
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": "answer 1"},
            {"role": "user", "content": "more"},
        ],
    }


def chat_reply(message: dict[str, Any], **options: Any) -> AgentReply:
    """What an agent of the chat preset says with this message."""
    body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
    with LoopbackServer(lambda request: Answer(body=body)) as server:
        (reply,) = talk(AgentSpec(kind="http", address=server.url, options={"preset": "chat", **options}), "hello")
    return reply


@pytest.mark.parametrize(
    "message, words",
    [
        ({"content": [{"type": "text", "text": "Ten is "}, {"type": "text", "text": "free."}]}, "Ten is free."),
        ({"content": [{"type": "output_text", "text": "Free.", "annotations": []}]}, "Free."),
        ({"content": [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": "x"}}]},
         "Look:\n[image_url]"),
        ({"content": ["Ten", "or noon"]}, "Ten\nor noon"),
        ({"content": None, "refusal": "Not that."}, "Not that."),
        ({"content": [{"type": "refusal", "refusal": "Not this."}]}, "Not this."),
        ({"content": None}, ""),
    ],
)  # fmt: skip
def test_a_chat_reply_is_its_words_in_whatever_parts_it_comes(message: dict[str, Any], words: str) -> None:
    assert chat_reply(message).text == words.replace("[image_url]", "[image]")


def test_a_path_may_lead_to_the_whole_message_or_to_anthropics_content() -> None:
    message = {"role": "assistant", "content": [{"type": "text", "text": "Ten."}], "refusal": None}
    assert chat_reply(message, reply="$.choices[0].message").text == "Ten."
    body = json.dumps({"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Noon."}]}).encode()
    with LoopbackServer(lambda request: Answer(body=body)) as server:
        (reply,) = talk(AgentSpec(kind="http", address=server.url, options={"reply": "$.content"}), "hello")
    assert reply.text == "Noon."


def events(*documents: Any) -> Answer:
    text = ": hello\n\n" + "".join(f"data: {json.dumps(one)}\n\n" for one in documents) + "data: [DONE]\n\n"
    return Answer(body=text.encode(), content_type="text/event-stream; charset=utf-8")


def test_a_reply_in_events_is_put_together() -> None:
    words = (
        {"choices": [{"delta": {"role": "assistant"}}]},
        *({"choices": [{"delta": {"content": one}}]} for one in ("Ha", "bari", [{"type": "text", "text": "!"}])),
    )
    with LoopbackServer(lambda request: events(*words)) as server:
        spec = AgentSpec(kind="http", address=server.url, options={"preset": "chat", "body": {"stream": True}})
        (reply,) = talk(spec, "hello")
    assert reply.text == "Habari!"


def test_any_stream_is_read_by_its_path() -> None:
    with LoopbackServer(lambda request: events({"t": "one "}, {"t": "two"}, {"session_id": "s1"})) as server:
        spec = AgentSpec(kind="http", address=server.url, options={"reply": "$.t", "session": "$.session_id"})
        (reply,) = talk(spec, "hello")
    assert (reply.text, reply.session.context_id) == ("one two", "s1")


def test_a_stream_without_a_word_is_a_bad_reply() -> None:
    with LoopbackServer(lambda request: events({"other": 1})) as server, pytest.raises(BadReply):
        talk(AgentSpec(kind="http", address=server.url, options={"reply": "$.t"}), "hello")


@pytest.mark.parametrize(
    "options, pointer",
    [({"preset": "telepathy"}, "/options/preset"), ({"preset": "chat", "body": "x"}, "/options/body")],
)
def test_a_preset_that_cannot_work_is_refused(options: dict[str, Any], pointer: str) -> None:
    with pytest.raises(BadInput) as raised:
        check_settings(AgentSpec(kind="http", address="http://x", options=options), OutboundPolicy())
    assert raised.value.pointer == pointer

"""An agent that is a prompt: spoken by a model in each provider's true wire format, its tools answered or called."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from apps.connectors.addresses import OutboundPolicy
from apps.connectors.agents.base import AgentReply, AgentSession, AgentSpec
from apps.connectors.agents.prompted import PromptedAgent
from apps.connectors.agents.registry import check_settings
from apps.connectors.errors import AgentFailed, RateLimited, RemoteFailure, RemoteRefusal, Unreachable
from apps.connectors.llms.base import LLMRequest, LLMResponse, ModelSpec
from apps.connectors.llms.registry import llm_for
from apps.connectors.outbound import outbound_client
from apps.connectors.places import leave_place, take_place
from apps.connectors.retry import call_with_fallback
from apps.core.attached_files import AttachedFile
from apps.core.conversation import TurnRole
from apps.core.errors import BadInput
from tests.connectors.agents.conftest import POLICY, talk
from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.loopback.providers import ModelProvider

SLOTS = {
    "name": "free_slots",
    "description": "Free times of a day.",
    "parameters": {"type": "object", "properties": {"day": {"type": "string"}}},
    "answers": [{"when": {"day": "friday"}, "result": {"slots": ["10:00"]}}, {"result": "none"}],
}
GOODBYE = {"name": "goodbye", "ends": True, "answers": [{"result": "ok"}]}
WIRES = ("anthropic", "openai", "google")


@pytest.fixture
def provider() -> Iterator[ModelProvider]:
    with ModelProvider(text="Which day?") as provider:
        yield provider


def spec(*tools: Any, timeout_s: float = 5.0, **options: Any) -> AgentSpec:
    known = {"prompt_text": "You book haircuts.", "provider": "openai", "model": "m-1", "tools": list(tools)}
    return AgentSpec(kind="prompted", address="", options={**known, **options}, timeout_s=timeout_s)


def agent(provider: ModelProvider, *tools: Any, wire: str = "openai", **options: Any) -> PromptedAgent:
    """The agent, its model behind the loopback server."""
    llm = llm_for(ModelSpec(provider=wire, model="m-1", base_url=provider.base_url(wire), api_key="k"))

    async def ask(request: LLMRequest) -> LLMResponse:
        async with outbound_client(POLICY) as client:
            return await llm.complete(request, client=client)

    return PromptedAgent(spec(*tools, **options)).with_model(ask)


def say(agent: PromptedAgent, *texts: str, **more: Any) -> list[AgentReply]:
    return talk(agent.spec, *texts, agent=agent, **more)


def calls(wire: str, *called: tuple[str, dict[str, Any]], text: str = "") -> Answer:
    return formats.tool_answer(wire, *called, model="m-1", text=text)


@pytest.mark.parametrize("wire", WIRES)
def test_the_prompt_and_the_whole_conversation_are_in_every_request(provider: ModelProvider, wire: str) -> None:
    first, second = say(agent(provider, wire=wire), "A haircut please.", "Friday.")
    assert (first.text, second.text, first.ended) == ("Which day?", "Which day?", False)
    body = json.dumps(provider.last_body)
    assert "You book haircuts." in body
    assert body.index("A haircut please.") < body.index("Which day?") < body.index("Friday.")
    assert "tools" not in provider.last_body
    assert first.session.context_id == second.session.context_id


@pytest.mark.parametrize("wire", WIRES)
def test_tools_are_answered_from_the_table_and_shown_with_the_reply(provider: ModelProvider, wire: str) -> None:
    provider.script(calls(wire, ("free_slots", {"day": "Friday"}), ("free_slots", {"day": "Sunday"})))
    (reply,) = say(agent(provider, SLOTS, wire=wire), "Friday?")
    assert [(call.name, dict(call.arguments)) for call in reply.tool_calls] == [
        ("free_slots", {"day": "Friday"}),
        ("free_slots", {"day": "Sunday"}),
    ]
    assert list(reply.tool_results.values()) == ['{"slots": ["10:00"]}', "none"]
    assert [turn.role for turn in reply.tool_turns(at=None)] == [TurnRole.ASSISTANT, TurnRole.TOOL, TurnRole.TOOL]
    assert len(provider.requests) == 2


def test_openai_is_told_calls_and_results_in_its_own_format(provider: ModelProvider) -> None:
    provider.script(calls("openai", ("free_slots", {"day": "friday"})))
    say(agent(provider, SLOTS), "Friday?")
    body = provider.last_body
    assert body["tools"] == [
        {"type": "function", "function": {key: SLOTS[key] for key in ("name", "description", "parameters")}}
    ]
    assert body["messages"][2:] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call_0",
                    "type": "function",
                    "function": {"name": "free_slots", "arguments": '{"day": "friday"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_0", "content": '{"slots": ["10:00"]}'},
    ]


def test_anthropic_is_told_calls_and_results_in_its_own_format(provider: ModelProvider) -> None:
    provider.script(calls("anthropic", ("free_slots", {"day": "friday"}), ("free_slots", {}), text="One moment."))
    say(agent(provider, SLOTS, wire="anthropic"), "Friday?")
    body = provider.last_body
    assert body["tools"][0]["input_schema"] == SLOTS["parameters"]
    assert [block["type"] for block in body["messages"][1]["content"]] == ["text", "tool_use", "tool_use"]
    assert body["messages"][2] == {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "toolu_0", "content": '{"slots": ["10:00"]}'},
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "none"},
        ],
    }


def test_google_gets_its_thought_signature_back(provider: ModelProvider) -> None:
    provider.script(calls("google", ("free_slots", {"day": "friday"})))
    say(agent(provider, SLOTS, wire="google"), "Friday?")
    body = provider.last_body
    assert body["tools"] == [
        {
            "functionDeclarations": [
                {
                    "name": "free_slots",
                    "description": "Free times of a day.",
                    "parametersJsonSchema": SLOTS["parameters"],
                }
            ]
        }
    ]
    assert body["contents"][1]["parts"] == [
        {"functionCall": {"name": "free_slots", "args": {"day": "friday"}}, "thoughtSignature": "sig0"}
    ]
    assert body["contents"][2]["parts"] == [
        {"functionResponse": {"name": "free_slots", "response": {"result": '{"slots": ["10:00"]}'}}}
    ]


def test_a_stored_session_is_taken_up_with_its_tool_calls(provider: ModelProvider) -> None:
    provider.script(calls("openai", ("free_slots", {"day": "friday"})))
    (first,) = say(agent(provider, SLOTS), "Friday?")
    stored = json.loads(json.dumps({"context_id": first.session.context_id, "state": first.session.state}))
    say(agent(provider, SLOTS), "At ten.", session=AgentSession(**stored))
    roles = [one["role"] for one in provider.last_body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]


def test_equal_ids_of_two_rounds_are_told_apart(provider: ModelProvider) -> None:
    provider.script(
        calls("openai", ("free_slots", {"day": "friday"})), calls("openai", ("free_slots", {"day": "monday"}))
    )
    (reply,) = say(agent(provider, SLOTS), "Friday or Monday?")
    assert list(reply.tool_results.items()) == [("call_0", '{"slots": ["10:00"]}'), ("call_0.2", "none")]


def test_a_tool_that_ends_closes_the_conversation(provider: ModelProvider) -> None:
    provider.script(calls("openai", ("goodbye", {}), text="Bye!"))
    (reply,) = say(agent(provider, GOODBYE), "Thanks.")
    assert (reply.text, reply.ended, len(provider.requests)) == ("Bye!", True, 1)


def test_a_tool_nobody_knows_is_told_to_the_model(provider: ModelProvider) -> None:
    provider.script(calls("openai", ("refund", {})))
    (reply,) = say(agent(provider, SLOTS), "Refund me.")
    assert reply.tool_results["call_0"] == '{"error": "there is no tool \'refund\'"}'
    assert reply.text == "Which day?"


def test_tools_called_without_end_are_the_agents_failure(provider: ModelProvider) -> None:
    provider.script(*[calls("openai", ("free_slots", {}))] * 3)
    with pytest.raises(AgentFailed, match="3 rounds"):
        say(agent(provider, SLOTS, max_tool_rounds=2), "Friday?")
    assert len(provider.requests) == 3


def test_a_model_that_is_down_or_limits_us_goes_up_as_it_is(provider: ModelProvider) -> None:
    provider.script("500")
    with pytest.raises(RemoteFailure):
        say(agent(provider), "Hi")
    provider.script("rate_limit")
    with pytest.raises(RateLimited):
        say(agent(provider), "Hi")


def test_after_a_tool_was_called_a_rate_limit_is_waited_out(provider: ModelProvider) -> None:
    quick = formats.error("openai", 429, "slow down", headers={"retry-after": "0.05"})
    provider.script(calls("openai", ("free_slots", {"day": "friday"})), quick)
    (reply,) = say(agent(provider, SLOTS), "Friday?")
    assert (reply.text, len(reply.tool_calls), len(provider.requests)) == ("Which day?", 1, 3)


def test_a_model_that_hangs_ends_with_the_agents_own_timeout(provider: ModelProvider) -> None:
    provider.script("hang")
    with pytest.raises(Unreachable) as raised:
        say(agent(provider, timeout_s=0.3), "Hi")
    assert raised.value.timed_out


def test_the_line_in_front_of_its_model_is_not_the_agents_slowness(provider: ModelProvider) -> None:
    full = ModelSpec(provider="openai", model="m-1", base_url=provider.base_url("openai"), max_concurrent=1)
    assert take_place(full)

    async def ask(request: LLMRequest) -> LLMResponse:
        async with outbound_client(POLICY) as client:
            asyncio.get_running_loop().call_later(1.0, leave_place, full)
            found = await call_with_fallback(request, primary=llm_for(full), fallback=None, client=client)
        return found.response

    (reply,) = say(PromptedAgent(spec(timeout_s=0.5)).with_model(ask), "Hi")
    assert (reply.text, len(provider.requests)) == ("Which day?", 1)


def test_an_empty_reply_is_an_answer_and_no_message(provider: ModelProvider) -> None:
    provider.script(formats.answer("anthropic", "", model="m-1"))
    first, _ = say(agent(provider, wire="anthropic"), "Hi", "Hello?")
    assert first.text == ""
    assert all(message["content"] for message in provider.last_body["messages"])


def test_a_file_is_told_by_its_name(provider: ModelProvider) -> None:
    say(agent(provider), "Here.", attachments=(AttachedFile(name="Zelle.pdf", content=b"%PDF"),))
    assert provider.last_body["messages"][-1]["content"] == "Here.\n[I have attached a file: Zelle.pdf]"


def test_a_tool_behind_an_address_is_called_with_its_secret(provider: ModelProvider) -> None:
    seen: list[Request] = []

    def handle(request: Request) -> Answer:
        seen.append(request)
        return Answer(body=b'{"slots": ["11:00"]}')

    with LoopbackServer(handle) as server:
        tool = {"name": "free_slots", "url": f"{server.url}/slots", "headers": {"x-key": "{{ secret.shop }}"}}
        speaking = agent(provider, tool)
        speaking.spec = AgentSpec(kind="prompted", address="", options=speaking.spec.options, secrets={"shop": "s3"})
        provider.script(calls("openai", ("free_slots", {"day": "friday"})))
        (reply,) = say(speaking, "Friday?")
    assert reply.tool_results == {"call_0": '{"slots": ["11:00"]}'}
    assert seen[0].headers["x-key"] == "s3"
    assert json.loads(seen[0].body) == {
        "name": "free_slots", "arguments": {"day": "friday"}, "session": reply.session.context_id,
    }  # fmt: skip


@pytest.mark.parametrize("status, raises", [(503, True), (404, False)])
def test_a_tools_server_that_is_down_is_no_words_for_the_model(
    provider: ModelProvider, status: int, raises: bool
) -> None:
    with LoopbackServer(lambda request: Answer(status=status, body=b"no")) as server:
        provider.script(calls("openai", ("free_slots", {})))
        speaking = agent(provider, {"name": "free_slots", "url": server.url})
        if raises:
            with pytest.raises(RemoteFailure, match="tool 'free_slots' answered with 503"):
                say(speaking, "Friday?")
        else:
            assert say(speaking, "Friday?")[0].tool_results == {"call_0": "no"}


def test_without_a_model_it_does_not_speak() -> None:
    with pytest.raises(RemoteRefusal, match="needs its model"):
        talk(spec(), "Hi")


@pytest.mark.parametrize(
    "change, pointer",
    [
        ({"provider": ""}, "/options/provider"),
        ({"model": None}, "/options/model"),
        ({"provider": "offline"}, "/options/provider"),
        ({"prompt_text": ""}, "/options/prompt"),
        ({"max_tool_rounds": -1}, "/options/max_tool_rounds"),
        ({"max_output_tokens": "many"}, "/options/max_output_tokens"),
        ({"tools": {}}, "/options/tools"),
        ({"tools": [{"name": ""}]}, "/options/tools/0/name"),
        ({"tools": [SLOTS, SLOTS]}, "/options/tools/1/name"),
        ({"tools": [{"name": "t"}]}, "/options/tools/0"),
        ({"tools": [{"name": "t", "url": "ftp://x"}]}, "/options/tools/0/url"),
        ({"tools": [{"name": "t", "answers": [{"when": []}]}]}, "/options/tools/0/answers/0"),
        ({"tools": [{"name": "t", "answers": [], "parameters": {"type": "string"}}]}, "/options/tools/0/parameters"),
        ({"tools": [{"name": "t", "answers": [], "colour": 1}]}, "/options/tools/0/colour"),
        ({"modle": "x"}, "/options/modle"),
    ],
)
def test_settings_that_cannot_work_are_refused_where_they_are_saved(change: dict[str, Any], pointer: str) -> None:
    with pytest.raises(BadInput) as raised:
        check_settings(spec(**change), OutboundPolicy())
    assert raised.value.pointer == pointer


def test_what_the_model_thinks_aloud_is_not_said_to_the_customer(provider: ModelProvider) -> None:
    provider.script(
        formats.answer("openai", "<think>They want a day.</think>\nWhich day?", model="m-1"),
        formats.answer("openai", "Friday is free.", model="m-1"),
    )
    first, second = say(agent(provider), "A haircut please.", "Friday?")
    assert (first.text, second.text) == ("Which day?", "Friday is free.")
    assert "They want a day" not in json.dumps(provider.last_body)


def test_a_thought_that_never_ends_is_the_agents_failure(provider: ModelProvider) -> None:
    provider.script(formats.answer("openai", "<think>They want a day, and", model="m-1"))
    with pytest.raises(AgentFailed, match="thought aloud"):
        say(agent(provider), "A haircut please.")

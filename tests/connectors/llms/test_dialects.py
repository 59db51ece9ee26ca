"""What is peculiar to one provider: headers, fields, URLs."""

import asyncio
import base64
import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from urllib.parse import parse_qs

import pytest

from apps.connectors.errors import AddressRefused, RemoteRefusal
from apps.connectors.llms.base import LLM, Finish, ModelSpec
from apps.connectors.llms.registry import llm_for
from apps.connectors.outbound import outbound_client
from tests.connectors.llms.conftest import LOOPBACK, complete, question
from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.loopback.providers import ModelProvider

MakeLLM = Callable[..., LLM]


def test_anthropic_sends_key_version_and_strict_schema(make_llm: MakeLLM, provider: ModelProvider) -> None:
    complete(make_llm("anthropic", effort="low", cache_system=True))
    sent, body = provider.requests[-1], provider.last_body
    assert sent.path == "/v1/messages"
    assert sent.headers["x-api-key"] == "sk-test-0123456789"
    assert sent.headers["anthropic-version"] == "2023-06-01"
    assert body["output_config"]["effort"] == "low"
    assert body["output_config"]["format"]["schema"]["additionalProperties"] is False
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    complete(make_llm("anthropic", api_version="2026-10-21"))
    assert provider.requests[-1].headers["anthropic-version"] == "2026-10-21"


def test_anthropic_input_includes_what_was_cached(make_llm: MakeLLM, provider: ModelProvider) -> None:
    usage = {
        "input_tokens": 10,
        "output_tokens": 5,
        "cache_creation_input_tokens": 50,
        "cache_read_input_tokens": 100,
    }
    answer = formats.answer("anthropic", "hi", model="claude-sonnet-4-5")
    answer.body = json.dumps(json.loads(answer.body) | {"usage": usage}).encode()
    provider.script(answer)
    told = complete(make_llm("anthropic")).usage
    assert (told.input_tokens, told.cached_tokens, told.cache_write_tokens, told.output_tokens) == (160, 100, 50, 5)


def test_openai_sends_bearer_and_strict_format(make_llm: MakeLLM, provider: ModelProvider) -> None:
    complete(make_llm("openai"), question(schema_name="verdict"))
    sent, body = provider.requests[-1], provider.last_body
    assert sent.headers["authorization"] == "Bearer sk-test-0123456789"
    assert body["response_format"]["json_schema"]["name"] == "verdict"
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["messages"][0] == {"role": "system", "content": "You judge."}
    assert "max_completion_tokens" not in body, "compatible servers know the older name"
    complete(make_llm("openai", max_tokens_field="max_completion_tokens"))
    assert provider.last_body["max_completion_tokens"] == 4096


def test_openai_key_can_travel_in_another_header(make_llm: MakeLLM, provider: ModelProvider) -> None:
    complete(make_llm("openai", auth_header="api-key", supports_json_schema=False, extra_body={"num_ctx": 8192}))
    headers = provider.requests[-1].headers
    assert headers["api-key"] == "sk-test-0123456789"
    assert "authorization" not in headers
    assert provider.last_body["response_format"] == {"type": "json_object"}
    assert provider.last_body["num_ctx"] == 8192


def test_a_litellm_proxy_tells_the_cost_itself(make_llm: MakeLLM, provider: ModelProvider) -> None:
    answer = formats.answer("openai", "{}", model="our-own-llama")
    answer.headers = {"x-litellm-response-cost": "0.0123"}
    provider.script(answer)
    assert complete(make_llm("openai")).cost_usd == Decimal("0.0123")


def test_gemini_key_travels_in_a_header_never_in_the_address(make_llm: MakeLLM, provider: ModelProvider) -> None:
    complete(make_llm("google", thinking_budget=0))
    sent, body = provider.requests[-1], provider.last_body
    assert sent.path == "/v1beta/models/gemini-2.5-flash:generateContent"
    assert sent.headers["x-goog-api-key"] == "sk-test-0123456789"
    assert body["generationConfig"]["responseMimeType"] == "application/json"
    assert body["generationConfig"]["responseJsonSchema"]["properties"]["score"]["maximum"] == 10
    assert body["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 0}


@pytest.mark.parametrize("kind", ["google", "vertex"])
def test_a_prompt_blocked_by_google_is_a_result(kind: str, make_llm: MakeLLM, provider: ModelProvider) -> None:
    provider.script("blocked_prompt")
    answer = complete(make_llm(kind))
    assert answer.finish is Finish.BLOCKED
    assert answer.text == ""
    assert answer.usage.input_tokens == 1200


def test_thoughts_are_not_part_of_the_text(make_llm: MakeLLM, provider: ModelProvider) -> None:
    answer = formats.answer("google", "ok", model="gemini-2.5-flash")
    body = json.loads(answer.body)
    body["candidates"][0]["content"]["parts"].insert(0, {"text": "hmm", "thought": True})
    answer.body = json.dumps(body).encode()
    provider.script(answer)
    assert complete(make_llm("google")).text == "ok"


def test_vertex_asks_for_one_token_however_many_calls_wait(make_llm: MakeLLM, provider: ModelProvider) -> None:
    llm = make_llm("vertex", location="europe-west1", project="other")
    llm = llm_for(replace(llm.spec, api_key=str(llm.spec.api_key) + " "))  # a key no token is kept for
    before = provider.tokens_given

    async def many() -> None:
        async with outbound_client(LOOPBACK) as client:
            await asyncio.gather(*(llm.complete(question(), client=client) for _ in range(8)))

    asyncio.run(many())
    assert provider.tokens_given == before + 1
    sent = provider.requests[-1]
    assert (
        sent.path
        == "/v1/projects/other/locations/europe-west1/publishers/google/models/gemini-2.5-flash:generateContent"
    )
    assert sent.headers["authorization"] == f"Bearer ya29.{provider.tokens_given}"


@pytest.mark.parametrize(
    "changes, error",
    [
        ({"token_uri": "http://169.254.169.254/token"}, AddressRefused),
        ({"token_uri": "https://evil.example/token"}, AddressRefused),
        ({"token_uri": "https://oauth2.googleapis.com.evil.example/token"}, AddressRefused),
        ({"type": "external_account", "credential_source": {"executable": {"command": "id"}}}, RemoteRefusal),
        ({"private_key": "not a key"}, RemoteRefusal),
    ],
)
def test_an_uploaded_key_cannot_send_us_elsewhere(
    changes: dict[str, object],
    error: type[Exception],
    make_llm: MakeLLM,
    service_account: dict[str, str],
    provider: ModelProvider,
) -> None:
    llm = make_llm("vertex")
    with pytest.raises(error):
        complete(llm_for(replace(llm.spec, api_key=json.dumps(service_account | changes))))
    assert provider.requests == []


def test_the_token_request_is_googles_jwt_grant(service_account: dict[str, str]) -> None:
    # Recorded by a server of its own, because the shared one answers the token endpoint itself.
    seen: list[Request] = []

    def handle(request: Request) -> Answer:
        seen.append(request)
        if request.path == "/token":
            return Answer(body=b'{"access_token": "t", "expires_in": 3599, "token_type": "Bearer"}')
        return formats.answer("vertex", "hi", model="gemini-2.5-flash")

    with LoopbackServer(handle) as server:
        key = service_account | {"token_uri": f"{server.url}/token"}
        spec = ModelSpec(
            provider="vertex", model="gemini-2.5-flash", base_url=f"{server.url}/v1", api_key=json.dumps(key)
        )
        complete(llm_for(spec))
    form = parse_qs(seen[0].body.decode())
    assert form["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]
    claims = json.loads(base64.urlsafe_b64decode(form["assertion"][0].split(".")[1] + "=="))
    assert claims["iss"] == service_account["client_email"]
    assert claims["scope"] == "https://www.googleapis.com/auth/cloud-platform"

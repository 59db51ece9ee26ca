"""Real adapters against a real loopback server; the key, the base URL and the guard's entry are the test's."""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from apps.connectors.llms.base import LLM, ChatMessage, LLMRequest, LLMResponse, ModelSpec
from apps.connectors.llms.registry import llm_for
from apps.connectors.outbound import OutboundPolicy, outbound_client
from tests.loopback.formats import KINDS
from tests.loopback.providers import ModelProvider

MODELS = {
    "anthropic": "claude-sonnet-4-5",
    "openai": "gpt-4o",
    "google": "gemini-2.5-flash",
    "vertex": "gemini-2.5-flash",
}
LOOPBACK = OutboundPolicy(private_hosts=("loopback",), purpose="model")
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": ["number", "null"], "minimum": 0, "maximum": 10}, "reason": {"type": "string"}},
    "required": ["score"],
}


def question(**changes: Any) -> LLMRequest:
    return LLMRequest(
        **{
            "system": "You judge.",
            "messages": (ChatMessage("user", "How was it? Habari — 😀"),),
            "schema": SCHEMA,
            "timeout_s": 5.0,
            **changes,
        }
    )


@pytest.fixture(scope="module")
def loopback() -> Iterator[ModelProvider]:
    with ModelProvider() as server:
        yield server


@pytest.fixture
def provider(loopback: ModelProvider) -> ModelProvider:
    loopback._script.clear()
    loopback.requests.clear()
    loopback.text = '{"score": 7}'
    return loopback


@pytest.fixture(scope="session")
def private_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


@pytest.fixture
def service_account(private_key: str, provider: ModelProvider) -> dict[str, str]:
    return {
        "type": "service_account",
        "project_id": "salon-nairobi",
        "private_key_id": "k1",
        "private_key": private_key,
        "client_email": "judge@salon-nairobi.iam.gserviceaccount.com",
        "token_uri": f"{provider.url}/token",
    }


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make_llm(provider: ModelProvider, service_account: dict[str, str]) -> Callable[..., LLM]:
    def make(kind: str, *, model: str | None = None, key: str | None = "sk-test-0123456789", **options: Any) -> LLM:
        if kind == "openai":  # the list price counts though the server is not OpenAI's own
            options.setdefault("price_provider", "openai")
        return llm_for(
            ModelSpec(
                provider=kind,
                model=model or MODELS[kind],
                base_url=provider.base_url(kind),
                api_key=json.dumps(service_account) if kind == "vertex" else key,
                options=options,
            )
        )

    return make


def complete(llm: LLM, request: LLMRequest | None = None, policy: OutboundPolicy = LOOPBACK) -> LLMResponse:
    async def once() -> LLMResponse:
        async with outbound_client(policy) as client:
            return await llm.complete(request or question(), client=client)

    return asyncio.run(once())

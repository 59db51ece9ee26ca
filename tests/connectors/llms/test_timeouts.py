"""How long an answer may take is said by the request, not by the client that carries it."""

import asyncio

import pytest

from apps.connectors.errors import Unreachable
from apps.connectors.llms.base import ChatMessage, LLMRequest, LLMResponse, ModelSpec
from apps.connectors.llms.registry import llm_for
from apps.connectors.outbound import OutboundPolicy, outbound_client
from tests.loopback import formats
from tests.loopback.providers import ModelProvider


def asked(timeout_s: float) -> LLMResponse:
    slow = formats.answer("openai", "late", model="m")
    slow.delay_s = 0.4

    async def once(url: str) -> LLMResponse:
        llm = llm_for(ModelSpec(provider="openai", model="m", base_url=url, api_key="k"))
        request = LLMRequest(system="", messages=(ChatMessage("user", "Well?"),), timeout_s=timeout_s)
        async with outbound_client(OutboundPolicy(private_hosts=("loopback",)), timeout=0.1) as client:
            return await llm.complete(request, client=client)

    with ModelProvider() as server:
        server.script(slow)
        return asyncio.run(once(server.base_url("openai")))


def test_a_request_may_wait_longer_than_its_client_does_by_default():
    assert asked(5.0).text == "late"


def test_a_request_waits_no_longer_than_it_says():
    with pytest.raises(Unreachable, match=r"within 0\.2 s"):
        asked(0.2)

"""The offline provider behind the model protocol."""

import asyncio
import json
from decimal import Decimal

import httpx
import pytest

from apps.connectors.errors import RemoteRefusal
from apps.connectors.llms.base import ChatMessage, Finish, LLMRequest, LLMResponse, ModelSpec
from apps.connectors.llms.registry import llm_for
from apps.offline.provider import MODEL
from tests.connectors.offline.conversations import good


def ask(facts: dict[str, object]) -> LLMResponse:
    async def call() -> LLMResponse:
        request = LLMRequest(system="s" * 400, messages=(ChatMessage("user", "u" * 400),), facts=facts)
        async with httpx.AsyncClient() as client:
            return await llm_for(ModelSpec(provider="offline", model="whatever")).complete(request, client=client)

    return asyncio.run(call())


def test_it_names_itself_and_costs_nothing() -> None:
    criteria = [{"name": "short", "offline_rule": "brevity", "offline_parameters": {}}]
    answer = ask({"task": "judge", "criteria": criteria, "turns": good("en"), "nonce": "abc"})
    assert (answer.provider, answer.model, answer.finish) == ("offline", MODEL, Finish.STOP)
    assert answer.model.startswith("offline-rules@")
    assert answer.cost_usd == Decimal(0)
    assert answer.usage.input_tokens == 200
    assert answer.usage.output_tokens == len(answer.text) // 4
    assert json.loads(answer.text)["scores"]["short"]["score"] == 10


def test_it_plays_a_customer() -> None:
    reply = json.loads(ask({"task": "simulate", "persona": "", "goal": "service: massage", "turns": []}).text)
    assert reply == {"message": reply["message"], "done": False}
    assert "massage" in reply["message"]


@pytest.mark.parametrize("facts", [{}, {"task": "translate"}])
def test_a_task_without_rules_is_refused(facts: dict[str, object]) -> None:
    with pytest.raises(RemoteRefusal, match="rules for judge, simulate"):
        ask(facts)

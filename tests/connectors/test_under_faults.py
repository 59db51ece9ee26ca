"""A provider that fails a third of the time: what comes out is right, or an error with a name. Never a wrong score."""

import asyncio
import dataclasses
from collections import Counter
from typing import Any

from apps.connectors.errors import ModelError, RateLimited
from apps.connectors.llms.base import ChatMessage, LLMRequest, ModelSpec
from apps.connectors.llms.registry import llm_for
from apps.connectors.outbound import OutboundPolicy, outbound_client
from apps.connectors.retry import RetryPolicy, call_with_fallback
from apps.evaluations.domain.parsing import ParseError, parse_reply
from apps.evaluations.domain.prompt import reply_schema
from apps.evaluations.domain.transcript import render_transcript
from tests.loopback.http_server import LoopbackServer
from tests.loopback.stub_model import Behaviour, StubModel, key_of_turns, right_score

NAMES = tuple(f"criterion_{number}" for number in range(11))
CONVERSATIONS = [
    [{"role": "user", "content": f"Nataka nafasi, {number}"}, {"role": "assistant", "content": "Karibu! Saa ngapi?"}]
    for number in range(300)
]


async def judge_all(url: str) -> tuple[list[Any], int]:
    """What each conversation ended with: its scores, or the name of its error; and how many calls were metered."""
    llm = llm_for(ModelSpec(provider="openai", model="stub-judge", base_url=f"{url}/v1", api_key="k"))
    metered = 0

    async def judge(turns: list[dict[str, Any]], slots: asyncio.Semaphore, client: Any) -> Any:
        nonlocal metered
        prompt = render_transcript(turns, nonce="n7")
        request = LLMRequest(system="judge", messages=(ChatMessage("user", prompt),), schema=reply_schema(NAMES))
        while True:
            async with slots:
                try:
                    asked = await call_with_fallback(
                        request, primary=llm, fallback=None, client=client, policy=RetryPolicy(backoff_s=0)
                    )
                except RateLimited as error:
                    metered += len(error.attempts)
                    continue  # the slot is given back; a real run waits error.retry_after first
                except ModelError as error:
                    metered += len(error.attempts)
                    return error.code
            metered += len(asked.attempts)
            try:
                found = parse_reply(asked.response.text, NAMES, nonce="n7")
            except ParseError as error:
                return error.code
            return {name: entry and entry["score"] for name, entry in found.items()}

    async with outbound_client(OutboundPolicy(private_hosts=("loopback",))) as client:
        slots = asyncio.Semaphore(32)
        return list(await asyncio.gather(*(judge(turns, slots, client) for turns in CONVERSATIONS))), metered


def test_right_scores_where_there_are_scores_and_named_errors_elsewhere() -> None:
    stub = StubModel(Behaviour(latency_s=0.005, rate_limited=0.1, broken=0.1, prose=0.1, cut=0.05, seed=7))
    with LoopbackServer(stub) as server:
        results, metered = asyncio.run(judge_all(server.url))
    outcomes: Counter[str] = Counter()
    for turns, result in zip(CONVERSATIONS, results, strict=True):
        if isinstance(result, str):
            outcomes[result] += 1
            continue
        key = key_of_turns(turns)
        # a cut reply may be read as far as it goes: what is missing is None, what is there is right
        wrong = [name for name in NAMES if result[name] is not None and result[name] != right_score(key, name)]
        assert not wrong
        outcomes["scored"] += 1
    assert outcomes.total() == len(CONVERSATIONS)
    assert set(outcomes) <= {"scored", "parse_error", "model_error"}
    assert outcomes["scored"] > 200
    assert metered == sum(stub.outcomes.values()), "every call on the wire is metered"
    assert stub.outcomes["429"] > 0
    assert stub.outcomes["500"] > 0


def test_the_first_question_is_not_changed_by_asking_it() -> None:
    request = LLMRequest(system="s", messages=(), schema=reply_schema(NAMES))
    before = dataclasses.replace(request)
    stub = StubModel(Behaviour(latency_s=0.0))
    with LoopbackServer(stub) as server:

        async def once() -> None:
            llm = llm_for(ModelSpec(provider="google", model="g", base_url=f"{server.url}/v1beta"))
            asking = dataclasses.replace(request, messages=(ChatMessage("user", "x"),))
            async with outbound_client(OutboundPolicy(private_hosts=("loopback",))) as client:
                await llm.complete(asking, client=client)

        asyncio.run(once())
    assert request == before

"""What every provider promises, whatever its wire format: the same questions, the same results, the same errors."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest

from apps.connectors.errors import (
    AddressRefused,
    BadReply,
    ConnectorError,
    QuotaSpent,
    RateLimited,
    RemoteFailure,
    RemoteRefusal,
    Unreachable,
)
from apps.connectors.llms.base import LLM, Finish, LLMResponse, ModelSpec
from apps.connectors.llms.registry import llm_for
from apps.connectors.llms.retry_after import DEFAULT_WAIT_S
from apps.connectors.outbound import OutboundPolicy, outbound_client
from tests.connectors.llms.conftest import LOOPBACK, MODELS, complete, question
from tests.loopback import formats
from tests.loopback.providers import ModelProvider

MakeLLM = Callable[..., LLM]


def test_an_answer_carries_text_model_usage_cost_and_latency(
    kind: str, make_llm: MakeLLM, provider: ModelProvider
) -> None:
    answer = complete(make_llm(kind))
    assert answer.text == '{"score": 7}'
    assert answer.finish is Finish.STOP
    assert (answer.provider, answer.model) == (kind, MODELS[kind])
    assert answer.usage.input_tokens == 1200
    assert answer.usage.cached_tokens == 200
    assert answer.usage.output_tokens == 300
    assert answer.usage.reasoning_tokens == (0 if kind == "anthropic" else 20)
    assert answer.cost_usd is not None
    assert answer.cost_usd > 0
    assert 0 <= answer.latency_ms < 5000
    assert len(provider.requests) == 1


def test_the_offline_rules_keep_the_same_promises() -> None:
    llm = llm_for(ModelSpec(provider="offline", model="rules"))
    turns = [{"role": "user", "content": "Habari"}, {"role": "assistant", "content": "Karibu! Saa ngapi?"}]
    facts = {"task": "judge", "language": "sw", "criteria": [], "turns": turns, "nonce": "n1"}
    answer = complete(llm, question(facts=facts), policy=OutboundPolicy())
    assert json.loads(answer.text)["scores"] == {}
    assert answer.finish is Finish.STOP
    assert answer.provider == "offline"
    assert answer.model != "rules", "the model as it names itself"
    assert answer.usage.input_tokens > 0
    assert answer.cost_usd == 0
    assert answer.latency_ms >= 0
    with pytest.raises(ConnectorError):
        complete(llm, question())


def test_the_question_arrives_whole_with_its_schema(kind: str, make_llm: MakeLLM, provider: ModelProvider) -> None:
    complete(make_llm(kind), question(max_output_tokens=77))
    sent = json.dumps(provider.last_body, ensure_ascii=False)
    assert "You judge." in sent
    assert "Habari — 😀" in sent
    assert '"reason"' in sent
    assert "77" in sent


def test_temperature_is_sent_only_where_the_option_says_so_and_to_servers_of_ones_own(
    kind: str, make_llm: MakeLLM, provider: ModelProvider
) -> None:
    complete(make_llm(kind), question(temperature=0.0))
    assert ('"temperature": 0.0' in json.dumps(provider.last_body)) is (kind == "openai")
    complete(make_llm(kind, supports_temperature=False), question(temperature=0.0))
    assert "temperature" not in json.dumps(provider.last_body)
    complete(make_llm(kind, supports_temperature=True), question(temperature=0.0))
    assert '"temperature": 0.0' in json.dumps(provider.last_body)
    complete(make_llm(kind, supports_temperature=True), question())
    assert "temperature" not in json.dumps(provider.last_body)


def test_a_server_without_structured_output_is_asked_in_words(
    kind: str, make_llm: MakeLLM, provider: ModelProvider
) -> None:
    complete(make_llm(kind, supports_json_schema=False))
    assert "Its JSON Schema" in json.dumps(provider.last_body)


def test_facts_for_the_offline_rules_never_leave(kind: str, make_llm: MakeLLM, provider: ModelProvider) -> None:
    complete(make_llm(kind), question(facts={"secret": "only-for-rules"}))
    assert b"only-for-rules" not in provider.requests[-1].body


@pytest.mark.parametrize(
    "step, finish",
    [
        ("length", Finish.LENGTH),
        ("refusal", Finish.REFUSAL),
        ("blocked", Finish.BLOCKED),
        ("error", Finish.ERROR),
        ("prose", Finish.STOP),
        ("fences", Finish.STOP),
        ("cut_json", Finish.STOP),
    ],
)
def test_refused_blocked_and_cut_answers_are_results(
    kind: str, make_llm: MakeLLM, provider: ModelProvider, step: str, finish: Finish
) -> None:
    provider.script(step)
    told = complete(make_llm(kind)).finish
    # Anthropic calls both a refusal; Google calls both blocked.
    same = {Finish.REFUSAL, Finish.BLOCKED}
    assert told is finish or {told, finish} == same


@pytest.mark.parametrize(
    "step, error",
    [
        ("rate_limit", RateLimited),
        ("quota", QuotaSpent),
        ("402", QuotaSpent),
        ("400", RemoteRefusal),
        ("401", RemoteRefusal),
        ("403", RemoteRefusal),
        ("404", RemoteRefusal),
        ("413", RemoteRefusal),
        ("redirect", RemoteRefusal),
        ("408", RemoteFailure),
        ("409", RemoteFailure),
        ("500", RemoteFailure),
        ("502", RemoteFailure),
        ("503", RemoteFailure),
        ("504", RemoteFailure),
        ("529", RemoteFailure),
        ("html", BadReply),
        ("list", BadReply),
        ("hollow", BadReply),
        ("reset", Unreachable),
        ("cut", Unreachable),
    ],
)
def test_each_fault_has_its_place_in_the_error_tree(
    kind: str, make_llm: MakeLLM, provider: ModelProvider, step: str, error: type[ConnectorError]
) -> None:
    provider.script(step)
    with pytest.raises(ConnectorError) as caught:
        complete(make_llm(kind))
    assert type(caught.value) is error
    assert len(provider.requests) == 1, "one call on the wire, no repeats"
    assert isinstance(caught.value.extra.get("latency_ms"), int)
    if step.isdigit():
        assert caught.value.status == int(step)
        assert "as asked" in caught.value.raw


@pytest.mark.parametrize(
    "step, seconds", [("rate_limit", 7.0), ("rate_limit_by_reset", 9.0), ("rate_limit_silent", DEFAULT_WAIT_S)]
)
def test_a_rate_limit_says_how_long_to_wait(
    kind: str, make_llm: MakeLLM, provider: ModelProvider, step: str, seconds: float
) -> None:
    provider.script(step)
    with pytest.raises(RateLimited) as caught:
        complete(make_llm(kind))
    assert caught.value.retry_after == seconds


@pytest.mark.parametrize("step", ["hang", "drip"])
def test_the_deadline_covers_the_whole_answer(kind: str, make_llm: MakeLLM, provider: ModelProvider, step: str) -> None:
    llm = make_llm(kind)
    if kind == "vertex":
        complete(llm)  # has its access token now, so that the short deadline is the model's alone
    provider.script(step)
    with pytest.raises(Unreachable) as caught:
        complete(llm, question(timeout_s=0.2))
    assert caught.value.timed_out
    # Given up long before the answer was whole: counted in what the server sent, as seconds depend on the load.
    assert provider.faulty.fault == step
    assert provider.faulty.dripped < len(provider.faulty.body) / 2


def test_nobody_listening_is_unreachable_and_nothing_was_sent(kind: str, make_llm: MakeLLM) -> None:
    llm = make_llm(kind)
    if kind == "vertex":
        complete(llm)
    gone = llm_for(replace(llm.spec, base_url="http://127.0.0.1:9876/v1"))
    with pytest.raises(Unreachable) as caught:
        complete(gone)
    assert not caught.value.sent


def test_the_guard_stands_before_every_provider(kind: str, make_llm: MakeLLM, provider: ModelProvider) -> None:
    llm = make_llm(kind)
    if kind == "vertex":
        complete(llm)
    provider.requests.clear()
    with pytest.raises(AddressRefused):
        complete(llm, policy=OutboundPolicy(purpose="model"))
    assert provider.requests == []


def test_a_key_quoted_back_by_the_server_is_not_kept(make_llm: MakeLLM, provider: ModelProvider) -> None:
    provider.script(formats.error("openai", 401, "Incorrect API key provided: sk-test-0123456789"))
    with pytest.raises(RemoteRefusal) as caught:
        complete(make_llm("openai"))
    assert "sk-test" not in caught.value.raw + str(caught.value)


@pytest.mark.parametrize("key", ["sk-with-newline-0123\n", "sk-ключ-0123456789"])
def test_a_key_that_cannot_be_sent_is_named_but_not_shown(make_llm: MakeLLM, kind: str, key: str) -> None:
    if kind == "vertex":
        pytest.skip("a service account key is JSON, checked elsewhere")
    with pytest.raises(RemoteRefusal) as caught:
        complete(make_llm(kind, key=key))
    assert "sk-" not in str(caught.value) + caught.value.raw


def test_connections_are_kept_alive_between_calls(kind: str, make_llm: MakeLLM, provider: ModelProvider) -> None:
    llm = make_llm(kind)
    complete(llm)
    before = provider.server.connections_made

    async def many() -> list[LLMResponse]:
        async with outbound_client(LOOPBACK) as client:
            return [await llm.complete(question(), client=client) for _ in range(10)]

    asyncio.run(many())
    assert provider.server.connections_made == before + 1


def test_an_unpriced_model_costs_none_not_zero(make_llm: MakeLLM) -> None:
    assert complete(make_llm("openai", model="our-own-llama")).cost_usd is None


@pytest.mark.parametrize(
    "kind, cost", [("anthropic", "0.00756"), ("openai", "0.00575"), ("google", "0.001056"), ("vertex", "0.001056")]
)
def test_cost_counts_the_cached_part_at_its_own_price(kind: str, cost: str, make_llm: MakeLLM) -> None:
    # 1,000 fresh + 200 cached input, 300 output, USD per million: 3/0.3/15, 2.5/1.25/10, 0.3/0.03/2.5
    assert complete(make_llm(kind)).cost_usd == Decimal(cost)

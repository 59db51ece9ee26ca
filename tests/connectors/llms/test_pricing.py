"""Costs: our quick reckoning must be genai-prices' own to the last digit."""

import time
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from genai_prices import Usage as Priced
from genai_prices.data_snapshot import get_snapshot
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.connectors.llms.base import ModelSpec, TokenPrice
from apps.connectors.llms.pricing import call_cost, cost_usd, warm
from apps.core.usage import Usage


@pytest.mark.parametrize(
    "provider, model, plain, half_cached",
    [
        ("anthropic", "claude-sonnet-4-5", "0.45", "0.315"),
        ("openai", "gpt-4o", "0.35", "0.2875"),
        ("google", "gemini-2.5-flash", "0.055", "0.0415"),
        ("vertex", "gemini-2.5-flash", "0.055", "0.0415"),
    ],
)
def test_published_oracles(provider: str, model: str, plain: str, half_cached: str) -> None:
    usage = Usage(input_tokens=100_000, output_tokens=10_000)
    assert cost_usd(provider, model, usage) == Decimal(plain)
    half = Usage(input_tokens=100_000, cached_tokens=50_000, output_tokens=10_000)
    assert cost_usd(provider, model, half) == Decimal(half_cached)


@pytest.mark.parametrize("provider, model", [("openai", "stub-judge"), ("nobody", "gpt-4o"), ("offline", "rules")])
def test_unknown_is_none_never_zero(provider: str, model: str) -> None:
    assert cost_usd(provider, model, Usage(input_tokens=10, output_tokens=10)) is None


MODELS = st.sampled_from(
    [
        ("anthropic", "claude-sonnet-4-5"),
        ("anthropic", "claude-opus-4-7"),
        ("openai", "gpt-4o"),
        ("google", "gemini-2.5-flash"),
        ("google", "gemini-2.5-pro"),
        ("google", "gemini-2.0-flash"),
    ]
)
COUNTS = st.one_of(st.integers(0, 500_000), st.sampled_from([0, 1, 199_999, 200_000, 200_001]))


@settings(deadline=None)
@given(MODELS, COUNTS, st.integers(0, 100), st.integers(0, 100), COUNTS)
def test_equal_to_the_price_library_in_every_tier(
    named: tuple[str, str], size: int, read: int, written: int, output: int
) -> None:
    provider, model = named
    cached = size * read // 200
    cache_write = size * written // 200
    usage = Usage(input_tokens=size, cached_tokens=cached, cache_write_tokens=cache_write, output_tokens=output)
    info = get_snapshot().find_provider_model(model, None, provider, None)[1]
    theirs = info.get_prices(datetime.now(UTC)).calc_price(
        Priced(input_tokens=size, cache_read_tokens=cached, cache_write_tokens=cache_write, output_tokens=output)
    )["total_price"]
    assert cost_usd(provider, model, usage) == theirs


def test_a_known_price_costs_microseconds() -> None:
    warm()
    usage = Usage(input_tokens=1200, cached_tokens=200, output_tokens=300)
    cost_usd("openai", "gpt-4o", usage)

    def a_hundred() -> float:
        started = time.thread_time()  # this thread's own: what else the machine does is not in it
        for _ in range(100):
            cost_usd("openai", "gpt-4o", usage)
        return time.thread_time() - started

    assert min(a_hundred() for _ in range(10)) / 100 < 100e-6


@pytest.mark.parametrize(
    "base_url, options, known",
    [
        (None, {}, True),
        ("https://api.openai.com/v1", {}, True),
        ("https://acme.openai.azure.com/openai", {}, True),
        ("http://10.0.0.5:11434/v1", {}, False),
        ("https://openai.com.example.org/v1", {}, False),
        ("http://10.0.0.5:4000/v1", {"price_provider": "openai"}, True),
    ],
)
def test_a_model_of_the_same_name_on_a_server_of_ones_own_has_no_list_price(base_url, options, known):
    spec = ModelSpec(provider="openai", model="gpt-4", base_url=base_url, options=options)
    assert (call_cost(spec, Usage(input_tokens=1000, output_tokens=10)) is not None) is known


def test_a_declared_price_goes_before_any_list():
    price = TokenPrice(input=Decimal("0.5"), output=Decimal(2))
    spec = ModelSpec(provider="openai", model="gpt-4", base_url="http://10.0.0.5:11434/v1", price=price)
    assert call_cost(spec, Usage(input_tokens=1_000_000, output_tokens=500_000)) == Decimal("1.5")

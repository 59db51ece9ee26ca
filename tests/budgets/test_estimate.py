"""What a call may cost, where no list knows the price: never less than it will, and never invented."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.budgets.domain.estimate import Estimate, PaidSoFar, PriceState, cost_at_most, max_cost, until_readable
from apps.catalog.connections.domain.declared_prices import declared_prices, price_for
from apps.connectors.llms.base import ModelSpec, TokenPrice
from apps.core.errors import BadInput

SPEC = ModelSpec(provider="openai", model="nobody-lists-it")
PRICED = ModelSpec(provider="openai", model="gpt-4o")
price = st.decimals(min_value=0, max_value=50, places=2)  # dollars for a million tokens
tokens = st.integers(1, 200_000)


@given(price, price, st.lists(st.tuples(tokens, tokens), min_size=1, max_size=20), tokens, tokens)
def test_the_next_call_is_taken_for_a_usual_one_or_a_shorter_one(into, out, calls, input_tokens, output_tokens):
    def cost(call: tuple[int, int]) -> Decimal:
        return (into * call[0] + out * call[1]) / 1_000_000

    costs = [cost(call) for call in calls]
    paid = PaidSoFar(
        usd=sum(costs, Decimal(0)), input_tokens=sum(i for i, _ in calls), output_tokens=sum(o for _, o in calls),
        reported=len(calls), usual=max(costs),
    )  # fmt: skip
    expected = paid.next_cost(input_tokens=input_tokens, output_tokens=output_tokens)
    assert expected is not None
    assert expected >= min(cost((input_tokens, output_tokens)), max(costs)) * Decimal("0.999999")
    assert expected <= max(costs)


def test_a_server_that_counts_no_tokens_is_taken_by_what_is_usual():
    paid = PaidSoFar(usd=Decimal("0.5"), reported=2, usual=Decimal("0.3"))
    assert paid.next_cost(input_tokens=10, output_tokens=10) == Decimal("0.3")


def test_repeats_are_held_where_the_price_is_a_bound_and_not_where_it_was_learned():
    bound, learned = Estimate(usd=Decimal(1)), Estimate(usd=Decimal(1), learned=True)
    assert until_readable([bound, bound]).usd == 2
    assert until_readable([learned, learned]).usd == 1
    assert until_readable([bound, learned]).usd == 2
    assert until_readable([]).usd == 0


def test_a_price_nobody_knows_is_not_invented_and_says_whose_it_is():
    untried = cost_at_most(SPEC, input_tokens=10, output_tokens=10)
    assert untried == Estimate(price=PriceState.UNTRIED, unpriced="openai/nobody-lists-it")
    silent = {("openai", "nobody-lists-it"): PaidSoFar(silent=3)}
    assert cost_at_most(SPEC, input_tokens=10, output_tokens=10, history=silent).price is PriceState.UNTOLD


def test_the_least_known_price_of_model_and_fallback_decides_and_the_dearer_is_reserved():
    both = max_cost([PRICED, SPEC], input_tokens=1_000_000, output_tokens=0)
    assert (both.usd, both.price) == (Decimal("2.5"), PriceState.UNTRIED)
    assert (both + Estimate(usd=Decimal(1))).times(2) == Estimate(
        usd=Decimal(7), price=PriceState.UNTRIED, unpriced=both.unpriced
    )


def test_a_declared_price_comes_before_any_list():
    own = ModelSpec(provider="openai", model="gpt-4o", price=TokenPrice(input=Decimal(0), output=Decimal(1)))
    assert cost_at_most(own, input_tokens=5, output_tokens=1_000_000) == Estimate(usd=Decimal(1))


def test_prices_are_declared_by_model_or_for_all_of_a_provider():
    options = {"prices": {"big": {"input": 2, "output": 8}, "*": {"input": 0, "output": 0}}}
    assert price_for(options, "big") == TokenPrice(input=Decimal(2), output=Decimal(8))
    assert price_for(options, "other") == TokenPrice(input=Decimal(0), output=Decimal(0))
    assert price_for({}, "big") is None


@pytest.mark.parametrize(
    "prices, at",
    [
        ([], "/options/prices"),
        ({"m": 3}, "/options/prices/m"),
        ({"m": {"input": 1}}, "/options/prices/m/output"),
        ({"m": {"input": -1, "output": 1}}, "/options/prices/m/input"),
        ({"m": {"input": 1, "output": "two"}}, "/options/prices/m/output"),
        ({"m/n": {"input": 1, "output": 1, "cached": 1}}, "/options/prices/m~1n/cached"),
    ],
)
def test_what_is_no_price_is_refused_with_its_field(prices, at):
    with pytest.raises(BadInput) as refused:
        declared_prices({"prices": prices})
    assert refused.value.pointer == at

"""A server that reports what no such call can cost is written down, and not believed with money."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.budgets.domain.plausible import TIMES, chargeable, implausible_words
from apps.connectors.llms.base import ChatMessage, LLMRequest, ModelSpec, TokenPrice
from apps.connectors.llms.pricing import call_cost
from apps.core.usage import Usage
from tests.budgets.test_ledger import ATTEMPT

SPEC = ModelSpec(provider="openai", model="house", price=TokenPrice(input=Decimal(2), output=Decimal(8)))
QUESTION = LLMRequest(system="Play a customer.", messages=(ChatMessage("user", "Go on."),), max_output_tokens=400)
MOST = Decimal("0.02")  # far above what 22 bytes and 400 tokens cost


def reported(usage: Usage | None = None, usd: Decimal | None = None):
    usage = usage or Usage(input_tokens=20, output_tokens=30)
    return replace(ATTEMPT, usage=usage, cost_usd=call_cost(SPEC, usage) if usd is None else usd, model="house")


@given(st.integers(0, 8), st.integers(0, 400))
def test_an_honest_report_is_charged_as_it_is(input_tokens, output_tokens):
    one = reported(Usage(input_tokens=input_tokens, output_tokens=output_tokens))
    assert chargeable(one, SPEC, QUESTION) == one.cost_usd


@given(st.integers(0, 2**60), st.integers(0, 2**60))
def test_no_number_of_tokens_costs_more_than_the_question_can(input_tokens, output_tokens):
    one = reported(Usage(input_tokens=input_tokens, output_tokens=output_tokens))
    assert chargeable(one, SPEC, QUESTION) <= MOST


def test_a_stated_cost_may_be_several_times_the_list_and_not_three_thousand_dollars():
    assert chargeable(reported(usd=MOST), SPEC, QUESTION) == MOST
    assert MOST / TIMES < chargeable(reported(usd=Decimal(3000)), SPEC, QUESTION) <= MOST * TIMES


@pytest.mark.parametrize("price", [None, TokenPrice(input=Decimal(0), output=Decimal(0))])
def test_without_a_price_the_servers_word_stands(price):
    spec = replace(SPEC, model="nobody-lists-it", price=price)
    assert chargeable(reported(usd=Decimal(3000)), spec, QUESTION) == 3000
    assert chargeable(replace(reported(), cost_usd=None), spec, QUESTION) is None


def test_the_ledger_says_what_was_reported_and_what_was_charged():
    assert implausible_words(Decimal(3000), MOST).startswith(
        "The server reports $3,000.00 for this call, which can cost $0.0200 at most"
    )

"""What work will probably cost, from what it cost before: no price is invented, and an interval says how sure it is."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.budgets.domain.forecast import CostForecast, PartForecast, PastCosts, forecast_part

MODEL = "google/gemini-2.5-flash"
PAST = PastCosts(conversations=50, mean_usd=0.02, deviation=0.01, input_tokens=1000, output_tokens=200, models=(MODEL,))


def part(past=PAST, *, conversations=10, free=False, repriced=None, model=MODEL):
    return forecast_part("judging", model, past, conversations=conversations, free=free, repriced=repriced)


def test_a_mean_times_how_many_with_the_interval_of_both():
    found = part()
    assert found.usd == pytest.approx(0.2)
    assert (found.low, found.high) == pytest.approx((0.2 - 0.0696, 0.2 + 0.0696), abs=0.001)
    assert found.sample == 50


@pytest.mark.parametrize(
    "past, repriced, why",
    [
        (PastCosts(), Decimal(1), "nothing like it was done yet"),
        (PastCosts(conversations=5, unpriced=1, models=(MODEL,)), None, f"no price is known for {MODEL}"),
        (PastCosts(conversations=5, models=("openai/gpt-4",)), None, f"no price is known for {MODEL}"),
    ],
)
def test_what_is_not_known_is_said_and_is_no_zero(past, repriced, why):
    found = part(past, repriced=repriced)
    assert (found.usd, found.why) == (None, why)
    whole = CostForecast(conversations=10, parts=[part(), found])
    assert whole.usd is None
    assert whole.above(0.0)
    assert whole.limit_sentence(10.0) == "Nobody knows what it will cost; it may be more than $10"
    assert not whole.above(None)


def test_another_model_is_priced_anew_by_the_tokens_of_then():
    past = PastCosts(conversations=5, mean_usd=9.0, input_tokens=1000, output_tokens=200, models=("openai/gpt-4",))
    found = part(past, repriced=Decimal("0.001"))
    assert found.usd == pytest.approx(0.01)
    assert found.why == f"the tokens of openai/gpt-4 at the price of {MODEL}"


def test_offline_rules_cost_nothing_whatever_was_paid_before():
    assert part(free=True).usd == 0.0


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 300), st.floats(0, 5), st.floats(0, 5), st.integers(1, 200))
def test_the_interval_holds_the_forecast_and_no_cost_is_below_zero(conversations, mean, deviation, n):
    past = PastCosts(conversations=n, mean_usd=mean, deviation=deviation if n > 1 else None, models=(MODEL,))
    found = part(past, conversations=conversations)
    assert found.usd is not None
    assert found.usd >= 0
    if found.low is not None:
        assert 0 <= found.low <= found.usd + 1e-9 <= found.high + 2e-9


def test_the_whole_is_above_a_limit():
    parts = [PartForecast(part="a", model="m", usd=6.0), PartForecast(part="b", model="m", usd=5.0)]
    whole = CostForecast(conversations=1, parts=parts)
    assert whole.above(10.0)
    assert not whole.above(11.0)
    assert not whole.above(None)
    assert whole.as_json()["cost_usd"] == 11.0

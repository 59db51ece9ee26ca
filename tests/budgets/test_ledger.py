"""The ledger of model calls: every call once, whatever a provider says of itself."""

import uuid
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.budgets.domain.purpose import Purpose
from apps.budgets.models import ModelCall
from apps.budgets.queries import spent_between, spent_on_evaluation, spent_on_run
from apps.budgets.services import CallFor, LedgerCall, record_calls
from apps.connectors.llms.base import Attempt
from apps.core.usage import Usage

RUN, EVALUATION = uuid.uuid4(), uuid.uuid4()
ATTEMPT = Attempt(
    provider="openai",
    model="gpt-4o-2024",
    requested_model="gpt-4o",
    outcome="ok",
    usage=Usage(input_tokens=100, cached_tokens=20, output_tokens=10, reasoning_tokens=3),
    cost_usd=Decimal("0.00125"),
    latency_ms=321,
    status=200,
)


def call(*, evaluation: uuid.UUID | None = EVALUATION, **changes: object) -> LedgerCall:
    call_for = CallFor(purpose=Purpose.JUDGE, run_id=RUN, evaluation_id=evaluation)
    return LedgerCall(call_for=call_for, attempt=replace(ATTEMPT, **changes))


def test_a_call_entered_twice_is_entered_once(tenant):
    one = call()
    record_calls(calls=[one])
    record_calls(calls=[one, call()])
    assert ModelCall.objects.count() == 2


def test_each_call_is_one_line_of_the_log_with_the_facts_that_spans_say(
    tenant, caplog, django_capture_on_commit_callbacks
):
    conversation = uuid.uuid4()
    one = call(cost_usd=Decimal("0.00125"))
    one = replace(one, call_for=replace(one.call_for, conversation_id=conversation, prompt_version="booking@a1b2c3d"))
    caplog.set_level("INFO", logger="ratiba.events")
    with django_capture_on_commit_callbacks(execute=True):
        record_calls(calls=[one])
        record_calls(calls=[one, call(cost_usd=None)])  # what is entered again is not logged again
    lines = [record.fields for record in caplog.records if record.message == "model_called"]
    assert [line["cost_usd"] for line in lines] == [0.00125, None]
    assert (lines[0]["tenant_id"], lines[0]["conversation_id"], lines[0]["prompt_version"], lines[0]["model"]) == (
        "acme", str(conversation), "booking@a1b2c3d", "gpt-4o-2024"
    )  # fmt: skip


def test_nothing_to_enter_asks_nothing(tenant, django_assert_num_queries):
    with django_assert_num_queries(0):
        record_calls(calls=[])


def test_failed_calls_are_entered_and_cost_nothing(tenant):
    record_calls(calls=[call(), call(outcome="remote_failure", status=500, cost_usd=None, usage=Usage(), error="oops")])
    spent = spent_on_evaluation(EVALUATION)
    assert (spent.calls, spent.cost_usd, spent.tokens, spent.unpriced) == (2, Decimal("0.00125"), 110, 0)


def test_where_an_answer_has_no_price_the_cost_is_unknown_and_the_known_part_is_told(tenant):
    record_calls(calls=[call(), call(cost_usd=None)])
    spent = spent_on_evaluation(EVALUATION)
    assert (spent.cost_usd, spent.known_usd, spent.unpriced) == (None, Decimal("0.00125"), 1)
    assert spent.as_json() == {
        "cost_usd": None, "known_cost_usd": 0.00125, "model_calls": 2, "calls_without_price": 1,
    }  # fmt: skip


def test_spending_is_told_apart_by_run_evaluation_and_time(tenant):
    record_calls(calls=[call(), call(evaluation=uuid.uuid4()), call(evaluation=None)])
    assert (spent_on_evaluation(EVALUATION).calls, spent_on_run(RUN).calls) == (1, 3)
    assert spent_on_run(uuid.uuid4()).cost_usd == 0
    moment = ModelCall.objects.earliest("created_at").created_at
    assert spent_between(moment, moment + timedelta(minutes=1)).calls == 3
    assert spent_between(moment - timedelta(minutes=1), moment).calls == 0


@pytest.mark.parametrize(
    "told, kept",
    [(2**31 - 1, 2**31 - 1), (2**31, 2**31 - 1), (10**30, 2**31 - 1), (-5, 0)],
)
def test_a_count_no_column_holds_is_cut(tenant, told, kept):
    record_calls(calls=[call(usage=Usage(input_tokens=told))])
    assert ModelCall.objects.get().input_tokens == kept


@pytest.mark.parametrize("cost", [Decimal(10**6), Decimal("1e30"), Decimal(-(10**7))])
def test_a_cost_beyond_belief_is_unknown(tenant, cost):
    record_calls(calls=[call(cost_usd=cost)])
    assert ModelCall.objects.get().cost_usd is None


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=300))
def test_any_text_a_provider_sends_can_be_entered(tenant, model, error, request_id):
    before = ModelCall.objects.count()
    record_calls(calls=[call(model=model + "\ud800", error=error + "\x00", request_id=request_id)])
    assert ModelCall.objects.count() == before + 1

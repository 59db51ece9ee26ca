"""Limits hold under every price, under kill -9, and a suspended tenant pays for nothing more."""

import uuid
from datetime import timedelta
from decimal import Decimal

import pytest
from django.conf import settings
from django.db.models import Sum
from django.utils import timezone

from apps.budgets.domain.scopes import Scope, ScopeKind, month_of
from apps.budgets.models import Budget, ModelCall
from apps.budgets.services.ledger import settle_lost
from apps.budgets.services.limits import declare_limit, set_limit
from apps.budgets.services.reservations import UNTIL_DECLARED
from apps.catalog.connections.services.storing import save_model_provider
from apps.connectors.outbound import OutboundPolicy, outbound_client
from apps.evaluations.judging.services import leases
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.progress.services.resume import resume_after_budget_raise
from apps.evaluations.progress.services.wait import progress_of
from apps.evaluations.requests.services.creating import request_evaluation
from apps.jobs.worker_loop import LoopLimits, run_worker_loop
from apps.tenants.context import current_slug
from apps.tenants.services import suspend_tenant, update_workflow_config
from tests.evaluations.bench import evaluated, imported, judge, judging_work, make_config
from tests.evaluations.test_budgets import ANSWER, IDS, on_a_budget, paid, run_budget, states

# --- Prices that no list knows ----------------------------------------------------------------------------------------
PULL_REQUEST = "ratiba#12"
TOLD = Decimal("0.12")  # what the proxy says a call cost


def test_a_limit_holds_for_a_model_that_no_list_knows_by_what_its_proxy_reports(tenant, model):
    model.headers["x-litellm-response-cost"] = str(TOLD)
    evaluation = evaluated(make_config(url=model.base_url("openai")), *(f"c-{n}" for n in range(120)))
    set_limit(scope=run_budget(evaluation), usd=Decimal(1))
    judge(timezone.now, concurrency=32, wait_s=3)
    assert 0 < paid(evaluation) <= Decimal(1)
    assert paid(evaluation) == len(model.requests) * TOLD
    assert states(evaluation)["pending"] == 120 - len(model.requests)
    assert set(evaluation.judgements.filter(status="pending").values_list("error_code", flat=True)) == {"budget_spent"}


def test_where_nobody_says_what_a_model_costs_a_limit_refuses_it_in_words(tenant, model):
    evaluation = evaluated(make_config(url=model.base_url("openai")), *IDS)
    set_limit(scope=run_budget(evaluation), usd=Decimal(1))
    judge(timezone.now, wait_s=3)
    assert len(model.requests) == 1  # its answer might have told
    waiting = evaluation.judgements.filter(status="pending")
    why = "the price of stub/stub-model is not known. Declare it (prices), or lift the run's budget"
    assert set(waiting.values_list("error_code", "waiting_for")) == {("budget_spent", f"no budget can be held: {why}")}
    assert progress_of(run_ids=[evaluation.run_id], evaluation_ids=[evaluation.id]).stopped.startswith("no budget can")


def by_the_run(evaluation, usd):
    set_limit(scope=run_budget(evaluation), usd=usd)


def by_the_pull_request(evaluation, usd):
    set_limit(scope=Scope(ScopeKind.PULL_REQUEST, PULL_REQUEST), usd=usd)


def declared_over_the_api(evaluation, usd):
    declare_limit(pull_request=PULL_REQUEST, usd=usd)


def by_the_month(evaluation, usd):
    set_limit(scope=month_of(timezone.now()), usd=usd)


def by_the_tenant(evaluation, usd):
    set_limit(scope=Scope(ScopeKind.TENANT), usd=usd)


def by_the_settings(evaluation, usd):
    update_workflow_config(slug=current_slug(), changes={"budget_run_usd": float(usd)})


def by_the_environment(evaluation, usd):
    settings.EVAL_BUDGET_USD = usd


@pytest.fixture(autouse=True)
def same_environment():
    before = settings.EVAL_BUDGET_USD
    yield
    settings.EVAL_BUDGET_USD = before


def of_the_pull_request(config):
    run_id = imported(*(f"c-{n}" for n in range(40)))
    made = request_evaluation(config=config, run_id=run_id, now=timezone.now(), how={"pull_request": PULL_REQUEST})
    return Evaluation.objects.get(pk=made.evaluation_id)


DOORS = [
    by_the_run, by_the_pull_request, declared_over_the_api, by_the_month, by_the_tenant, by_the_settings,
    by_the_environment,
]  # fmt: skip


@pytest.mark.parametrize("door", DOORS)
def test_a_limit_from_any_door_holds_for_a_proxy_whose_price_no_list_knows(tenant, model, door):
    model.headers["x-litellm-response-cost"] = "0.50"
    evaluation = of_the_pull_request(make_config(url=model.base_url("openai")))
    door(evaluation, Decimal(3))
    judge(timezone.now, concurrency=16, wait_s=3)
    assert 0 < paid(evaluation) <= Decimal(3)


def test_a_proxys_price_pays_for_as_many_calls_as_it_says(tenant, model):
    """20 evaluations of 4 conversations at once: the first call tells what one costs, and $3 pay for six."""
    model.headers["x-litellm-response-cost"] = "0.50"
    config = make_config(url=model.base_url("openai"))
    names = [[f"c-{number}-{at}" for at in range(4)] for number in range(20)]
    runs = [imported(*each) for each in names]
    for run_id in runs:
        request_evaluation(config=config, run_id=run_id, now=timezone.now(), how={"pull_request": PULL_REQUEST})
    for limit, calls in ((Decimal(3), 6), (Decimal("5.10"), 10)):
        declare_limit(pull_request=PULL_REQUEST, usd=limit)
        resume_after_budget_raise(now=timezone.now())
        judge(timezone.now, concurrency=16, wait_s=3)
        assert len(model.requests) == calls
        spent = ModelCall.objects.aggregate(usd=Sum("cost_usd"))["usd"]
        assert spent == calls * Decimal("0.50") <= limit
    waiting = Judgement.objects.filter(status="pending").values_list("waiting_for", flat=True)
    assert any("$5.00 of $5.10 spent. Raise it" in sentence for sentence in waiting)


@pytest.mark.parametrize("door", DOORS)
def test_a_limit_from_any_door_refuses_in_words_a_model_of_which_nobody_tells_the_cost(tenant, model, door):
    evaluation = of_the_pull_request(make_config(url=model.base_url("openai")))
    door(evaluation, Decimal(3))
    judge(timezone.now, concurrency=16, wait_s=3)
    assert len(model.requests) == 1
    stopped = progress_of(run_ids=[evaluation.run_id], evaluation_ids=[evaluation.id]).stopped
    assert stopped.startswith("no budget can be held: the price of stub/stub-model is not known")


def test_a_declared_price_holds_the_limit_and_lets_the_work_go_on(tenant, model, now):
    config = make_config(url=model.base_url("openai"), parameters={"max_output_tokens": 400})
    evaluation = on_a_budget(config, "1", now)
    judge(timezone.now, wait_s=3)
    prices = {"stub-model": {"input": 100, "output": 200}}
    save_model_provider(
        name="stub", kind="openai", base_url=model.base_url("openai"), api_key="k", options={"prices": prices}
    )
    judge(lambda: timezone.now() + UNTIL_DECLARED, wait_s=3)
    assert 1 < states(evaluation)["scored"] < len(IDS)
    assert 0 < paid(evaluation) <= Decimal(1)
    assert set(ModelCall.objects.exclude(cost_usd=None).values_list("cost_usd", flat=True)) == {Decimal("0.18")}


def test_a_price_changes_neither_the_fingerprint_nor_what_is_kept(tenant, model, now):
    config = make_config(url=model.base_url("openai"))
    first = evaluated(config, "c-1", now=now)
    judge(now)
    save_model_provider(
        name="stub", kind="openai", base_url=model.base_url("openai"), api_key="k",
        options={"prices": {"*": {"input": 1, "output": 1}}},
    )  # fmt: skip
    second = evaluated(config, "c-1", now=now)
    judge(now)
    assert first.judgements.get().fingerprint == second.judgements.get().fingerprint
    assert len(model.requests) == 1


# --- Killed workers and suspended tenants -----------------------------------------------------------------------------
def test_calls_of_a_killed_worker_stay_in_the_ledger_and_count(priced, model, now):
    evaluation = on_a_budget(priced, "1", now)
    killed = judging_work(now)
    jobs = dict(killed.claim(8))
    begun = killed.begin(list(jobs)[:3])  # three are asked, five were claimed ahead; and it is never heard of again
    assert len(begun) == 3
    later = now + timedelta(seconds=60)
    judge(later)
    assert states(evaluation) == {"scored": len(IDS)}
    outcomes = ModelCall.objects.filter(evaluation_id=evaluation.id).values_list("outcome", flat=True)
    assert sorted(outcomes) == ["lost"] * 3 + ["ok"] * len(IDS)
    budget = Budget.objects.get(pk=run_budget(evaluation).id)
    assert budget.spent_usd == paid(evaluation) > len(IDS) * ANSWER
    assert sorted(evaluation.judgements.values_list("attempts", flat=True)) == [1] * 5 + [2] * 3


def test_a_limit_holds_when_workers_are_killed_again_and_again(priced, model, now):
    evaluation = on_a_budget(priced, "0.10", now)
    for minute in range(4):
        killed = judging_work(now + timedelta(minutes=minute))
        killed.begin([key for key, _ in killed.claim(8)])
    judge(now + timedelta(minutes=10))
    settle_lost(now=now + timedelta(minutes=20))
    assert paid(evaluation) <= Decimal("0.10")


def test_suspending_a_tenant_stops_its_spending(tenant, model, now):
    config = make_config(url=model.base_url("openai"))
    evaluation = evaluated(config, *(f"c-{n}" for n in range(60)), now=now)
    work = judging_work(now)
    asked_at_suspension: list[int] = []
    store = work.store

    def suspended_after_the_first(deliveries):
        finished = store(deliveries)
        if not asked_at_suspension:
            suspend_tenant(slug=tenant)
            asked_at_suspension.append(len(model.requests))
        return finished

    work.store = suspended_after_the_first
    policy = OutboundPolicy(private_hosts=tuple(settings.PRIVATE_HOSTS), purpose="model")
    run_worker_loop(
        work=work, limits=LoopLimits(concurrency=4), client=lambda: outbound_client(policy), now=lambda: now
    )
    assert len(model.requests) - asked_at_suspension[0] <= 4
    assert evaluation.judgements.filter(status="pending", lease_token=None, attempts=0).count() >= 50


def test_what_a_killed_worker_had_claimed_ahead_is_no_attempt(priced, now):
    evaluation = evaluated(priced, "a", "b", now=now)
    token = uuid.uuid4()
    first, _ahead = leases.claim(token=token, limit=2, now=now)
    leases.begin(token=token, judgement_ids=[first.judgement_id])
    judge(now + timedelta(seconds=50))
    assert sorted(evaluation.judgements.values_list("status", "attempts")) == [("scored", 1), ("scored", 2)]


def test_what_another_lane_took_over_is_not_begun(priced, now):
    evaluated(priced, now=now)
    slow, quick = uuid.uuid4(), uuid.uuid4()
    (owed,) = leases.claim(token=slow, limit=1, now=now)
    leases.claim(token=quick, limit=1, now=now + timedelta(seconds=50))
    assert leases.begin(token=slow, judgement_ids=[owed.judgement_id]) == set()

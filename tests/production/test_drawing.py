"""A sample of what real customers said is judged: drawn once, paid by a share, and only where the phase holds it."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import transaction

from apps.budgets.domain.scopes import SAMPLING, month_of, share_of
from apps.budgets.queries.statuses import budget_statuses_of
from apps.budgets.services.limits import declare_limit
from apps.budgets.services.reserving import ReservationRequest, reserve
from apps.core.errors import BadInput
from apps.evaluations.judging.services.completion import finish_evaluations
from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.requests.services.creating import options_of
from apps.production.intake.services.feedback import take_feedback
from apps.production.models import SampledConversation, SampleDraw, SamplingRule
from apps.production.sampling.domain.rates import LATE, WINDOW
from apps.production.sampling.services.drawing import draw_due
from tests.production.sampling_rows import NIGHT, arrived, conversation, many, phase, production_row, rule, score

NOW = NIGHT + WINDOW + LATE
WITHIN = NIGHT + timedelta(hours=2)


@pytest.fixture(autouse=True)
def _inside(tenant: str) -> None:
    """All of it in a tenant, rolled back."""
    phase(tenant)


def bases() -> dict[str, int]:
    found = list(SampledConversation.objects.values_list("basis", flat=True))
    return {one: found.count(one) for one in sorted(set(found))}


def test_in_phase_one_nothing_is_drawn(tenant: str, judge_config: str) -> None:
    phase(tenant, 1)
    rule(judge_config)
    many(3, at=WITHIN)
    assert draw_due(now=NOW) == 0
    assert not Evaluation.objects.exists()


def test_a_window_is_drawn_once_and_only_what_was_drawn_is_judged(judge_config: str) -> None:
    rule(judge_config, rate=0.3)
    many(20, at=WITHIN)
    assert draw_due(now=NOW) == 1
    drawn = set(SampledConversation.objects.values_list("conversation_id", flat=True))
    assert 0 < len(drawn) < 20
    assert draw_due(now=NOW) == 0
    SamplingRule.objects.update(due_at=None, drawn_until=NIGHT)  # as if nobody had noted it
    assert draw_due(now=NOW) == 0
    enqueue_judgements(now=NOW)
    assert set(Judgement.objects.values_list("conversation_id", flat=True)) == drawn
    score(7.0)
    assert finish_evaluations(now=NOW)
    assert set(Evaluation.objects.values_list("status", flat=True)) == {"completed"}


def test_a_worker_that_dies_in_between_leaves_nothing_and_the_next_draws_the_same(judge_config: str) -> None:
    rule(judge_config, rate=0.3)
    many(20, at=WITHIN)
    first = set[object]()
    with pytest.raises(KeyboardInterrupt):
        _draw_and_die(first)
    assert not SampleDraw.objects.exists()
    assert draw_due(now=NOW + timedelta(hours=1)) == 1
    assert set(SampledConversation.objects.values_list("conversation_id", flat=True)) == first


def _draw_and_die(first: set[object]) -> None:
    with transaction.atomic():
        draw_due(now=NOW)
        first |= set(SampledConversation.objects.values_list("conversation_id", flat=True))
        raise KeyboardInterrupt


def test_what_arrives_late_belongs_to_the_window_in_which_it_settled(judge_config: str) -> None:
    rule(judge_config)
    many(3, at=WITHIN)
    draw_due(now=NOW)
    said = (NIGHT - timedelta(days=1)).isoformat()
    late = arrived("late", at=NOW + timedelta(hours=1), turns=[
        {"role": "user", "content": "Habari", "ts": said}, {"role": "assistant", "content": "Karibu", "ts": said},
    ])  # fmt: skip
    assert draw_due(now=NOW + WINDOW) == 1
    first, second = SampleDraw.objects.order_by("starts")
    assert (first.settled, second.settled) == (3, 1)
    assert [one.conversation_id for one in second.conversations.all()] == [late]


def test_thumbs_down_and_surprises_are_judged_apart_and_not_twice(judge_config: str) -> None:
    rule(judge_config, rate=0.0)
    phase_floor = SamplingRule.objects.get()
    ids = many(12, at=WITHIN)
    for n, rating in ((0, "down"), (1, "down"), (1, "up"), (2, "up")):
        body = {"id": f"{n}{rating}", "conversation_id": str(ids[n]), "rating": rating}
        take_feedback(body=body, now=WITHIN)
    draw_due(now=NOW)
    floor = set(
        SampledConversation.objects.filter(rule=phase_floor, basis="floor").values_list("conversation_id", flat=True)
    )
    assert bases() == {
        key: n
        for key, n in {
            "floor": len(floor), "surprising": int(ids[1] not in floor), "thumbs_down": int(ids[0] not in floor)
        }.items() if n
    }  # fmt: skip
    take_feedback(body={"id": "again", "conversation_id": str(ids[0]), "rating": "down"}, now=NOW)
    draw_due(now=NOW + WINDOW)
    assert SampledConversation.objects.filter(conversation=ids[0]).count() == 1


def test_our_own_runs_and_canaries_are_never_sampled(judge_config: str) -> None:
    rule(judge_config)
    real, ours = many(2, at=WITHIN)
    other = arrived("canary", at=WITHIN)
    row = production_row(ours)
    battle = conversation(arrived("source", at=WITHIN))
    battle.kind, battle.session, battle.keep_until = "battle", {"context_id": "agent-says-7"}, None
    battle.save()
    row.external_id = "agent-says-7"
    row.save()
    theirs = production_row(other)
    theirs.alias = "canary"
    theirs.save()
    draw_due(now=NOW)
    drawn = set(SampledConversation.objects.values_list("conversation_id", flat=True))
    assert real in drawn
    assert not {ours, other} & drawn


def test_out_of_money_the_window_says_so_and_nothing_is_owed(tenant: str, judge_config: str) -> None:
    phase(tenant, budget_month_usd=0)
    rule(judge_config)
    many(3, at=WITHIN)
    draw_due(now=NOW)
    draw = SampleDraw.objects.get()
    assert draw.status == "not_sampled"
    assert "conversations would cost about $" in draw.why
    assert not Judgement.objects.exists()


def test_a_price_that_nobody_knows_is_not_nothing_the_window_is_not_sampled(unpriced_config: str) -> None:
    rule(unpriced_config)
    many(3, at=WITHIN)
    draw_due(now=NOW)
    draw = SampleDraw.objects.get()
    assert draw.status == "not_sampled"
    assert "Nobody knows what judging costs, no price is known for" in draw.why
    assert not Judgement.objects.exists()


def test_what_a_sample_costs_is_reserved_in_its_share_and_stops_there(tenant: str, judge_config: str) -> None:
    phase(tenant, budget_month_usd=10, sampling_budget_share=0.25)
    rule(judge_config)
    (first, second, *_) = many(3, at=WITHIN)
    draw_due(now=NOW)
    enqueue_judgements(now=NOW)
    evaluation = Evaluation.objects.first()
    assert evaluation is not None
    paid_by = evaluation.options["pull_request"]
    share, month = share_of(paid_by, at=NOW), month_of(NOW)
    asked = [ReservationRequest(id=one, usd=Decimal("1.5"), pull_request=paid_by) for one in (first, second)]
    found = reserve(holder=first, requests=asked, now=NOW)
    assert {one: refusal.scope for one, refusal in found.refused.items()} == {second: share}
    assert [one.limit for one in budget_statuses_of([share, month], now=NOW)] == [Decimal("2.5"), Decimal(10)]
    assert found.refused[second].until == datetime(2026, 12, 1, tzinfo=UTC)
    assert "share of sampling of 2026-11" in found.refused[second].sentence
    later = [ReservationRequest(id=second, usd=Decimal("1.5"), pull_request=paid_by)]
    assert not reserve(holder=second, requests=later, now=NOW + timedelta(days=7)).refused  # in December


def test_nobody_names_a_share_as_a_pull_request(judge_config: str) -> None:
    with pytest.raises(BadInput, match="cannot begin with 'share/'"):
        declare_limit(pull_request=SAMPLING, usd=Decimal(0))
    with pytest.raises(BadInput):
        options_of({"pull_request": SAMPLING})


def test_a_config_that_is_gone_refuses_the_window_with_its_reason(judge_config: str) -> None:
    rule("nowhere")
    many(2, at=WITHIN)
    draw_due(now=NOW)
    draw = SampleDraw.objects.get()
    assert (draw.status, "nowhere" in draw.why) == ("not_sampled", True)


def test_a_rule_filters(judge_config: str) -> None:
    rule(judge_config, language="sw", channel="WhatsApp")
    wanted = arrived("a", at=WITHIN, language="sw-KE")
    arrived("b", at=WITHIN, language="en")
    arrived("c", at=WITHIN, language="sw", channel="web")
    draw_due(now=NOW)
    assert [one.conversation_id for one in SampledConversation.objects.all()] == [wanted]

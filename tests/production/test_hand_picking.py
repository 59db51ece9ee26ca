"""A person has one real conversation judged, beside the sample."""

from datetime import timedelta
from uuid import UUID

import pytest

from apps.core.errors import Conflict, NotFound
from apps.evaluations.models import Evaluation, Judgement
from apps.production.models import ProductionConversation, SampledConversation
from apps.production.sampling.queries.production_trend import TrendFilter, production_trends
from apps.production.sampling.services.drawing import draw_due
from apps.production.sampling.services.hand_picking import pick_by_hand
from tests.production.sampling_rows import NIGHT, arrived, many, phase, rule, score

NOW = NIGHT + timedelta(days=1)


@pytest.fixture(autouse=True)
def _inside(tenant: str) -> None:
    """All of it in a tenant, rolled back."""
    phase(tenant, sampling_floor=0)


def pick(one):
    return pick_by_hand(conversation_id=one, by="amina", now=NOW)


def test_it_is_judged_by_its_rule_and_enters_no_mean(judge_config: str):
    rule(judge_config, rate=0.0)
    one = arrived("chat 1", at=NIGHT + timedelta(hours=2))
    evaluation = Evaluation.objects.get(pk=pick(one))
    assert (evaluation.triggered_by, evaluation.judgements.get().conversation_id) == ("amina", one)
    assert SampledConversation.objects.get().basis == "hand_picked"
    score({one: 1.0})
    draw_due(now=NOW + timedelta(hours=1))
    (trend,) = production_trends(chosen=TrendFilter(), now=NOW)
    assert all(point.score is None for point in trend.points)


def test_it_is_judged_once_also_where_its_window_is_drawn_later(judge_config: str):
    rule(judge_config)
    one = arrived("chat 1", at=NIGHT + timedelta(hours=2))
    pick(one)
    with pytest.raises(Conflict, match="judged already"):
        pick(one)
    draw_due(now=NOW + timedelta(hours=1))
    assert Judgement.objects.filter(conversation=one).count() == 1


def test_who_picks_the_bad_ones_before_their_window_is_drawn_takes_none_out_of_the_mean(judge_config: str):
    rule(judge_config)
    good = many(35, at=NIGHT + timedelta(hours=2))
    bad = arrived("bad", at=NIGHT + timedelta(hours=2))
    pick(bad)
    draw_due(now=NOW + timedelta(hours=1))
    assert SampledConversation.objects.get(conversation=bad).basis == "share"
    score({**dict.fromkeys(good, 8.0), bad: 0.0})
    (trend,) = production_trends(chosen=TrendFilter(), now=NOW)
    (point,) = trend.points
    assert point.scored == 36
    assert point.estimate == pytest.approx(8.0 * 35 / 36)


def test_what_nobody_may_judge_is_refused_with_the_reason_and_owes_nothing(tenant: str, judge_config: str):
    one = arrived("chat 1", at=NIGHT)
    with pytest.raises(Conflict, match="No sampling rule"):
        pick(one)
    rule(judge_config, language="sw")
    with pytest.raises(Conflict, match="No sampling rule"):
        pick(one)
    ProductionConversation.objects.update(settled_at=None)
    with pytest.raises(Conflict, match="still goes on"):
        pick(one)
    ProductionConversation.objects.update(settled_at=NIGHT, deleted_at=NIGHT)
    with pytest.raises(Conflict, match="words were deleted"):
        pick(one)
    with pytest.raises(NotFound):
        pick(UUID(int=1))
    phase(tenant, 1)
    with pytest.raises(Conflict, match="phase 2"):
        pick(one)
    assert not Judgement.objects.exists()

"""A sampled conversation that scored far from what is usual becomes a candidate without any thumb."""

from datetime import timedelta

import pytest

from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.evaluations.models import CriterionScore, Judgement
from apps.production.intake.services.feedback import take_feedback
from apps.production.models import Promotion
from apps.production.promotion.services.promoting_feedback import enqueue_round, promote_feedback
from apps.production.sampling.domain.rates import LATE, WINDOW
from apps.production.sampling.services.drawing import draw_due
from apps.tenants.models import Tenant
from tests.production.sampling_rows import NIGHT, many, phase, rule, score

NOW = NIGHT + WINDOW + LATE


@pytest.fixture(autouse=True)
def _inside(tenant: str) -> None:
    """All of it in a tenant, rolled back."""
    Tenant.objects.filter(slug=tenant).update(vertical="salon")
    phase(tenant)


def test_scores_far_from_the_usual_ones_become_candidates_and_the_good_one_holds_what_it_passed(
    judge_config: str,
) -> None:
    rule(judge_config)
    ids = many(32, at=NIGHT + timedelta(hours=2))
    draw_due(now=NOW)
    assert enqueue_round(now=NOW)  # a sample is reason enough to look every week
    enqueue_judgements(now=NOW)
    bad, best, unrated = ids[:3]
    score({one: 7.0 + n % 3 / 2 for n, one in enumerate(ids)} | {bad: 3.0, best: 10.0, unrated: 10.0})
    take_feedback(body={"id": "up", "conversation_id": str(best), "rating": "up"}, now=NOW)
    judgement = Judgement.objects.get(conversation=best)
    criterion = next(iter(judgement.evaluation.snapshot["criteria"]))["name"]
    CriterionScore.objects.create(
        judgement=judgement, position=0, criterion=criterion, status="scored", scale="0-10", score=9.0, pass_mark=6.0,
        weight=1.0,
    )  # fmt: skip

    report = promote_feedback(now=NOW)
    assert report.surprising == 2
    rows = {row.conversation_id: row for row in Promotion.objects.select_related("scenario")}
    assert set(rows) == {bad, best}
    assert rows[bad].signals[0]["text"].startswith("the judge gave 3.0 where it usually gives 7.")
    assert (rows[bad].keeps_good, rows[best].keeps_good) == (False, True)
    assert rows[best].scenario.must_not == [{"criterion": criterion, "below": 6.0}]

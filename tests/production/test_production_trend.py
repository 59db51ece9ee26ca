"""What the page and the API say of sampled conversations: a mean of what was drawn by chance, and of nothing else."""

from datetime import timedelta

import pytest

from apps.dashboard.results.queries.production_scores import production_scores
from apps.production.intake.services.feedback import take_feedback
from apps.production.sampling.domain.rates import A_DAY, LATE
from apps.production.sampling.queries.production_trend import TrendFilter, production_trends
from apps.production.sampling.services.drawing import draw_due
from apps.reports.slices.queries.trends import EvaluationTrendFilter, trends_of_tests
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config
from tests.production.sampling_rows import NIGHT, many, phase, rule, score

NOW = NIGHT + A_DAY + LATE
WITHIN = NIGHT + timedelta(hours=2)


@pytest.fixture(autouse=True)
def _inside(tenant: str) -> None:
    """All of it in a tenant, rolled back."""
    phase(tenant, sampling_floor=0)


def page(**chosen: str):
    return production_scores(workflow_config(current_slug()), chosen=chosen, mark=6.0, now=NOW)


def test_a_day_has_a_mean_and_what_was_judged_apart_is_not_in_it(judge_config: str, django_assert_num_queries) -> None:
    rule(judge_config)
    good = many(36, at=WITHIN)
    draw_due(now=NOW)
    bad = many(3, at=NIGHT - timedelta(days=3), start=500)  # settled before the window: only their thumbs are in it
    for n, one in enumerate(bad):
        take_feedback(body={"id": f"d{n}", "conversation_id": str(one), "rating": "down"}, now=NOW)
    draw_due(now=NOW + timedelta(hours=12))
    score({**dict.fromkeys(good, 8.0), **dict.fromkeys(bad, 0.0)})
    with django_assert_num_queries(8):  # each of the four sets the schema first
        (trend,) = production_trends(chosen=TrendFilter(), now=NOW)
    (point,) = trend.points
    assert (point.status, point.score, point.scored, point.population) == ("ok", 8.0, 36, 36)
    found = page()
    assert found is not None
    assert found.rules[0].sentence == "24 Nov: 8.0 ± 0.0 on 36 judged conversations of 36."


def test_languages_and_prompts_have_their_own_trend(judge_config: str) -> None:
    rule(judge_config)
    en = many(10, at=WITHIN, version="booking@v1")
    sw = many(10, at=WITHIN, start=100, language="sw-KE", version="booking@v2")
    draw_due(now=NOW)
    score({**dict.fromkeys(en, 8.0), **dict.fromkeys(sw, 5.0)})
    by = {
        name: production_trends(chosen=chosen, now=NOW)[0].points[0].estimate
        for name, chosen in {
            "sw": TrendFilter(language="sw"), "v1": TrendFilter(prompt_version="booking@v1"), "all": TrendFilter(),
        }.items()
    }  # fmt: skip
    assert by == {"sw": 5.0, "v1": 8.0, "all": 6.5}
    assert production_trends(chosen=TrendFilter(config="another"), now=NOW) == []


def test_in_phase_one_the_page_does_not_speak_of_samples(tenant: str) -> None:
    phase(tenant, 1)
    assert page() is None


def test_out_of_money_the_page_says_not_sampled_and_no_older_mean(tenant: str, judge_config: str) -> None:
    rule(judge_config)
    many(36, at=WITHIN)
    draw_due(now=NOW)
    score(8.0)
    phase(tenant, sampling_floor=0, budget_month_usd=0)
    many(5, at=NOW + timedelta(hours=1), start=700)
    draw_due(now=NOW + timedelta(hours=7))
    found = page()
    assert found is not None
    assert found.rules[0].sentence.startswith("25 Nov: not sampled.")


def test_trends_of_tests_hold_no_production(judge_config: str) -> None:
    rule(judge_config)
    many(3, at=WITHIN)
    draw_due(now=NOW)
    score(8.0)
    assert trends_of_tests(EvaluationTrendFilter()) == []
    with pytest.raises(Exception, match="no kind with a trend"):
        EvaluationTrendFilter(kind="probe")

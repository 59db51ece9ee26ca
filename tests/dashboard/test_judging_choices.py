"""Who judges a run is chosen by what it is for, where nobody has chosen yet."""

import pytest

from apps.catalog.models import Scenario
from apps.dashboard.results.queries.starting import judging_choices
from tests.evaluations.bench import make_config
from tests.runs.stage import make_agent, make_scenarios

pytestmark = pytest.mark.usefixtures("tenant")


def suggested(agent: str = "bot", **more: object) -> list[str]:
    return [one.name for one in judging_choices(agent, **more) if one.suggested]  # type: ignore[arg-type]


def test_a_complaint_is_judged_by_the_config_that_scores_it() -> None:
    make_agent()
    make_scenarios(2)
    make_config(name="a-first", weights={"first": 1.0})
    make_config(name="b-second", weights={"first": 1.0, "second": 1.0})
    assert suggested() == [], "nobody has chosen, and there are two"
    Scenario.objects.filter(slug="s0").update(must_not=[{"criterion": "second", "below": 6}])
    assert suggested(scenarios=["s0"]) == ["b-second"]
    assert suggested(scenarios=["s1"]) == [], "nothing must not happen in it"
    Scenario.objects.filter(slug="s0").update(must_not=[{"criterion": "elsewhere", "below": 6}])
    assert suggested(scenarios=["s0"]) == [], "none scores it"

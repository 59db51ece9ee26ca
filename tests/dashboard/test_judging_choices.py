"""Who judges a run is chosen by what it is for, where nobody has chosen yet."""

import pytest

from apps.catalog.files.services.packs import load_pack
from apps.catalog.models import Scenario
from apps.evaluations.requests.queries.judging_choices import judging_choices
from tests.catalog.samples import NOW
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
    assert suggested() == ["b-second"], "nobody has chosen: the newest"
    Scenario.objects.filter(slug="s0").update(must_not=[{"criterion": "second", "below": 6}])
    assert suggested(scenarios=["s0"]) == ["b-second"]
    Scenario.objects.filter(slug="s0").update(must_not=[{"criterion": "elsewhere", "below": 6}])
    assert suggested(scenarios=["s0"]) == ["b-second"], "none scores it: the newest"


def test_scenarios_of_a_pack_are_judged_by_its_config() -> None:
    for pack in ("hotel", "service-booking"):
        load_pack(pack, at=NOW)
    assert suggested(scenarios=["hotel_stanotte", "hotel_cancellare"]) == ["hotel-stay"]
    assert suggested(scenarios=["booking_braids_in_a_hurry"]) == ["booking-quality"]

"""A scenario that names nobody is played by the default persona of its language, at every door."""

from pathlib import Path
from typing import Any

import pytest

from apps.catalog.files.services.exporting import export_catalog
from apps.catalog.files.services.importing import import_catalog, import_catalog_files
from apps.catalog.files.services.packs import load_pack
from apps.catalog.models import Persona, Scenario
from apps.core.errors import BadInput
from apps.dashboard.results.queries.starting import start_choices
from apps.runs.models import Conversation
from apps.runs.playing.services.starting import start_battles
from tests.catalog.samples import NOW
from tests.runs.stage import make_agent

HAPPY = """# as its authors wrote it
id: spa_booking_swahili_happy
language: sw # gates SwahiliFluencyMetric
assertions:
- metric: SwahiliFluencyMetric
  threshold: 0.80
- metric: BookingSlotConsistencyMetric # language-agnostic
  threshold: 1.0
"""
NAME = "spa_booking_swahili_happy"


@pytest.fixture
def stocked(tenant: object) -> None:
    load_pack("service-booking", at=NOW)
    make_agent("Karibu!")


def played(scenarios: Any, **more: Any) -> dict[str, Any]:
    simulator = {"provider": "offline", "model": "offline"}
    run = start_battles(agent="bot", scenarios=scenarios, simulator=simulator, stagger_s=(0.0, 0.0), now=NOW, **more)
    return {row.external_id: row for row in Conversation.objects.filter(run_id=run).select_related("persona")}


def test_a_scenario_that_names_nobody_plays_by_name_and_among_all(stocked: None) -> None:
    import_catalog_files(files={"a.yaml": HAPPY}, at=NOW)
    assert Scenario.objects.get(slug=NAME).persona is None
    for scenarios in ([NAME], "all"):
        row = played(scenarios)[NAME]
        assert (row.persona.name, row.spec["persona_name"], row.spec["language"]) == ("default-sw", "default-sw", "sw")
    assert Scenario.objects.get(slug=NAME).persona is None
    assert NAME in {row.slug for row in start_choices().scenarios}


def test_it_plays_where_it_came_with_the_run(stocked: None) -> None:
    row = played([NAME], catalog={"a.yaml": HAPPY})[NAME]
    assert (row.persona.name, [one["metric"] for one in row.spec["assertions"]]) == (
        "default-sw",
        ["SwahiliFluencyMetric", "BookingSlotConsistencyMetric"],
    )


def test_without_a_default_or_a_fit_one_it_says_who_is_missing(stocked: None) -> None:
    bare = HAPPY.replace("language: sw", "language: de")
    with pytest.raises(BadInput, match="no persona of its own, and there is no default-de"):
        played([NAME], catalog={"a.yaml": bare})
    Persona.objects.filter(name="default-sw").update(status="archived")
    with pytest.raises(BadInput, match="'default-sw' is archived"):
        played([NAME], catalog={"a.yaml": HAPPY})


@pytest.mark.parametrize("written, kept", [("off", "off"), ("'off'", "off"), ("auto", None)])
def test_a_scenario_says_whether_its_language_brings_a_fluency_metric(
    stocked: None, tmp_path: Path, written: str, kept: Any
) -> None:
    import_catalog_files(files={"a.yaml": f"{HAPPY}fluency: {written}\n"}, at=NOW)
    assert played([NAME])[NAME].spec.get("fluency") == kept
    export_catalog(path=tmp_path / "all.yaml")
    assert not import_catalog(paths=[tmp_path / "all.yaml"], at=NOW).changed
    with pytest.raises(BadInput, match="/fluency"):
        import_catalog_files(files={"a.yaml": f"{HAPPY}fluency: maybe\n"}, at=NOW)

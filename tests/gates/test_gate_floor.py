"""The server's floor: what asks less is refused with its field; a floor is set by a person."""

import pytest
from django.test import Client

from apps.audit.models import Entry
from apps.gates.models import GateFloor
from apps.tenants.context import in_tenant
from tests.api.api_client import Door
from tests.api.conftest import acme  # noqa: F401 - fixtures
from tests.dashboard.conftest import signed_in
from tests.gates.gate_rows import body, level, scored
from tests.gates.sides import BASE


@pytest.fixture
def asked(acme: Door) -> dict[str, object]:  # noqa: F811 - the fixture
    with in_tenant("acme"):
        return body(scored(level(8)), scored(level(8), commit=BASE))


def floor(**fields: object) -> None:
    with in_tenant("acme"):
        GateFloor.objects.create(agent="booking", **fields)


@pytest.mark.parametrize(
    "looser, pointer",
    [
        ({"policy": {"margin": 10}}, "/policy/margin"),
        ({"policy": {"undecided": "pass"}}, "/policy/undecided"),
        ({"policy": {"hard": "new"}}, "/policy/hard"),
        ({"policy": {"soft_checks": ["latency_regression", "x"]}}, "/policy/soft_checks"),
        ({"policy": {"hard_checks": []}}, "/policy/hard_checks"),
        ({"policy": {"hard_checks": ["latency"]}}, "/policy/hard_checks"),
        ({"policy": {"latency_margin_s": 60}}, "/policy/latency_margin_s"),
        ({"policy": {"tokens_margin": 5}}, "/policy/tokens_margin"),
        ({"policy": {"alpha": 0.001}}, "/policy/alpha"),
        ({"policy": {"require_certificate": False}}, "/policy/require_certificate"),
        ({"budget_usd": 21}, "/budget_usd"),
    ],
)
def test_a_looser_question_is_refused_with_its_field(
    acme: Door,  # noqa: F811 - the fixture
    asked: dict[str, object],
    looser: dict[str, object],
    pointer: str,
) -> None:
    floor(policy={"margin": 0.3, "require_certificate": True, "hard_checks": ["ScenarioToolsMetric"]}, budget_usd=20)
    refused = acme.post("gates/", {**asked, **looser})
    assert (refused.status_code, refused.json()["code"]) == (422, "looser_than_the_floor")
    assert refused.json()["pointer"] == pointer
    assert "the floor says" in refused.json()["detail"]
    assert acme.get("gates/").json()["results"] == []


def test_what_is_not_asked_is_the_floors_and_stricter_is_taken(
    acme: Door,  # noqa: F811 - the fixture
    asked: dict[str, object],
) -> None:
    floor(policy={"margin": 0.3}, budget_usd=20)
    gate = acme.get(acme.post("gates/", asked).json()["status_url"]).json()
    assert (gate["policy"]["margin"], gate["budget_usd"], gate["floor"]["policy"]["margin"]) == (0.3, 20.0, 0.3)
    stricter = {
        **asked,
        "policy": {"margin": 0.2, "require_certificate": True, "hard_checks": ["ScenarioToolsMetric"]},
        "budget_usd": 3,
    }
    assert acme.post("gates/", stricter).status_code == 202


def test_another_judge_than_the_floors_is_refused(acme: Door, asked: dict[str, object]) -> None:  # noqa: F811 - the fixture
    floor(evaluator_config="tea-service@1")
    refused = acme.post("gates/", asked)
    assert (refused.status_code, refused.json()["pointer"]) == (422, "/candidate/evaluation")
    assert "probe@1" in refused.json()["detail"]
    with in_tenant("acme"):
        GateFloor.objects.update(evaluator_config="probe")
    assert acme.post("gates/", asked).status_code == 202


def test_without_a_floor_the_answer_says_so_and_names_what_is_looser_than_usual(
    acme: Door,  # noqa: F811 - the fixture
    asked: dict[str, object],
) -> None:
    gate = acme.get(acme.post("gates/", {**asked, "policy": {"margin": 10}}).json()["status_url"]).json()
    assert gate["floor"] is None
    _offline, note = gate["notes"]
    assert "Nobody had set the least that this agent's gates must ask" in note
    assert "margin 10" in note
    floor(policy={"margin": 0.3})
    assert note in acme.get(f"gates/{gate['id']}/").json()["notes"], "true also after somebody set one"


def test_a_curator_sets_a_floor_and_the_trail_names_them(acme: Door) -> None:  # noqa: F811 - the fixture
    curator = signed_in("carla", "view_gatefloor", "add_gatefloor", "change_gatefloor")
    page = "/admin/gates/gatefloor/add/"
    wrong = curator.post(page, {"agent": "booking", "margin": "much"})
    assert wrong.status_code == 200
    assert "margin" in wrong.content.decode()
    assert curator.post(page, {"agent": "booking", "evaluator_config": "nobody"}).status_code == 200
    fields = {"agent": "booking", "evaluator_config": "tea-service", "margin": "0.3", "soft_checks": "[a, b]",
              "budget_usd": "5"}  # fmt: skip
    assert curator.post(page, fields).status_code == 302
    (one,) = acme.get("gates/floors/?agent=booking").json()["results"]
    assert (one["policy"]["margin"], one["policy"]["soft_checks"], one["budget_usd"]) == (0.3, ["a", "b"], 5.0)
    assert (one["evaluator_config"], one["evaluator_config_version"]) == ("tea-service", "tea-service@1")
    with in_tenant("acme"):
        entry = Entry.objects.filter(table_name="gates_gatefloor").latest("pk")
    assert "carla" in str(vars(entry))


def test_a_viewer_sets_none(acme: Door) -> None:  # noqa: F811 - the fixture
    viewer: Client = signed_in("vera", "view_gatefloor")
    assert viewer.post("/admin/gates/gatefloor/add/", {"agent": "booking"}).status_code == 403

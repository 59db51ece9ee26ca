"""Scenarios over the API: what waits for a person, who let it play, and what it came from."""

import pytest

from apps.api.services.keys import add_api_key
from apps.catalog.models import Criterion, Persona, Scenario
from apps.gates.models import PreventedFailure, PullRequestGate
from apps.production.models import Promotion
from apps.tenants.context import in_tenant
from apps.tenants.domain.roles import KeyScope
from apps.tenants.models import Tenant
from tests.api.api_client import Door, conversation, evaluation
from tests.catalog.samples import NOW

LIST_QUERIES = 8  # the key and the tenant's schema among them
MUST_NOT = [{"criterion": "price_clarity", "below": 6}]


@pytest.fixture
def candidate(acme: Door) -> dict:
    Tenant.objects.filter(slug="acme").update(vertical="salon")
    with in_tenant("acme"):
        Criterion.objects.get_or_create(name="price_clarity")
    posted = acme.post("production/conversations/", conversation("chat-1") | {"ended": True}).json()
    acme.post("feedback/", {"id": "f-1", "conversation_id": "chat-1", "rating": "down"})
    made = acme.post("promotions/", {"conversation_id": posted["conversation_id"], "feedback_id": "f-1"})
    assert made.status_code == 201, made.content
    return made.json()


def at(candidate: dict, verb: str = "") -> str:
    return f"scenarios/{candidate['scenario_id']}/{verb}"


def test_the_list_is_filtered_by_state_and_origin(acme: Door, candidate: dict) -> None:
    everything = acme.get("scenarios/").json()["results"]
    assert (everything[0]["id"], len(everything)) == (candidate["scenario_id"], 2)
    waiting = acme.get("scenarios/?status=candidate").json()["results"]
    assert [(one["id"], one["origin"], one["prevented"]) for one in waiting] == [
        (candidate["scenario_id"], "production", 0)
    ]
    assert acme.get("scenarios/?origin=production&status=released").json()["results"] == []
    assert len(acme.get("scenarios/?origin=").json()["results"]) == 1
    for wrong in ("status=waiting", "state=candidate"):
        assert acme.get(f"scenarios/?{wrong}").status_code == 400
    first = acme.get("scenarios/?limit=1").json()
    assert len(acme.get(first["next"]).json()["results"]) == 1


def test_pages_cost_the_same_however_many_scenarios_there_are(acme: Door, django_assert_num_queries) -> None:
    with in_tenant("acme"):
        persona = Persona.objects.all()[0]
    acme.get("scenarios/")  # the key's last use is written down, sometimes
    for count in (1, 40):
        with in_tenant("acme"):
            Scenario.objects.bulk_create(Scenario(slug=f"s{count}-{n}", persona=persona) for n in range(count))
        with django_assert_num_queries(LIST_QUERIES):
            assert acme.get("scenarios/").status_code == 200


def test_one_says_where_it_came_from(acme: Door, candidate: dict) -> None:
    found = acme.get(at(candidate)).json()
    assert found["provenance"]["conversation_id"]
    assert len(found["provenance"]["feedback"]) == 1
    assert found["promotion_id"] == candidate["promotion_id"]
    assert (found["can_fail"], found["release"], found["masking_blocked"]) == (False, None, False)
    promotion = acme.get(f"promotions/{candidate['promotion_id']}/").json()
    assert (promotion["status"], promotion["masking"]) == ("candidate", "clean")
    assert promotion["signals"][0]["kind"] == "thumbs_down"
    assert [turn["role"] for turn in promotion["transcript"]] == ["user", "assistant"]


def test_it_plays_once_it_says_what_must_not_happen_again(acme: Door, candidate: dict) -> None:
    refused = acme.post(at(candidate, "release/"))
    assert (refused.status_code, refused.json()["code"]) == (409, "nothing_must_not_happen")
    released = acme.post(at(candidate, "release/"), {"must_not": MUST_NOT})
    assert released.status_code == 200, released.content
    assert (released.json()["status"], released.json()["must_not"]) == ("released", MUST_NOT)
    assert released.json()["release"]["by"].startswith("key ")
    assert released.json()["provenance"]["conversation_id"]
    again = acme.post(at(candidate, "release/"), {"must_not": MUST_NOT})
    assert (again.status_code, again.json()["release"]) == (200, released.json()["release"])
    assert acme.post(at(candidate, "release/")).status_code == 200
    other = acme.post(at(candidate, "release/"), {"must_not": [{"criterion": "price_clarity", "below": 1}]})
    assert (other.status_code, other.json()["code"]) == (409, "already_released")
    assert acme.get(f"promotions/{candidate['promotion_id']}/").json()["status"] == "released"


def test_what_is_archived_is_played_no_more_and_may_come_back(acme: Door, candidate: dict) -> None:
    assert acme.post(at(candidate, "archive/")).json()["status"] == "archived"
    again = acme.post(at(candidate, "archive/"))
    assert (again.status_code, again.json()["code"]) == (409, "already_archived")
    assert acme.post(at(candidate, "release/"), {"must_not": MUST_NOT}).json()["status"] == "released"


def test_masking_that_nobody_looked_at_keeps_it_back(acme: Door, candidate: dict) -> None:
    with in_tenant("acme"):
        Promotion.objects.update(residues=[{"kind": "digits", "turn": 0, "quote": "seven one two"}])
    refused = acme.post(at(candidate, "release/"), {"must_not": MUST_NOT})
    assert (refused.status_code, refused.json()["code"]) == (409, "masking_not_cleared")
    assert acme.get(at(candidate)).json()["must_not"] == []
    shown = acme.get(f"promotions/{candidate['promotion_id']}/")
    assert (shown.json()["masking"], b"seven one two" in shown.content) == ("blocked", False)


@pytest.mark.parametrize(
    "body, status, code, pointer",
    [
        ({"must_not": [{"criterion": "nobody", "below": 6}]}, 422, "unknown_criterion", "/must_not/0/criterion"),
        ({"must_not": [{"criterion": "price_clarity", "below": 11}]}, 400, "invalid", "/must_not/0/below"),
        ({"must_not": MUST_NOT * 2}, 400, "invalid", "/must_not/1/criterion"),
        ({"by": "somebody else"}, 400, "unknown_field", "/by"),
    ],
)
def test_what_is_wrong_is_told_at_its_place(acme: Door, candidate: dict, body, status, code, pointer) -> None:
    answer = acme.post(at(candidate, "release/"), body)
    found = answer.json()
    assert (answer.status_code, found["code"], found["pointer"]) == (status, code, pointer)
    assert acme.get(at(candidate)).json()["status"] == "candidate"


def test_a_key_of_continuous_integration_releases_nothing(acme: Door, candidate: dict) -> None:
    with in_tenant("acme"):
        ci = Door("acme", add_api_key(scopes=[KeyScope.READ, KeyScope.WRITE]).secret)
    assert ci.get(at(candidate)).status_code == 200
    for verb in ("release/", "archive/"):
        refused = ci.post(at(candidate, verb), {"must_not": MUST_NOT})
        assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")


def test_how_often_a_gate_stopped_it_is_counted(acme: Door, candidate: dict) -> None:
    judged = acme.post("evaluations/", evaluation("c-2")).json()["id"]
    with in_tenant("acme"):
        gate = PullRequestGate.objects.create(
            candidate_id=judged,
            agent="waiter", kind="advisory", commit="abcdef0", status="decided", decision="fail", decided_at=NOW,
            sentence="x", document={"exit_code": 1}, policy={},
        )  # fmt: skip
        PreventedFailure.objects.create(
            gate=gate, scenario_id=candidate["scenario_id"], slug=candidate["scenario"], why="price_clarity 2"
        )
    assert acme.get(at(candidate)).json()["prevented"] == 1
    assert acme.get("scenarios/?origin=production").json()["results"][0]["prevented"] == 1

"""What a pull request alters of what decides is told, and accepted by a person for one commit; never by a key."""

import pytest
from django.utils import timezone

from apps.gates.models import GateAcceptance, GateFloor
from apps.gates.services.deciding import decide_due_gates
from apps.tenants.context import in_tenant
from tests.api.api_client import Door
from tests.api.conftest import acme  # noqa: F401 - fixtures
from tests.dashboard.conftest import signed_in
from tests.gates.gate_rows import body, level, scored
from tests.gates.sides import BASE

CHANGES = [
    {"kind": "rule", "name": "margin", "before": "0.5", "after": "10"},
    {"kind": "config", "name": "evaluator_config", "before": "probe", "after": "lenient"},
    *({"kind": "scenario", "name": f"case-{at:02}", "what": "2 removed", "less": True, "digest": f"{at:064x}"}
      for at in range(12)),
    {"kind": "file", "name": "<b>@all</b>.py"},
]  # fmt: skip


@pytest.fixture
def asked(acme: Door) -> dict[str, object]:  # noqa: F811 - the fixture
    with in_tenant("acme"):
        return body(scored(level(8)), scored(level(8), commit=BASE), changes=CHANGES)


def decided(acme: Door, asked: dict[str, object]) -> dict[str, object]:  # noqa: F811 - the fixture
    taken = acme.post("gates/", asked)
    assert taken.status_code == 202, taken.json()
    with in_tenant("acme"):
        decide_due_gates(now=timezone.now())
    found: dict[str, object] = acme.get(taken.json()["status_url"]).json()
    return found


def test_the_comment_names_what_the_change_alters(acme: Door, asked: dict[str, object]) -> None:  # noqa: F811 - the fixture
    gate = decided(acme, asked)
    for text in (gate["markdown"], gate["terminal"]):
        assert "12 scenarios assert less than at the merge base" in str(text)
        assert "The versions of the merge base judged it" in str(text)
    assert "margin 0.5 → 10" in str(gate["terminal"])
    assert "probe → lenient" in str(gate["terminal"])
    assert "<b>" not in str(gate["markdown"])
    report = acme.get(f"gates/{gate['id']}/report/").content.decode()
    assert "12 scenarios assert less" in report
    assert "12 scenarios assert less" in acme.get(f"gates/{gate['id']}/junit/").content.decode()


def test_a_curator_accepts_on_the_page_and_a_key_never_does(
    acme: Door,  # noqa: F811 - the fixture
    asked: dict[str, object],
) -> None:
    gate = decided(acme, asked)
    path, seen = f"gates/{gate['id']}/acceptance/", {"seen": gate["changes_digest"]}
    refused = acme.post(path, seen)
    assert (refused.status_code, refused.json()["code"]) == (403, "no_person")
    assert acme.signed(path, seen, acme.secret).status_code == 403
    viewer = signed_in("vera", "view_pullrequestgate")
    assert viewer.post(f"/gates/{gate['id']}/accept/", seen).status_code == 403
    curator = signed_in("carla", "view_pullrequestgate", "add_gateacceptance")
    assert "Accept for this commit" in curator.get(f"/gates/{gate['id']}/").content.decode()
    curator.post(f"/gates/{gate['id']}/accept/", {"seen": "another"})
    with in_tenant("acme"):
        assert not GateAcceptance.objects.exists()
    curator.post(f"/gates/{gate['id']}/accept/", {**seen, "note": "agreed on Monday"})
    page = curator.get(f"/gates/{gate['id']}/").content.decode()
    assert "by carla for commit" in page
    assert "Accept for this commit" not in page
    (one,) = acme.get(f"gates/acceptances/?agent=booking&commit={asked['commit']}").json()["results"]
    assert (one["accepted_by"], one["note"], len(one["changes"])) == ("carla", "agreed on Monday", len(CHANGES))


def test_an_acceptance_lets_exactly_these_changes_of_this_commit_through(
    acme: Door,  # noqa: F811 - the fixture
    asked: dict[str, object],
) -> None:
    with in_tenant("acme"):
        GateFloor.objects.create(agent="booking", policy={"margin": 0.5})
    first = decided(acme, asked)
    lenient = {**asked, "policy": {"margin": 10}}
    assert acme.post("gates/", lenient).status_code == 422
    curator = signed_in("carla", "view_pullrequestgate", "add_gateacceptance")
    curator.post(f"/gates/{first['id']}/accept/", {"seen": first["changes_digest"]})
    with in_tenant("acme"):
        acceptance = str(GateAcceptance.objects.get().pk)
    accepted = decided(acme, {**lenient, "acceptance": acceptance})
    assert accepted["policy"]["margin"] == 10
    assert "carla accepted" in str(accepted["terminal"])
    for other in ({"policy": {"margin": 9}}, {"policy": {"margin": 10, "undecided": "pass"}}):
        assert acme.post("gates/", {**lenient, **other, "acceptance": acceptance}).status_code == 422
    more = [*CHANGES, {"kind": "scenario_removed", "name": "case-99"}]
    refused = acme.post("gates/", {**lenient, "acceptance": acceptance, "changes": more})
    assert (refused.status_code, refused.json()["code"]) == (422, "not_accepted")
    with in_tenant("acme"):
        later = body(scored(level(8), commit="d" * 40), scored(level(8), commit=BASE), changes=CHANGES)
    refused = acme.post("gates/", {**later, "commit": "d" * 40, "acceptance": acceptance})
    assert (refused.status_code, refused.json()["pointer"]) == (422, "/acceptance")

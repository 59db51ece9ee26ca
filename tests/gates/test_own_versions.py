"""Altered scenarios as a commit has them: shown beside the decision in every output, and deciding nothing."""

import pytest
from django.db import ProgrammingError, transaction
from django.utils import timezone

from apps.gates.models import GateOwnVersions
from apps.gates.services.deciding import decide_due_gates
from apps.tenants.context import in_tenant
from tests.api.api_client import Door
from tests.api.conftest import acme  # noqa: F401 - fixtures
from tests.dashboard.conftest import signed_in
from tests.gates.gate_rows import body, level, scored
from tests.gates.sides import BASE

CHANGES = [{"kind": "scenario", "name": "case-00", "what": "2 removed", "less": True, "digest": "0" * 64}]


@pytest.fixture
def gate(acme: Door) -> str:  # noqa: F811 - the fixture
    """A gate that fails; its candidate loses everywhere."""
    with in_tenant("acme"):
        asked = body(scored(level(4)), scored(level(8), commit=BASE), changes=CHANGES)
    taken = acme.post("gates/", asked)
    with in_tenant("acme"):
        decide_due_gates(now=timezone.now())
    return str(taken.json()["id"])


def own(score: float, *names: str, **more: object) -> dict[str, str]:
    with in_tenant("acme"):
        return {"evaluation": str(scored(dict.fromkeys(names, score), **more).pk)}  # type: ignore[arg-type]


def test_they_are_shown_beside_the_decision_in_every_output_and_decide_nothing(acme: Door, gate: str) -> None:  # noqa: F811 - the fixture
    before = acme.get(f"gates/{gate}/").json()
    assert (before["decision"], before["own_versions"]) == ("fail", None)
    added = acme.post(f"gates/{gate}/own-versions/", own(9.0, "case-00", "case-01"))
    assert added.status_code == 201, added.json()
    after = added.json()
    assert [after[name] for name in ("decision", "digest", "exit_code")] == [
        before[name] for name in ("decision", "digest", "exit_code")
    ]
    row = after["own_versions"]["cases"][0]
    assert (row["id"], row["own"]["outcome"], row["deciding"]["outcome"]) == ("case-00", "pass", "fail")
    said = "2 scenarios that this change alters were also played as this commit has them"
    report = acme.get(f"gates/{gate}/report/").content.decode()
    junit = acme.get(f"gates/{gate}/junit/").content.decode()
    page = signed_in("vera", "view_pullrequestgate").get(f"/gates/{gate}/").content.decode()
    for text in (after["markdown"], after["terminal"], report, junit, page):
        assert said in text
        assert "passes (9.00)" in text.replace("\\", "")
        assert "fails (4.00)" in text.replace("\\", "")
    assert "| case" in after["markdown"]


def test_what_was_left_out_says_why(acme: Door, gate: str) -> None:  # noqa: F811 - the fixture
    why = "they cost about $0.30, and $0.10 of the budget is left"
    after = acme.post(f"gates/{gate}/own-versions/", {"left_out": why}).json()
    assert after["own_versions"]["evaluation"] is None
    assert "about" in after["markdown"]
    assert f"were not played as the commit has them: {why}." in after["terminal"]


@pytest.mark.parametrize("how", ["neither", "both", "commit", "decided", "twice", "missing"])
def test_bad_input_is_refused_in_words(acme: Door, gate: str, how: str) -> None:  # noqa: F811 - the fixture
    path = f"gates/{gate}/own-versions/"
    if how == "twice":
        assert acme.post(path, {"left_out": "no money"}).status_code == 201
    decided = {"evaluation": acme.get(f"gates/{gate}/").json()["candidate"]["evaluation"]}
    missing = {"evaluation": "00000000-0000-0000-0000-000000000000"}
    asked, status, code = {
        "neither": ({}, 400, "played_or_left_out"),
        "both": ({**decided, "left_out": "no money"}, 400, "played_or_left_out"),
        "commit": (own(9.0, "case-00", commit=BASE), 400, "other_commit"),
        "decided": (decided, 400, "same_evaluation"),
        "twice": ({"left_out": "no money"}, 409, "added_already"),
        "missing": (missing, 404, "not_found"),
    }[how]
    refused = acme.post(path, asked)
    assert (refused.status_code, refused.json()["code"]) == (status, code)


def test_what_has_not_ended_is_not_taken_yet(acme: Door, gate: str) -> None:  # noqa: F811 - the fixture
    refused = acme.post(f"gates/{gate}/own-versions/", own(9.0, "case-00", status="running"))
    assert (refused.status_code, refused.json()["code"]) == (409, "not_ended")


def test_the_database_keeps_them_as_they_were(acme: Door, gate: str) -> None:  # noqa: F811 - the fixture
    acme.post(f"gates/{gate}/own-versions/", {"left_out": "no money"})
    with in_tenant("acme"), pytest.raises(ProgrammingError), transaction.atomic():
        GateOwnVersions.objects.update(left_out="other")

"""Gates over the API: asked, read, listed, found a baseline for."""

from xml.etree import ElementTree

import pytest
from django.utils import timezone

from apps.gates.services.deciding import decide_due_gates
from apps.tenants.context import in_tenant
from tests.api.api_client import Door
from tests.api.conftest import acme, beta  # noqa: F401 - fixtures
from tests.gates.gate_rows import body, level, scored
from tests.gates.sides import BASE, HEAD


def test_a_gate_is_asked_for_and_read(acme: Door) -> None:  # noqa: F811 - the fixture
    with in_tenant("acme"):
        asked = body(scored(level(8)), scored(level(8), commit=BASE), title="<b>Greet</b> @all", budget_usd=20)
    taken = acme.post("gates/", asked, idempotency_key="pr-12")
    assert taken.status_code == 202
    assert acme.post("gates/", asked, idempotency_key="pr-12").json() == taken.json()
    waiting = acme.get(taken.json()["status_url"])
    assert (waiting.json()["decision"], waiting.json()["status"]) == (None, "pending")
    for file in ("junit", "report"):
        assert acme.get(f"gates/{taken.json()['id']}/{file}/").status_code == 409
    with in_tenant("acme"):
        assert decide_due_gates(now=timezone.now()) == 1
    found = acme.get(taken.json()["status_url"]).json()
    assert (found["decision"], found["exit_code"], found["blocks"]) == ("pass", 0, False)
    assert found["url"] == f"http://acme.localhost/gates/{found['id']}/"
    assert "<b>" not in found["markdown"]
    junit = acme.get(f"gates/{found['id']}/junit/")
    assert junit["content-type"].startswith("application/xml")
    assert ElementTree.fromstring(junit.content)[0].get("failures") == "0"  # noqa: S314 - our own
    report = acme.get(f"gates/{found['id']}/report/")
    assert report["content-type"].startswith("text/html")
    assert "attachment" in report["content-disposition"]
    assert "<b>Greet" not in report.content.decode()
    assert [one["id"] for one in acme.get(f"gates/?commit={HEAD}").json()["results"]] == [found["id"]]
    assert acme.get("gates/?agent=nobody").json()["results"] == []


@pytest.mark.parametrize(
    "change, pointer",
    [
        ({"commit": "main; rm -rf"}, "/commit"),
        ({"policy": {"margin": -1}}, "/policy/margin"),
        ({"policy": {"undecided": "maybe"}}, "/policy/undecided"),
        ({"kind": "hard"}, "/kind"),
        ({"budget_usd": -2}, "/budget_usd"),
        ({"candidate": {"evaluation": "x"}}, "/candidate/evaluation"),
        ({"candidates": 1}, "/candidates"),
    ],
)
def test_bad_bodies_name_the_field(acme: Door, change: dict[str, object], pointer: str) -> None:  # noqa: F811 - the fixture
    with in_tenant("acme"):
        asked = body(scored(level(8)), None)
    answer = acme.post("gates/", {**asked, **change})
    assert (answer.status_code, answer.json()["pointer"]) == (400, pointer)
    assert acme.get("gates/").json()["results"] == []


def test_another_tenants_evaluation_is_not_there(acme: Door, beta: Door) -> None:  # noqa: F811 - fixtures
    with in_tenant("acme"):
        asked = body(scored(level(8)), None)
    answer = beta.post("gates/", asked)
    assert (answer.status_code, answer.json()["pointer"]) == (404, "/candidate/evaluation")


def test_baselines_of_a_commit(acme: Door) -> None:  # noqa: F811 - the fixture
    with in_tenant("acme"):
        baseline = scored(level(8), commit=BASE)
    (found,) = acme.get(f"gates/baselines/?agent=booking&commit={BASE}").json()["results"]
    assert found["evaluation"] == str(baseline.pk)
    assert acme.get("gates/baselines/?agent=booking").json()["pointer"] == "/commit"

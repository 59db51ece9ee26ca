"""The page of a gate: the decision first, links to both transcripts, and what is waited for."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.evaluations.models import Evaluation
from apps.gates.domain.policy import GatePolicy
from apps.gates.services.deciding import decide_due_gates
from apps.gates.services.requesting import GateQuestion, request_gate
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import signed_in
from tests.evaluations.bench import NOW
from tests.gates.gate_rows import level, scored
from tests.gates.sides import BASE, HEAD

TITLE = "<script>alert(1)</script> Greet in sheng"


def gate(candidate: Evaluation, baseline: Evaluation | None, **more: Any) -> str:
    """Asked and, where it can be, decided; its address."""
    question = GateQuestion(
        agent="booking", commit=HEAD, base_commit=BASE, candidate=candidate.pk,
        baseline=baseline.pk if baseline else None, title=TITLE, **more,
    )  # fmt: skip
    row = request_gate(question, GatePolicy())
    decide_due_gates(now=NOW, gate_id=row)
    return f"/gates/{row}/"


def shown(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_worse_says_so_first_and_leads_to_both_transcripts(owner: Client) -> None:
    with in_tenant("acme"):
        candidate = scored({**level(8), **{f"case-{at:02}": 3.0 for at in range(10)}})
        baseline = scored(level(8), commit=BASE)
        path = gate(candidate, baseline)
    page = shown(owner, path)
    assert page.index("Must not pass: worse.") < page.index("Can it be believed?") < page.index("Cases that changed")
    assert "The score fell by 4.17" in page
    assert page.count(f"/comparisons/pair/?a={baseline.pk}&amp;b={candidate.pk}&amp;right=") == 10
    assert "<script>alert" not in page
    link = page.split("/comparisons/pair/?", 1)[1].split('"', 1)[0].replace("&amp;", "&")
    assert owner.get(f"/comparisons/pair/?{link}").status_code == 200


def test_a_gate_that_waits_says_for_what_and_asks_again(owner: Client) -> None:
    with in_tenant("acme"):
        path = gate(scored(level(8), status="running"), None)
    page = shown(owner, path)
    assert "It waits: the candidate&#x27;s evaluation is running." in page
    assert 'hx-trigger="every 3s"' in page
    assert "<html" not in shown(owner_of_part(owner), path)


def owner_of_part(client: Client) -> Client:
    """As htmx asks."""
    client.defaults["HTTP_HX_REQUEST"] = "true"
    return client


def test_without_a_baseline_nothing_is_compared_and_the_page_says_why(owner: Client) -> None:
    with in_tenant("acme"):
        path = gate(scored(level(8)), None)
    page = shown(owner, path)
    assert "There is no baseline of bbbbbbbbbbbb" in page
    assert "Nothing was compared" in page
    assert "every 3s" not in page


def test_the_list_shows_each_decision_and_an_empty_one_says_what_to_do(owner: Client) -> None:
    assert "No gate yet." in shown(owner, "/admin/gates/pullrequestgate/")
    with in_tenant("acme"):
        path = gate(scored(level(8)), scored(level(8), commit=BASE))
    page = shown(owner, "/admin/gates/pullrequestgate/")
    assert path in page
    assert "no loss" in page


@pytest.mark.parametrize("path", ["{gate}", "/admin/gates/pullrequestgate/"])
def test_queries_are_constant(owner: Client, path: str) -> None:
    counts = []
    for n in (6, 30):
        with in_tenant("acme"):
            one = gate(scored(level(8, n)), scored(level(4, n), commit=BASE))
        shown(owner, path.format(gate=one))
        with CaptureQueriesContext(connection) as queries:
            shown(owner, path.format(gate=one))
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 24


def test_whoever_may_not_see_gates_sees_none(db: None) -> None:
    with in_tenant("acme"):
        path = gate(scored(level(8)), None)
    assert signed_in("reader", "view_evaluation").get(path).status_code == 403
    assert signed_in("viewer", "view_pullrequestgate").get(path).status_code == 200

"""What a run would cost, asked before it is started."""

from apps.evaluations.models import Evaluation
from apps.runs.models import Conversation, TestRun
from apps.tenants.context import in_tenant
from tests.runs.stage import make_agent, make_scenarios


def rows() -> int:
    with in_tenant("acme"):
        return TestRun.objects.count() + Conversation.objects.count() + Evaluation.objects.count()


def test_it_is_that_of_the_run_that_would_be_started_and_nothing_is(acme):
    with in_tenant("acme"):
        make_agent()
        make_scenarios(3)
    before = rows()
    body = {"kind": "battle", "agent": "bot", "scenarios": ["s0", "s2"], "repeats": 4}
    answer = acme.post("test-runs/forecast/", body)
    found = answer.json()
    assert (answer.status_code, found["conversations"], found["confirm"], found["confirm_above_usd"]) == (
        200,
        8,
        False,
        10,
    )
    assert [part["part"] for part in found["parts"]] == ["simulated customers"]
    assert found["minutes"] is None, "none was played yet: nobody knows"
    assert rows() == before


def test_what_would_not_start_has_no_forecast(acme):
    with in_tenant("acme"):
        make_agent()
        make_scenarios()
    refused = acme.post("test-runs/forecast/", {"kind": "battle", "agent": "bot", "scenarios": ["nothing"]})
    assert (refused.status_code, refused.json()["code"]) == (422, "unknown_scenarios")
    unknown = acme.post(
        "test-runs/forecast/", {"kind": "battle", "agent": "bot", "scenarios": ["s0"], "evaluator_config": "nobody"}
    )
    assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")

"""The list and form of scenarios: states, where they came from, and the same refusals as the service's."""

import pgtrigger
import pytest
from django.urls import reverse

from apps.catalog.models import Scenario
from apps.gates.models import PreventedFailure, PullRequestGate
from apps.production.models import Promotion
from apps.runs.models import Conversation
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import NOW, make_evaluation, make_run, signed_in
from tests.dashboard.test_pages import text_of

LIST = reverse("admin:catalog_scenario_changelist")
MUST_NOT = [{"criterion": "price_clarity", "below": 6}]


@pytest.fixture
def candidate(db):
    """One candidate of a real conversation; a gate has stopped it once."""
    with in_tenant("acme"):
        run, rows = make_run(2)
        scenario = Scenario.objects.create(
            slug="late_refund", goal="Wants the money back.", status="candidate", origin="production",
            provenance={"feedback": ["f-1"], "prompt_version": "salon@1"},
        )  # fmt: skip
        promotion = Promotion.objects.create(conversation=rows[0], scenario=scenario, promoted_by="amina")
        gate = PullRequestGate.objects.create(
            agent="salon", kind="advisory", commit="abcdef0", candidate=make_evaluation(run, rows), policy={},
            status="decided", decision="fail", sentence="x", document={"exit_code": 1}, decided_at=NOW,
        )  # fmt: skip
        PreventedFailure.objects.create(gate=gate, scenario=scenario, slug=scenario.slug, why="price")
        return scenario, promotion


def act(client, action, *rows):
    return client.post(LIST, {"action": action, "_selected_action": [str(row.pk) for row in rows]}, follow=True)


def state(row):
    with in_tenant("acme"):
        return Scenario.objects.get(pk=row.pk).status


def test_the_list_and_the_form_say_where_it_came_from(owner, candidate):
    scenario, promotion = candidate
    text = text_of(owner.get(LIST))
    assert "waits for a person" in text
    assert "a real conversation" in text
    assert "1 time" in text
    assert "late_refund" in text_of(owner.get(f"{LIST}?status__exact=candidate&origin=production"))
    page = owner.get(reverse("admin:catalog_scenario_change", args=[scenario.pk])).content.decode()
    assert reverse("candidate", args=[promotion.pk]) in page
    assert "1 rating of customers, prompt salon@1" in page


def test_actions_refuse_what_the_service_refuses(owner, candidate):
    scenario, _ = candidate
    assert "names nothing that must not happen again" in text_of(act(owner, "release_chosen", scenario))
    with in_tenant("acme"):
        Scenario.objects.update(assertions=[{"metric": "LatencyMetric", "threshold": 0.5}])
        Promotion.objects.update(residues=[{"kind": "digits", "turn": 0, "quote": "x"}])
    assert "Masking may have left something" in text_of(act(owner, "release_chosen", scenario))
    with in_tenant("acme"):
        Promotion.objects.update(residues=[])
    assert "Released: late_refund" in text_of(act(owner, "release_chosen", scenario))
    with in_tenant("acme"):
        assert Scenario.objects.get().released_by
    assert "Archived: late_refund" in text_of(act(owner, "archive_chosen", scenario))
    assert "archived already" in text_of(act(owner, "archive_chosen", scenario))
    assert state(scenario) == "archived"


def test_a_viewer_has_no_such_action(candidate):
    viewer = signed_in("looks", "view_scenario")
    act(viewer, "release_chosen", candidate[0])
    act(viewer, "archive_chosen", candidate[0])
    assert state(candidate[0]) == "candidate"


def test_a_form_never_changes_state_or_provenance_nor_empties_what_must_not_happen(owner, candidate):
    scenario, _ = candidate
    with in_tenant("acme"):
        Scenario.objects.update(
            status="released", released_by="amina", released_at=NOW,
            assertions=[{"metric": "LatencyMetric", "threshold": 0.5}],
        )  # fmt: skip
    at = reverse("admin:catalog_scenario_change", args=[scenario.pk])
    words = {"slug": "late_refund", "persona": "", "language": "", "goal": "In other words.", "opening": "",
             "max_turns": "20", "played": "", "status": "candidate", "origin": "", "provenance": "{}"}  # fmt: skip
    refused = owner.post(at, words | {"lines": ""})
    assert refused.status_code == 200
    assert "leave something that must not happen" in text_of(refused)
    assert owner.post(at, words | {"lines": "LatencyMetric 0.4"}).status_code == 302
    with in_tenant("acme"):
        row = Scenario.objects.get()
    assert (row.status, row.origin, row.provenance["prompt_version"]) == ("released", "production", "salon@1")
    assert (row.goal, row.assertions[0]["threshold"]) == ("In other words.", 0.4)


def test_home_says_how_many_wait_and_what_gates_prevented(owner, candidate):
    text = text_of(owner.get("/admin/"))
    assert "1 candidate waits for a person" in text
    assert "1 failure that customers had met did not come back (1 gate)" in text


def test_the_list_costs_the_same_however_many_there_are(owner, candidate, django_assert_max_num_queries):
    with in_tenant("acme"):
        Scenario.objects.bulk_create(Scenario(slug=f"s{n}", origin="", goal="x") for n in range(60))
    owner.get(LIST)
    with django_assert_max_num_queries(25):
        assert owner.get(LIST).status_code == 200


def test_a_run_over_staging_says_so(owner, db):
    with in_tenant("acme"):
        run, _ = make_run(1)
        run.plan = {**run.plan, "agent": {"name": "salon", "purpose": "staging"}, "prompt_version": "salon@sha256-1"}
        with pgtrigger.ignore():  # a plan is frozen
            type(run).objects.filter(pk=run.pk).update(plan=run.plan)
        assert Conversation.objects.count() == 1
    text = text_of(owner.get(reverse("run", args=[run.pk])))
    assert "on staging, prompt" in text
    assert "salon@" in text

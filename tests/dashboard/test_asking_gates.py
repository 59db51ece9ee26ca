"""A gate by clicks: the buttons on a run, a draft, a comparison and the gate, and what the start form takes."""

import re

import pytest

from apps.dashboard.results.queries.agent_changes import agent_pairs
from apps.gates.models import PullRequestGate
from apps.gates.services.gate_of_run import ask_gate_of_run, play_gate_again
from apps.improvement.models import PromptDraft
from apps.runs.models import TestRun
from tests.dashboard.conftest import signed_in
from tests.gates.played_runs import again_there, decided, draft_beside_a_complaint, judged, run_of
from tests.improvement.trial_rows import NOW


@pytest.fixture
def version(tenant: str) -> str:
    return draft_beside_a_complaint()


def test_a_run_of_a_draft_and_a_commit_is_started_by_the_form(owner, version):
    page = owner.get(f"/runs/start/?prompt={version}").content.decode()
    assert f'<option value="{version}" selected>{version} (draft)</option>' in page
    assert '<option value="greeting@aaa1111">greeting@aaa1111 (live)</option>' in page
    form = {"kind": "battle", "agent": "booker", "repeats": "1", "prompt": version, "commit": "f00dcafe"}
    owner.post("/runs/start/", form | {"scenario": ["s00"]})
    run = TestRun.objects.get()
    assert (run.frozen_plan.prompt_version, run.subject["commit"]) == (version, "f00dcafe")


def test_one_press_asks_and_one_plays_the_named_cases_again(owner, version):
    judged(run_of())
    candidate = judged(run_of(version), again_there)
    assert f"/runs/{candidate.run_id}/gate/" in owner.get(f"/runs/{candidate.run_id}/").content.decode()
    draft = PromptDraft.objects.get(version__version=version)
    assert f"/runs/{candidate.run_id}/gate/" in owner.get(f"/workshop/drafts/{draft.pk}/").content.decode()

    asked = owner.post(f"/runs/{candidate.run_id}/gate/")
    gate = PullRequestGate.objects.get()
    assert asked.url == f"/gates/{gate.pk}/"
    decided(gate.pk)
    page = owner.get(asked.url).content.decode()
    assert "play them again on both sides" in page
    assert f"/gates/{gate.pk}/again/" in page
    again = owner.post(f"/gates/{gate.pk}/again/")
    second = PullRequestGate.objects.get(replays_of=gate)
    assert again.url == f"/gates/{second.pk}/"
    page = owner.get(asked.url).content.decode()
    assert f"/gates/{gate.pk}/again/" not in page
    assert f'href="/gates/{second.pk}/"' in page


def test_a_comparison_asks_for_its_own_pair(owner, version):
    live, candidate = judged(run_of()), judged(run_of(version))
    page = owner.get(f"/comparisons/?a={live.pk}&b={candidate.pk}&now=1").content.decode()
    assert re.search(rf'/runs/{candidate.run_id}/gate/.*name="baseline" value="{live.run_id}"', page, re.S)
    owner.post(f"/runs/{candidate.run_id}/gate/", {"baseline": str(live.run_id)})
    assert PullRequestGate.objects.get().baseline_id == live.pk


def test_what_cannot_be_asked_is_said_on_the_run(owner, version):
    live = judged(run_of())
    answer = owner.post(f"/runs/{live.run_id}/gate/", follow=True)
    assert "which is live, and a gate holds a change against" in answer.content.decode()
    assert not PullRequestGate.objects.exists()


def test_who_only_reads_is_offered_no_gate(version):
    viewer = signed_in("viewer", "view_testrun", "view_pullrequestgate")
    candidate = judged(run_of(version))
    assert "/gate/" not in viewer.get(f"/runs/{candidate.run_id}/").content.decode()
    assert viewer.post(f"/runs/{candidate.run_id}/gate/").status_code == 403


def test_neither_a_draft_nor_cases_that_are_played_again_say_how_the_agent_stands(version):
    live = judged(run_of())
    candidate = judged(run_of(version), again_there)
    (standing,) = agent_pairs()
    assert (standing.new, standing.old) == (live.pk, None)
    asked = ask_gate_of_run(run_id=candidate.run_id, now=NOW)
    decided(asked.gate_id)
    for run in play_gate_again(gate_id=asked.gate_id, now=NOW).played:
        judged(run, again_there)
    (standing,) = agent_pairs()
    assert (standing.new, standing.old) == (live.pk, None)

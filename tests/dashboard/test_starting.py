"""Runs started from the browser: the same plan as from the command line, and words where it cannot be."""

import re

import pytest

from apps.tenants.context import in_tenant
from tests.catalog.samples import NOW, TEA_YAML
from tests.dashboard.conftest import signed_in
from tests.dashboard.test_pages import text_of

AGENT = """
agents:
  - name: desk
    kind: scripted
    stagger_s: [0, 0]
    options: {rules: [{when: tea, say: "Yes."}], otherwise: "Pardon?"}
"""


@pytest.fixture
def stocked(db, monkeypatch):
    from apps.catalog.files.services.importing import import_catalog_text  # noqa: PLC0415 - apps are loaded by pytest-django
    from tests.runs.stage import approve_golden  # noqa: PLC0415 - see above

    monkeypatch.setattr("apps.dashboard.results.views.starting.wake_workers_on_commit", lambda *_: None)
    with in_tenant("acme"):
        import_catalog_text(text=TEA_YAML + AGENT, file="tea", at=NOW)
        turns = [{"role": "user", "content": "Tea?"}, {"role": "assistant", "content": "Yes."}]
        approve_golden("monday", {"id": "m", "turns": turns})


def runs():
    from apps.runs.models import TestRun  # noqa: PLC0415 - see stocked

    with in_tenant("acme"):
        return [
            (run.kind, run.triggered_by, run.conversations.count(), run.evaluations.count())
            for run in TestRun.objects.order_by("created_at")
        ]


def test_without_an_agent_the_page_says_what_to_do_first(owner):
    shown = text_of(owner.get("/runs/start/"))
    assert "There is no agent to test yet" in shown
    assert "Start a run" in text_of(owner.get("/admin/runs/testrun/"))


def test_what_cannot_be_started_is_said_and_leaves_nothing_behind(owner, stocked):
    for asked, said in (
        ({"kind": "battle", "agent": "moon"}, "moon"),
        ({"kind": "battle", "agent": "desk", "scenario": "moon"}, "moon"),
        ({"kind": "battle", "agent": "desk", "repeats": "0"}, "from 1 to 50"),
        ({"kind": "battle", "agent": "desk", "config": "moon"}, "no published version"),
        ({"kind": "replay", "agent": "desk"}, "at least one golden session"),
    ):
        assert said in text_of(owner.post("/runs/start/", asked))
    assert runs() == []


def test_battles_and_replays_start_and_are_judged_where_asked(owner, stocked):
    asked = {"kind": "battle", "agent": "desk", "repeats": "2", "config": "tea-service"}
    answer = owner.post("/runs/start/", asked)
    assert answer.status_code == 302
    assert "0 of 2 battles done" in text_of(owner.get(answer.url))
    owner.post("/runs/start/", {"kind": "replay", "agent": "desk", "golden": ["monday"]})
    assert runs() == [("battle", "amina", 2, 1), ("replay", "amina", 1, 0)]


def test_the_form_begins_with_the_agent_one_came_from_and_the_evaluator_that_judged_it_last(owner, stocked):
    fresh = owner.get("/runs/start/?agent=desk").content.decode()
    assert "<option selected>desk</option>" in fresh
    assert '<option value="tea-service" selected>tea-service@1</option>' in fresh, "the only one there is"
    owner.post("/runs/start/", {"kind": "battle", "agent": "desk", "config": "tea-service"})
    again = owner.get("/runs/start/?agent=desk").content.decode()
    assert '<option value="tea-service" selected>tea-service@1</option>' in again


def test_how_long_a_battle_may_be_is_asked_and_frozen(owner, stocked):
    from apps.runs.models import Conversation  # noqa: PLC0415 - see stocked

    for wrong in ("many", "0", "401", "-1"):
        asked = {"kind": "battle", "agent": "desk", "max_turns": wrong}
        assert "Nothing was started" in text_of(owner.post("/runs/start/", asked))
    owner.post("/runs/start/", {"kind": "battle", "agent": "desk", "max_turns": "7"})
    with in_tenant("acme"):
        assert [one.spec["max_turns"] for one in Conversation.objects.all()] == [7]


def test_only_who_may_start_runs_sees_the_form(stocked):
    viewer = signed_in("viewer", "view_testrun", "view_agent")
    assert viewer.get("/runs/start/").status_code == 403
    assert "Start a run" not in text_of(viewer.get("/admin/runs/testrun/"))
    player = signed_in("player", "view_testrun", "view_agent", "add_testrun")
    player.post("/runs/start/", {"kind": "battle", "agent": "desk", "config": "tea-service"})
    assert runs() == [("battle", "player", 1, 0)]  # who may not ask for judgements gets none


def test_one_kind_of_run_is_chosen_at_a_time_and_a_refused_form_stays_at_its_kind(owner, stocked):
    battles = owner.get("/runs/start/").content.decode()
    assert re.findall(r'href="\?kind=(\w+)[^>]*aria-current="true"', " ".join(battles.split())) == ["battle"]
    assert battles.count('name="kind"') == 1
    assert 'name="kind" value="replay"' in owner.get("/runs/start/?kind=replay").content.decode()
    refused = owner.post("/runs/start/", {"kind": "replay", "agent": "desk"}).content.decode()
    assert 'name="kind" value="replay"' in refused
    assert 'name="kind" value="battle"' in owner.get("/runs/start/?kind=nonsense").content.decode()

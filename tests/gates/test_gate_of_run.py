"""A gate without CI: a run of a draft beside what is live, and the cases that it names played again by one call."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.core.errors import BadInput, Conflict
from apps.core.subject import Subject
from apps.evaluations.requests.services.battles import battle_run
from apps.gates.models import PullRequestGate
from apps.gates.services.gate_of_run import ask_gate_of_run, play_gate_again
from apps.runs.models import Conversation, TestRun
from tests.gates.played_runs import COMPLAINT, again_there, decided, draft_beside_a_complaint, judged, run_of
from tests.improvement.trial_rows import NOW

pytestmark = pytest.mark.usefixtures("tenant")


@pytest.fixture
def version() -> str:
    return draft_beside_a_complaint()


def test_a_draft_that_brings_a_complaint_back_is_stopped_and_counted_by_two_calls(version: str) -> None:
    live = judged(run_of())
    candidate = judged(run_of(version), again_there)
    asked = ask_gate_of_run(run_id=candidate.run_id, by="amina", now=NOW)
    assert asked.played == ()
    row = PullRequestGate.objects.get(pk=asked.gate_id)
    assert (row.baseline_id, row.commit, row.requested_by) == (live.pk, version.partition("@")[2], "amina")
    first = decided(asked.gate_id)
    assert (first["decision"], first["why"]) == ("undecided", "to_confirm")

    again = play_gate_again(gate_id=asked.gate_id, by="amina", now=NOW)
    runs = [TestRun.objects.get(pk=one) for one in again.played]
    assert [one.frozen_plan.prompt_version for one in runs] == [version, "greeting@aaa1111"]
    for run in runs:
        specs = Conversation.objects.filter(run=run).order_by("position").values_list("spec", flat=True)
        assert [(one["scenario"], one["seed"], one["repeat"]) for one in specs] == [
            (COMPLAINT, 1, 1),
            (COMPLAINT, 2, 2),
        ]
    judged(runs[0].pk, again_there)
    judged(runs[1].pk)
    found = decided(again.gate_id)
    assert (found["decision"], [one["scenario"] for one in found["prevented"]]) == ("fail", [COMPLAINT])
    with pytest.raises(Conflict, match="played again already"):
        play_gate_again(gate_id=asked.gate_id, now=NOW)


def test_one_slip_of_three_stops_nothing(version: str) -> None:
    judged(run_of(), lambda scenario: 6.2 if scenario == COMPLAINT else 8.0)
    candidate = judged(run_of(version), lambda scenario: 5.9 if scenario == COMPLAINT else 8.0)
    asked = ask_gate_of_run(run_id=candidate.run_id, now=NOW)
    assert decided(asked.gate_id)["why"] == "to_confirm"
    again = play_gate_again(gate_id=asked.gate_id, now=NOW)
    for run in again.played:
        judged(run)
    found = decided(again.gate_id)
    assert (found["decision"], found["prevented"]) == ("pass", [])


def test_the_live_prompt_plays_the_same_cases_where_it_has_not(version: str) -> None:
    judged(battle_run(agent="booker", scenarios=["s00"], now=NOW))
    candidate = judged(run_of(version, repeats=2))
    asked = ask_gate_of_run(run_id=candidate.run_id, by="amina", now=NOW)
    (run,) = TestRun.objects.filter(pk__in=asked.played)
    assert (run.frozen_plan.prompt_version, run.agent_id) == ("greeting@aaa1111", candidate.run.agent_id)
    ours, theirs = (
        sorted((one.external_id, one.spec["seed"], one.persona_id) for one in Conversation.objects.filter(run=of))
        for of in (candidate.run_id, run.pk)
    )
    assert ours == theirs
    assert decided(asked.gate_id)["waiting_for"].startswith("the baseline's evaluation is pending")
    judged(run.pk)
    assert decided(asked.gate_id)["decision"] == "pass"


def test_a_baseline_may_be_named_and_a_commit_told(version: str) -> None:
    old = judged(run_of(subject=Subject(commit="ba5e0001")))
    judged(run_of(subject=Subject(commit="ba5e0002")))
    candidate = judged(run_of(subject=Subject(commit="f00dcafe")))
    newest = PullRequestGate.objects.get(pk=ask_gate_of_run(run_id=candidate.run_id, now=NOW).gate_id)
    assert (newest.commit, newest.base_commit) == ("f00dcafe", "ba5e0002")
    named = ask_gate_of_run(run_id=candidate.run_id, baseline_run=old.run_id, now=NOW)
    assert PullRequestGate.objects.get(pk=named.gate_id).baseline_id == old.pk


def test_what_cannot_be_asked_is_refused_in_words(version: str) -> None:
    unjudged = run_of(version)
    with pytest.raises(Conflict, match="have it judged first"):
        ask_gate_of_run(run_id=unjudged, now=NOW)
    live = judged(run_of())
    with pytest.raises(Conflict, match="played greeting@aaa1111, which is live"):
        ask_gate_of_run(run_id=live.run_id, now=NOW)
    candidate = judged(unjudged)
    asked = ask_gate_of_run(run_id=candidate.run_id, now=NOW)
    assert decided(asked.gate_id)["decision"] == "pass"
    with pytest.raises(BadInput, match="no case that is to be played again"):
        play_gate_again(gate_id=asked.gate_id, now=NOW)


def command(*words: str) -> tuple[dict[str, Any], int]:
    """`eval_gate`: its answer, and the exit code."""
    out = StringIO()
    try:
        call_command("eval_gate", "--tenant", "acme", "--json", *words, stdout=out)
    except SystemExit as end:
        return json.loads(out.getvalue()), int(end.code or 0)
    return json.loads(out.getvalue()), 0


def test_the_command_takes_runs_and_asks_the_same(version: str) -> None:
    live, candidate = judged(run_of()), judged(run_of(version))
    answer, code = command("--candidate", str(candidate.run_id))
    assert (answer["decision"], code) == ("pass", 0)
    named, _ = command("--candidate", str(candidate.run_id), "--baseline", str(live.run_id), "--margin", "0.4")
    assert (named["baseline"]["evaluation"], named["policy"]["margin"]) == (str(live.pk), 0.4)
    with pytest.raises(CommandError, match="this is one too"):
        command("--candidate", str(candidate.run_id), "--baseline", str(live.pk))
    with pytest.raises(CommandError, match="Name --agent and --commit, or a run"):
        command("--agent", "booker")


def test_the_commands_cases_are_played_again(version: str) -> None:
    judged(run_of())
    gate, code = command("--candidate", str(judged(run_of(version), again_there).run_id))
    assert (gate["why"], code) == ("to_confirm", 1)
    pending, code = command("--play-again", gate["id"], "--timeout", "0")
    assert (pending["decision"], pending["replays_of"]["id"], code) == (None, gate["id"], 3)

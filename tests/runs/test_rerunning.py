"""Exactly what errored, failed or is undecided is played again, in a new run that names the earlier one."""

import uuid

import pgtrigger
import pytest
from django.db.models import F

from apps.core.errors import BadInput, RatibaError
from apps.evaluations.judging.services.completion import finish_evaluations
from apps.evaluations.models import CriterionScore, Evaluation
from apps.evaluations.requests.services.creating import request_evaluation
from apps.reports.run_reports.services.rerunning import conversations_that, rerun_from_turn, rerun_part
from apps.runs.models import Conversation, TestRun
from apps.runs.playing.services import control
from apps.statistics.decision import Decision
from tests.evaluations.bench import judge, make_config, reply
from tests.loopback import formats
from tests.runs.stage import NOW, battles, make_agent, make_scenarios, of, play, said


@pytest.fixture
def judged(tenant, simulator):
    """Five battles: one errored, one whose verdict is "fail", one that a blocking criterion cannot decide, two that
    pass, with one criterion below its mark."""
    make_agent()
    make_scenarios(5)
    run = battles()
    play()
    Conversation.objects.filter(run_id=run, position=0).update(status="failed", blame="agent_transport")
    control.finish_runs(now=NOW)
    config = make_config(url=simulator.base_url("openai"), blocking=["second"])
    request_evaluation(config=config, run_id=run, now=NOW)
    good, bad = {"first": 9, "second": 9, "third": 5}, {"first": 1, "second": 9, "third": 1}
    unsure = {"first": 9, "third": 9}  # nothing about what blocks
    answers = (bad, unsure, unsure, good, good)  # who leaves something out is asked a second time
    simulator.script(*(formats.answer("openai", reply(one), model="stub-model") for one in answers))
    judge(concurrency=1)
    finish_evaluations(now=NOW)
    return run


def marks(run) -> dict[str, list[str]]:
    found = {}
    for one in of(run):
        row = one.judgements.first()
        scores = {score.criterion: score.score for score in row.scores.all()} if row else {}
        if scores.get("third") == 1:
            found["failed"] = [one.external_id]
        elif scores and scores.get("second") is None:
            found["undecided"] = [one.external_id]
    return found | {"errored": [of(run)[0].external_id]}


@pytest.mark.parametrize("only", ["errored", "failed", "undecided"])
def test_exactly_those_are_played_again_under_the_same_plan(judged, only):
    done = rerun_part(run_id=judged, only=only, now=NOW, triggered_by="test")
    assert done.run_id is not None
    again = TestRun.objects.get(pk=done.run_id)
    assert [one.external_id for one in of(again.pk)] == marks(judged)[only]
    assert (again.plan["from"], again.plan["only"], again.triggered_by) == (str(judged), only, "test")
    play()
    assert [one.status for one in of(again.pk)] == ["ended"]


def test_another_part_is_refused_by_its_name(judged):
    with pytest.raises(BadInput) as refused:
        rerun_part(run_id=judged, only="passed", now=NOW)
    assert refused.value.pointer == "/only"
    assert "errored, failed, undecided or cancelled" in refused.value.message


def test_what_passes_by_its_verdict_is_not_played_again_though_a_criterion_is_below_its_mark(judged):
    evaluation = Evaluation.objects.get(run_id=judged)
    failing = {row.conversation_id: row for row in evaluation.judgements.filter(status="scored")}
    done = rerun_part(run_id=judged, only="failed", now=NOW, evaluation_id=evaluation.pk)
    verdicts = conversations_that(evaluation, Decision.FAIL)
    assert {one.external_id for one in of(done.run_id)} == {failing[one].conversation.external_id for one in verdicts}
    assert done.evaluator_config == evaluation.config_ref
    passing = CriterionScore.objects.filter(judgement__evaluation=evaluation, score=5, score__lt=F("pass_mark"))
    assert passing.count() == 2, "two conversations pass with a criterion below its mark"


def test_an_evaluation_of_another_run_is_refused(judged):
    with pytest.raises(BadInput) as refused:
        rerun_part(run_id=judged, only="failed", now=NOW, evaluation_id=uuid.uuid4())
    assert refused.value.pointer == "/evaluation"


def test_what_a_cancelled_run_had_not_played_is_played_by_choice(tenant):
    make_agent()
    make_scenarios(2)
    run = battles()
    control.cancel_run(run_id=run, now=NOW)
    done = rerun_part(run_id=run, only="cancelled", now=NOW)
    assert [one.status for one in of(done.run_id)] == ["pending", "pending"]
    assert done.evaluator_config == ""


def test_a_battle_goes_its_own_way_from_a_turn_on(judged):
    earlier = of(judged)[1]
    done = rerun_from_turn(conversation_id=earlier.pk, turn=3, repeats=2, now=NOW, triggered_by="test")
    assert done.run_id is not None
    run = TestRun.objects.get(pk=done.run_id)
    assert (run.plan["from"], run.plan["only"], done.evaluator_config) == (str(judged), "turn 3", "probe@1")
    assert run.name.endswith(", from turn 3")
    rows = of(run.pk)
    assert [one.external_id for one in rows] == [f"{earlier.external_id}#0", f"{earlier.external_id}#1"]
    assert len({one.spec["seed"] for one in rows}) == 2
    play()
    before = [text for role, text in said(earlier) if role == "user"][:2]
    for row in rows:
        row.refresh_from_db()
        assert row.status == "ended"
        assert [text for role, text in said(row) if role == "user"][:2] == before


def test_what_cannot_go_on_from_a_turn_is_refused_and_starts_nothing(judged):
    row = of(judged)[1]
    for wrong, code in (
        ({"conversation_id": uuid.uuid4()}, "not_found"),
        ({"of_run": uuid.uuid4()}, "not_found"),
        ({"turn": 99}, "invalid"),
        ({"repeats": 0}, "invalid"),
    ):
        with pytest.raises(RatibaError) as refused:
            rerun_from_turn(**{"conversation_id": row.pk, "turn": 1, "now": NOW, **wrong})
        assert refused.value.code == code or refused.value.pointer
    Conversation.objects.filter(pk=row.pk).update(kind="replay")
    with pytest.raises(RatibaError) as refused:
        rerun_from_turn(conversation_id=row.pk, turn=1, now=NOW)
    assert refused.value.code == "not_a_battle"
    Conversation.objects.filter(pk=row.pk).update(kind="battle")
    with pgtrigger.ignore("runs.TestRun:plan_is_frozen"):
        TestRun.objects.filter(pk=judged).update(kind="trial")
    with pytest.raises(RatibaError) as refused:
        rerun_from_turn(conversation_id=row.pk, turn=1, now=NOW)
    assert refused.value.code == "not_a_battle"
    assert TestRun.objects.count() == 1

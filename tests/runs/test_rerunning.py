"""Exactly what errored, failed or is undecided is played again, in a new run that names the earlier one."""

import pytest

from apps.core.errors import BadInput
from apps.evaluations.services.completion import finish_evaluations
from apps.evaluations.services.creating import request_evaluation
from apps.reports.services.rerunning import rerun_part
from apps.runs.models import Conversation, TestRun
from apps.runs.services import control
from tests.evaluations.bench import judge, make_config, reply
from tests.loopback import formats
from tests.runs.stage import NOW, battles, make_agent, make_scenarios, of, play


@pytest.fixture
def judged(tenant, simulator):
    """Five battles: one errored, one below a mark, one that a blocking criterion cannot decide, two that pass."""
    make_agent()
    make_scenarios(5)
    run = battles()
    play()
    Conversation.objects.filter(run_id=run, position=0).update(status="failed", blame="agent_transport")
    control.finish_runs(now=NOW)
    config = make_config(url=simulator.base_url("openai"), blocking=["second"])
    request_evaluation(config=config, run_id=run, now=NOW)
    good, bad = ({"first": 9, "second": 9, "third": mark} for mark in (9, 1))
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
    assert "errored, failed or undecided" in refused.value.message

"""What a person said must not happen again fails the conversation wherever its case is played, not in a gate alone."""

import json
from typing import Any

import pgtrigger
import pytest

from apps.dashboard.results.queries.evaluation import evaluation_page
from apps.dashboard.results.queries.list_verdicts import evaluation_looks
from apps.dashboard.results.queries.scores import tallies
from apps.evaluations.figures.services.figures import store_figures
from apps.evaluations.judging.services.completion import finish_evaluations
from apps.evaluations.models import CriterionScore, Evaluation
from apps.evaluations.requests.services.creating import request_evaluation
from apps.reports.management.measuring import MeasuringCommand
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.reports.tables.services.exporting import ExportFormat, export_results
from apps.runs.models import Conversation
from apps.tenants.commands import Exit
from tests.evaluations.bench import NOW, imported, judge, make_config, reply
from tests.loopback.providers import ModelProvider


def judged_case(second: Any, *, below: float = 6.0, scored: float = 9.0) -> Evaluation:
    """Two conversations; the case of the first one says that `second` below the mark must not happen again."""
    with ModelProvider(reply({"first": scored, "second": second})) as server:
        config = make_config(url=server.base_url("openai"), weights={"first": 1.0, "second": 1.0})
        run = imported("released", "plain")
        with pgtrigger.ignore():  # an imported row stands in for a battle
            spec = {"scenario": "late_refund", "must_not": [{"criterion": "second", "below": below}]}
            Conversation.objects.filter(run=run, external_id="released").update(spec=spec)
        asked = request_evaluation(config=config, run_id=run, now=NOW)
        judge()
        finish_evaluations(now=NOW)
    return Evaluation.objects.get(pk=asked.evaluation_id)


@pytest.fixture
def again(tenant) -> Evaluation:
    return judged_case(5)


def test_it_fails_the_conversation_and_the_evaluation_at_every_door(again):
    summary = evaluation_summary(again.pk)
    assert summary["weighted_score"] == 7.0
    assert summary["verdicts"] == {"pass": 1, "fail": 1, "undecided": 0}
    assert (summary["decision"]["outcome"], summary["decision"]["blocked"]) == ("fail", {"second": 1})
    assert MeasuringCommand()._verdict(summary) == Exit.NO
    page = evaluation_page(again.pk, state="", number="1")
    assert "second stops 1 conversation" in page.headline.but
    assert evaluation_looks([again], tallies([again.pk]))[again.pk].label == "fails 1 of 2"
    written = b"".join(export_results(format=ExportFormat.JSONL, evaluation_id=again.pk)).splitlines()
    rows = {row["conversation"]: row for row in map(json.loads, written)}
    assert (rows["released"]["conversation_verdict"], rows["released"]["blocked_by"]) == ("fail", ["second"])
    assert rows["plain"]["conversation_verdict"] == "pass"
    assert store_figures(evaluation_id=again.pk)
    assert evaluation_summary(again.pk)["verdicts"] == {"pass": 1, "fail": 1, "undecided": 0}


@pytest.mark.parametrize("second, below", [(6, 6.0), (5, 5.0), (None, 6.0)])
def test_the_mark_itself_is_enough_and_what_does_not_apply_stops_nobody(tenant, second, below):
    assert evaluation_summary(judged_case(second, below=below).pk)["decision"]["outcome"] == "pass"


def test_the_mark_is_frozen_with_the_score(again):
    scores = CriterionScore.objects.filter(judgement__evaluation=again, criterion="second")
    assert dict(scores.values_list("judgement__conversation__external_id", "must_reach")) == {
        "released": 6.0, "plain": None,
    }  # fmt: skip

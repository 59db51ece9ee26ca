"""What was not measured is part of the verdict: one rule, and every door gives its answer."""

import json
from typing import Any

import pgtrigger
import pytest
from django.core.cache import cache

from apps.api.services.callbacks import callback_body
from apps.dashboard.results.queries.agent_standing import counted_verdicts
from apps.dashboard.results.queries.evaluation import evaluation_page
from apps.dashboard.results.queries.list_verdicts import evaluation_looks
from apps.dashboard.results.queries.scores import tallies
from apps.evaluations.figures.services.figures import store_figures
from apps.evaluations.models import Evaluation
from apps.reports.management.measuring import MeasuringCommand
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.reports.tables.services.exporting import ExportFormat, export_results
from apps.tenants.commands import Exit
from tests.evaluations.bench import NOW, judged, make_config, reply
from tests.loopback import formats
from tests.loopback.providers import ModelProvider

TEN = [f"case-{at}" for at in range(10)]
TWO = {"first": 1.0, "second": 1.0}


def judged_with(*answers: str, otherwise: str, ids: list[str] = TEN, **config: Any) -> Evaluation:
    """An evaluation whose judge gives these answers first, one a conversation, and `otherwise` from then on."""
    with ModelProvider(otherwise) as server:
        server.script(*(formats.answer("openai", text, model="stub-model") for text in answers))
        return judged(make_config(url=server.base_url("openai"), weights=TWO, **config), *ids)


def readable(first: Any = 7.5, second: Any = 7.5) -> str:
    return reply({"first": first, "second": second})


def decision(evaluation: Evaluation) -> dict[str, Any]:
    found: dict[str, Any] = evaluation_summary(evaluation.pk)["decision"]
    return found


@pytest.fixture
def two_of_ten(tenant) -> Evaluation:
    return judged_with(readable(), readable(), otherwise="no idea")


def test_two_judged_of_ten_are_no_pass_at_any_door(two_of_ten):
    summary = evaluation_summary(two_of_ten.pk)
    assert summary["counts"]["scored"] == 2
    assert (summary["decision"]["outcome"], summary["decision"]["why"]) == ("undecided", "too_little_measured")
    assert summary["decision"]["sentence"] == "undecided: 2 of 10 could be judged"
    assert summary["pass_rate"] is None
    assert MeasuringCommand()._verdict(summary) == Exit.UNMEASURABLE
    assert "only 2 of 10 could be judged" in evaluation_page(two_of_ten.pk, state="", number="1").headline.but
    counts = tallies([two_of_ten.pk])
    assert evaluation_looks([two_of_ten], counts)[two_of_ten.pk].label == "undecided"
    standing = counted_verdicts(counts)[two_of_ten.pk].overall(status="completed", score=7.5)
    assert standing.why == "too_little_measured"


def test_the_stored_figures_and_the_ones_read_now_give_the_same_verdict(two_of_ten):
    before = decision(two_of_ten)
    assert store_figures(evaluation_id=two_of_ten.pk)
    cache.clear()
    assert decision(Evaluation.objects.get(pk=two_of_ten.pk)) == before
    counts = tallies([two_of_ten.pk])
    assert evaluation_looks([two_of_ten], counts)[two_of_ten.pk].label == "undecided"


@pytest.mark.parametrize("lost, outcome", [(1, "undecided"), (2, "undecided")])
def test_an_eighth_is_too_much(tenant, lost, outcome):
    answers = [readable()] * (8 - lost)
    assert decision(judged_with(*answers, otherwise="no idea", ids=TEN[:8]))["outcome"] == outcome


def test_less_than_an_eighth_lost_is_told_and_passes(tenant):
    nine = judged_with(*[readable()] * 8, otherwise="no idea", ids=TEN[:9])
    assert (decision(nine)["outcome"], decision(nine)["missing"], decision(nine)["expected"]) == ("pass", 1, 9)
    assert "parse_errors" in evaluation_summary(nine.pk)["warning_codes"]


def test_a_fail_stays_a_fail(tenant):
    assert decision(judged_with(readable(2, 2), readable(2, 2), otherwise="no idea"))["outcome"] == "fail"


def test_a_conversation_of_which_an_answer_was_lost_does_not_pass_by_the_rest(tenant):
    evaluation = judged_with(*[readable()] * 9, otherwise=readable(7.5, "seven"))
    summary = evaluation_summary(evaluation.pk)
    assert summary["verdicts"] == {"pass": 9, "fail": 0, "undecided": 1}
    assert summary["decision"]["outcome"] == "pass"
    at = summary["warning_codes"].index("lost_answers")
    assert summary["warnings"][at] == "1 of 10 conversations lack second: the judge's answer could not be used"
    rows = [json.loads(line) for line in b"".join(
        export_results(format=ExportFormat.JSONL, evaluation_id=evaluation.pk)
    ).splitlines()]  # fmt: skip
    assert sorted({row["conversation_verdict"] for row in rows}) == ["pass", "undecided"]


def test_answers_lost_in_an_eighth_of_the_conversations_leave_the_whole_undecided(tenant):
    evaluation = judged_with(readable(), otherwise=readable(7.5, "seven"), ids=TEN[:4])
    assert (decision(evaluation)["why"], decision(evaluation)["missing"]) == ("too_little_measured", 3)
    page = evaluation_page(evaluation.pk, state="", number="1")
    assert "on 1 of 2 criteria" in page.headline.text
    assert decision(evaluation)["sparse"] == ["second"]


def test_a_criterion_that_does_not_apply_is_no_lost_answer_and_the_score_says_what_it_rests_on(tenant):
    evaluation = judged_with(otherwise=readable(10, None), ids=TEN[:2])
    found = decision(evaluation)
    assert (found["outcome"], found["missing"]) == ("pass", 0)
    assert found["sentence"] == "passes: 10.00 on 1 of 2 criteria reaches the pass mark 6.00"


def test_an_evaluation_from_before_the_rule_keeps_its_verdict(two_of_ten):
    with pgtrigger.ignore("evaluations.Evaluation:question_is_frozen"):
        Evaluation.objects.filter(pk=two_of_ten.pk).update(options={})
    cache.clear()
    assert decision(Evaluation.objects.get(pk=two_of_ten.pk))["outcome"] == "pass"


def test_the_callback_tells_the_same(two_of_ten):
    told = json.loads(callback_body(two_of_ten, "evaluation.completed", NOW))["data"]
    assert (told["decision"]["why"], told["pass_rate"]) == ("too_little_measured", None)

"""One decision: the API, the pages, the command and the export give the same answer about the same scores."""

import json
from typing import Any

import pgtrigger
import pytest
from django.core.cache import cache

from apps.calibration.domain.scores_reading import ImportedScore
from apps.calibration.services.importing_scores import import_scores
from apps.core.errors import Conflict, NotFound
from apps.dashboard.conversations.queries.conversation import conversation_page
from apps.dashboard.results.queries.analysis import analysis_panel
from apps.dashboard.results.queries.evaluation import evaluation_page
from apps.dashboard.results.queries.stopped_conversations import stopped_conversations
from apps.evaluations.figures.domain.rating_scale import read_scale
from apps.evaluations.figures.queries.results import criterion_results
from apps.evaluations.figures.queries.uncertainty import uncertainties_of
from apps.evaluations.judging.services.completion import cancel_evaluation, finish_evaluations
from apps.evaluations.models import Evaluation, Judgement
from apps.improvement.analysis.services.analysing import pay_analyses
from apps.improvement.analysis.services.enqueue_analyses import request_analysis
from apps.reports.management.measuring import MeasuringCommand
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.reports.results.queries.judgement_document import judgement_document, judgements_of
from apps.reports.tables.services.exporting import ExportFormat, export_results
from apps.runs.models import TestRun
from apps.tenants.commands import Exit
from tests.evaluations.bench import NOW, all_of, evaluated, imported, judge, judged, make_config, only, reply
from tests.loopback.providers import ModelProvider

TWO = {"first": 1.0, "second": 1.0}
NOBODY = "00000000-0000-0000-0000-000000000000"


@pytest.fixture
def judged_by(tenant):
    """An evaluation of some conversations whose judge answers the same about each."""
    servers = []

    def made(scores: dict[str, Any], *ids: str, **config: Any) -> Evaluation:
        server = ModelProvider(reply(scores))
        server.__enter__()
        servers.append(server)
        return judged(make_config(url=server.base_url("openai"), weights=TWO, **config), *ids)

    yield made
    for server in servers:
        server.__exit__(None, None, None)


def exit_of(evaluation: Evaluation) -> Exit:
    return MeasuringCommand()._verdict(evaluation_summary(evaluation.pk))


def rows_of(evaluation: Evaluation) -> list[dict[str, Any]]:
    written = b"".join(export_results(format=ExportFormat.JSONL, evaluation_id=evaluation.pk))
    return [json.loads(line) for line in written.splitlines()]


def test_command_page_api_and_export_agree_where_a_criterion_has_no_score(judged_by):
    evaluation = judged_by({"first": 7, "second": None}, pass_marks={"first": 6, "second": 9})
    summary = evaluation_summary(evaluation.pk)
    assert (summary["decision"]["outcome"], summary["decision"]["pass_mark"]) == ("pass", 6.0)
    assert (summary["pass_rate"], summary["verdicts"]["pass"]) == (1.0, 1)
    assert exit_of(evaluation) == Exit.DONE
    page = evaluation_page(evaluation.pk, state="", number="1")
    assert (page.mark, page.rows[0].look.value, page.rows[0].decision) == (6.0, "above", "pass")
    assert all_of(row["conversation_verdict"] for row in rows_of(evaluation)) == "pass"


def test_a_blocking_criterion_fails_what_its_mean_would_pass_on_every_door(judged_by):
    evaluation = judged_by({"first": 10, "second": 5}, "a", "b", blocking=["second"])
    summary = evaluation_summary(evaluation.pk)
    assert summary["weighted_score"] == 7.5
    assert (summary["pass_rate"], summary["verdicts"]) == (0.0, {"pass": 0, "fail": 2, "undecided": 0})
    assert summary["decision"]["outcome"] == "fail"
    assert summary["decision"]["blocked"] == {"second": 2}
    assert "second blocks 2 conversations" in summary["decision"]["sentence"]
    assert exit_of(evaluation) == Exit.NO
    page = evaluation_page(evaluation.pk, state="", number="1")
    assert page.headline.but == "but second stops 2 conversations"
    assert (page.rows[0].decision, page.rows[0].look.label) == ("fail", "stopped by second")
    one = judgements_of(evaluation.pk)[0]
    assert "second" in conversation_page(one.conversation_id, evaluation="", asked={}).headline.but
    assert [row["blocked_by"] for row in rows_of(evaluation)] == [["second"]] * 4
    assert (
        evaluation_page(evaluation.pk, state="", number="1", titles={"second": "Second"}).headline.but
        == "but Second stops 2 conversations"
    )
    stopped = stopped_conversations(evaluation, [one.conversation_id])
    assert stopped == {one.conversation_id: ("second",)}


def test_a_blocking_criterion_that_the_judge_left_out_is_no_silent_pass(judged_by):
    evaluation = judged_by({"first": 9}, "a", "b", blocking=["second"])
    summary = evaluation_summary(evaluation.pk)
    assert summary["verdicts"] == {"pass": 0, "fail": 0, "undecided": 2}
    assert (summary["decision"]["outcome"], summary["decision"]["why"]) == ("undecided", "blocking_undecided")
    assert "second cannot tell about 2 conversations" in summary["decision"]["sentence"]
    assert exit_of(evaluation) == Exit.NO
    assert {row["verdict"] for row in rows_of(evaluation) if row["criterion"] == "first"} <= {"pass", "undecided"}


def test_the_same_scores_pass_where_nothing_blocks(judged_by):
    evaluation = judged_by({"first": 10, "second": 5})
    assert evaluation_summary(evaluation.pk)["decision"]["outcome"] == "pass"
    assert exit_of(evaluation) == Exit.DONE


@pytest.mark.parametrize(
    "description, decision",
    [("Is it good?", "undecided"), ("Is it paid safely? Without any payment, not applicable.", "pass")],
)
def test_a_blocking_criterion_answered_null_cannot_tell_unless_its_text_allows_it(judged_by, description, decision):
    evaluation = judged_by({"first": 9, "second": None}, blocking=["second"], description=description)
    assert evaluation_summary(evaluation.pk)["decision"]["outcome"] == decision
    document = judgement_document(judgements_of(evaluation.pk)[0], uncertainties_of(evaluation))
    assert document["verdict"] == decision


def test_an_evaluation_from_before_the_rule_of_nulls_keeps_the_verdicts_it_was_shown_with(judged_by):
    evaluation = judged_by({"first": 9, "second": None}, blocking=["second"])
    assert evaluation.options["null_stops"] is True
    with pgtrigger.ignore("evaluations.Evaluation:question_is_frozen"):
        Evaluation.objects.filter(pk=evaluation.pk).update(options={})
    before = Evaluation.objects.get(pk=evaluation.pk)
    cache.clear()
    assert evaluation_summary(before.pk)["decision"]["outcome"] == "pass"
    assert judgement_document(judgements_of(before.pk)[0], uncertainties_of(before))["verdict"] == "pass"


def test_where_nothing_is_scored_yet_no_judge_is_counted(tenant):
    evaluation = evaluated(make_config(weights=TWO))
    assert evaluation_summary(evaluation.pk)["judges"] == 0


def test_a_blocking_criterion_changes_no_answer_that_was_kept(tenant):
    with ModelProvider(reply({"first": 10, "second": 5})) as server:
        url = server.base_url("openai")
        judged(make_config(url=url, weights=TWO, name="plain"))
        blocks = judged(make_config(url=url, weights=TWO, name="blocks", blocking=["second"]))
        assert len(server.requests) == 1
    assert only(blocks).from_cache


@pytest.mark.parametrize("given", [{"first": None, "second": None}, {}])
def test_an_evaluation_in_which_nothing_was_scored_failed(judged_by, given):
    evaluation = judged_by(given)
    assert (evaluation.status, evaluation.error_code) == ("failed", "nothing_scored")
    assert evaluation_summary(evaluation.pk)["decision"]["outcome"] == "unmeasurable"
    assert exit_of(evaluation) == Exit.UNMEASURABLE


def test_the_evaluation_of_a_cancelled_run_is_cancelled_and_keeps_what_was_judged(tenant):
    with ModelProvider(reply({"first": 9, "second": 9})) as server:
        evaluation = evaluated(make_config(url=server.base_url("openai"), weights=TWO))
        judge()
        TestRun.objects.filter(pk=evaluation.run_id).update(status="cancelled")
        finish_evaluations(now=NOW)
    evaluation.refresh_from_db()
    assert (evaluation.status, evaluation.error_code) == ("cancelled", "run_cancelled")
    summary = evaluation_summary(evaluation.pk)
    assert (summary["weighted_score"], summary["counts"]["scored"]) == (9.0, 1)
    assert summary["decision"]["outcome"] == "unmeasurable"


def test_a_cancelled_evaluation_keeps_what_was_judged_and_asks_nobody_any_more(tenant):
    with ModelProvider(reply({"first": 9, "second": 9})) as server:
        config = make_config(url=server.base_url("openai"), weights=TWO)
        first, second = evaluated(config, "a"), evaluated(config, "b", "c")
        cancel_evaluation(evaluation_id=second.pk, now=NOW)
        cancel_evaluation(evaluation_id=second.pk, now=NOW)
        judge()
        finish_evaluations(now=NOW)
        assert len(server.requests) == 1
    second.refresh_from_db()
    assert (second.status, second.ended_at) == ("cancelled", NOW)
    with pytest.raises(Conflict, match="completed"):
        cancel_evaluation(evaluation_id=first.pk, now=NOW)
    with pytest.raises(NotFound):
        cancel_evaluation(evaluation_id=NOBODY, now=NOW)


def on_words(*words: str | None, **more: Any) -> Evaluation:
    """Scores of a judge that answered Yes, No or Unsure."""
    config = make_config(weights={"first": 1.0})
    run = imported(*(f"c-{n}" for n in range(len(words))))
    scores = [ImportedScore(conversation=f"c-{n}", criterion="first", value=word) for n, word in enumerate(words)]
    id = import_scores(run_id=run, config=config, judge="them", scores=scores, now=NOW,
                       scales={"first": read_scale("No | Unsure | Yes")}, **more)  # fmt: skip
    return Evaluation.objects.get(pk=id)


def test_scores_in_words_are_scored_and_neither_pass_nor_fail(tenant):
    evaluation = on_words("Yes", "No", "Yes")
    summary = evaluation_summary(evaluation.pk)
    assert "nothing_to_score" not in summary["warning_codes"]
    assert "own_scale" in summary["warning_codes"]
    assert "so there is no weighted score" in " ".join(summary["warnings"])
    assert summary["fingerprint"] == Judgement.objects.filter(evaluation=evaluation)[0].fingerprint
    assert summary["certificate_note"] == "Nobody has compared this judge with people."
    (found,) = criterion_results(evaluation.pk)
    assert (found.pass_rate, found.decision.value) == (None, "unmeasurable")
    request_analysis(evaluation_id=evaluation.pk, now=NOW)
    pay_analyses(now=lambda: NOW)
    panel = analysis_panel(evaluation.pk)
    assert panel.row.note_codes == ["own_scale"]
    assert "first" in panel.sentence
    assert "none of them counts in the mean" in evaluation_page(evaluation.pk, state="", number="1").headline.note


def test_words_with_a_pass_mark_among_them_pass_and_fail(tenant):
    evaluation = on_words("Yes", "No", "Yes", pass_marks={"first": 2})
    (found,) = criterion_results(evaluation.pk)
    assert found.pass_rate == pytest.approx(2 / 3)


def test_imported_scores_without_one_score_are_no_success(tenant):
    evaluation = on_words(None)
    assert (evaluation.status, evaluation.error_code) == ("failed", "nothing_scored")


def test_a_judgement_says_what_blocks_it(judged_by):
    evaluation = judged_by({"first": 10, "second": 5}, blocking=["second"])

    found = judgement_document(judgements_of(evaluation.pk)[0], uncertainties_of(evaluation))
    assert (found["verdict"], found["blocked_by"]) == ("fail", ["second"])

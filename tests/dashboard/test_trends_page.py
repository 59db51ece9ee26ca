"""Scores over time: lines break where the judge changed, judges' agreement is a line, and who asked is counted."""

from typing import Any

import pgtrigger
import pytest
from django.test import Client

from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.reports.slices.queries.trends import EvaluationTrendFilter, agreement_of_judges, trends_of_tests, triggers
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import make_evaluation, make_run, signed_in
from tests.dashboard.test_pages import text_of

CROSS = {"purpose": "cross_check", "score": 4.0, "reason": "", "model": "gpt-4"}


def judged(score: float, *, by: str = "amina", judge: str = "f", second: float | None = None) -> Evaluation:
    run, rows = make_run(12)
    evaluation = make_evaluation(run, rows, score=score)
    opinions = [{**CROSS, "score": second}, {"purpose": "judge", "score": score, "reason": "", "model": "m"}]
    with pgtrigger.ignore():  # all of it is final
        Evaluation.objects.filter(pk=evaluation.pk).update(
            triggered_by=by, subject={"agent": "booking", "prompt_version": "greeting@1"}
        )
        Judgement.objects.filter(evaluation=evaluation).update(fingerprint=judge * 64)
        if second is not None:
            CriterionScore.objects.filter(judgement__evaluation=evaluation).update(opinions=opinions)
    return evaluation


@pytest.fixture
def inside(db: None) -> Any:
    with in_tenant("acme"):
        yield


def test_a_line_breaks_where_another_judge_judged(inside: None) -> None:
    judged(8.0), judged(7.5), judged(7.0, judge="a")
    (series,) = trends_of_tests(EvaluationTrendFilter())
    assert [round(one["score"], 1) for one in series["points"]] == [7.8, 7.2, 6.8]
    assert series["breaks"] == [series["points"][2]["at"]]


def test_the_second_judge_who_passes_what_the_first_passes_agrees(inside: None) -> None:
    judged(8.0, second=9.0), judged(8.0, second=3.0), judged(8.0)
    first, second = agreement_of_judges(EvaluationTrendFilter())
    assert (first["ac1"], first["same_side"], first["scores"]) == (1.0, 1.0, 24)
    assert second["ac1"] < 0
    assert agreement_of_judges(EvaluationTrendFilter(criterion="first"))[0]["scores"] == 12


def test_two_judges_of_one_evaluation_are_two_points(inside: None) -> None:
    evaluation = judged(8.0, second=9.0)
    rows = Judgement.objects.filter(evaluation=evaluation).order_by("conversation__position")
    with pgtrigger.ignore():
        Judgement.objects.filter(pk__in=list(rows.values_list("pk", flat=True))[::2]).update(fingerprint="a" * 64)
    points = agreement_of_judges(EvaluationTrendFilter())
    assert [(one["fingerprint"][0], one["scores"]) for one in points] == [("a", 12), ("f", 12)]


def test_people_and_programs_are_counted_apart(owner: Client) -> None:
    with in_tenant("acme"):
        judged(8.0), judged(8.0), judged(8.0, by="ci"), judged(8.0, by="manual")
        found = triggers(EvaluationTrendFilter())
        assert {(one["triggered_by"], one["evaluations"], one["by_person"]) for one in found} == {
            ("amina", 2, True), ("ci", 1, False), ("manual", 1, True)
        }  # fmt: skip
        (series,) = trends_of_tests(EvaluationTrendFilter(triggered_by="ci"))
    assert len(series["points"]) == 1
    assert "3 evaluations by people, 1 by programs" in text_of(owner.get("/trends/"))


def test_the_first_line_says_whether_it_moved_or_the_judge_did(owner: Client) -> None:
    assert "Nothing has been judged that fits" in text_of(owner.get("/trends/"))
    with in_tenant("acme"):
        judged(8.0), judged(7.9)
    assert "the evaluation before had 7.8, which is within chance" in text_of(owner.get("/trends/"))
    with in_tenant("acme"):
        judged(5.0)
    assert "2.6 lower than the evaluation before" in text_of(owner.get("/trends/")) or "lower" in text_of(
        owner.get("/trends/")
    )
    with in_tenant("acme"):
        judged(7.0, judge="b")
    assert "by another judge than" in text_of(owner.get("/trends/"))


@pytest.mark.parametrize("query", ["agent=booking", "config=tea", "language=sw", "criterion=first",
                                   "prompt_version=greeting@1", "kind=battle", "triggered_by=amina"])  # fmt: skip
def test_each_filter_keeps_what_fits_and_another_value_keeps_nothing(owner: Client, query: str) -> None:
    with in_tenant("acme"):
        judged(8.0), judged(7.5)
    assert "<svg" in owner.get(f"/trends/?{query}").content.decode()
    if not query.startswith("kind"):
        assert "No completed evaluation fits" in text_of(owner.get(f"/trends/?{query}x"))


def test_a_kind_without_a_trend_is_told_and_the_rest_is_shown(owner: Client) -> None:
    answer = owner.get("/trends/?kind=probe")
    assert answer.status_code == 400
    assert "is no kind with a trend" in answer.content.decode()


def test_many_evaluations_cost_the_same(owner: Client, django_assert_max_num_queries) -> None:
    for count in (2, 6):
        with in_tenant("acme"):
            for _ in range(count):
                judged(8.0, second=7.0)
        with django_assert_max_num_queries(26):  # each sets the schema first
            owner.get("/trends/")


def test_who_may_not_see_evaluations_does_not_see_their_trend(db: None) -> None:
    assert signed_in("otieno", "view_testrun").get("/trends/").status_code == 403

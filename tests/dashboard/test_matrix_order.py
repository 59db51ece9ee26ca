"""Every list of the matrix is one that an index has in its order: the next window costs the same wherever it begins."""

import json
from dataclasses import replace

import pgtrigger
import pytest
from django.db.models import Q

from apps.dashboard.results.queries.evaluation import evaluation_page
from apps.dashboard.results.queries.worst_first import worst_first_page
from apps.evaluations.figures.queries.results import count_states
from apps.evaluations.figures.queries.uncertainty import uncertainties_of
from apps.reports.tables.domain.matrix_filters import MatrixFilter, chips_of, parse_matrix_query
from apps.reports.tables.queries.matrix_choice import chosen_rows
from apps.reports.tables.queries.matrix_window import _parts, _stretches, matrix_window, neighbours, read_place
from apps.tenants.connection import connection
from apps.tenants.context import in_tenant
from tests.dashboard.matrix_samples import mixed_evaluation

SORTS = ("score", "name", "persona", "language", "scenario", "date", "criterion:tone")
# What an index gives needs none of these; the planner takes one of them where it has to, whatever it costs.
_NO_SORTING = "SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_incremental_sort = "


@pytest.fixture
def evaluation(db):
    with in_tenant("acme"):
        yield mixed_evaluation(60)[0]


def nodes(plan):
    yield plan["Node Type"]
    for below in plan.get("Plans", ()):
        yield from nodes(below)


def stopped(judgement):
    """Whether the blocking criterion is below its mark, or the agent failed."""
    scores = {one.criterion: one.score for one in judgement.scores.all()}
    below = scores.get("payment_safety") is not None and scores["payment_safety"] < 6
    return judgement.weighted_score is not None and (below or judgement.conversation.blame == "agent_quality")


def plan_of(rows, *, by_parts="off"):
    with connection.cursor() as cursor:
        cursor.execute(_NO_SORTING + by_parts)
    return set(nodes(json.loads(rows.explain(format="json"))[0]["Plan"]))


@pytest.mark.parametrize("direction", ["", "-"])
@pytest.mark.parametrize("sort", SORTS)
def test_no_list_is_sorted_to_show_a_window_of_it(evaluation, sort, direction):
    view = MatrixFilter(sort=direction + sort)
    doubts = uncertainties_of(evaluation)
    parts = _parts(evaluation, view, doubts)
    place = read_place(matrix_window(evaluation, view, doubts, size=7).after, view)
    for backwards in (False, True):
        stretches = _stretches(parts, view, place, backwards=backwards)
        for stretch in [one.rows for one in stretches if backwards or one is not stretches[-1]]:  # the last has no key
            # A name is there once in a run: an index of names alone gives their order, each a part of its own.
            plan = plan_of(stretch.values_list("pk", "key", "tie")[:8], by_parts="on" if sort == "name" else "off")
            assert "Sort" not in plan


def test_an_order_that_no_index_has_is_seen(evaluation):
    rows = chosen_rows(evaluation, MatrixFilter(sort="date"), uncertainties_of(evaluation))
    assert "Sort" in plan_of(rows.order_by("conversation__domain")[:8])


@pytest.mark.parametrize("query", ["criterion=tone", "criterion=tone&having=fail", "criterion=tone&evidence=exact"])
def test_a_criterions_rows_come_worst_on_it_first(evaluation, query):
    view = parse_matrix_query(query)
    assert (view.sort, view.query, [chip.query for chip in chips_of(view)]) == ("criterion:tone", query, [""])
    window = matrix_window(evaluation, view, uncertainties_of(evaluation), size=50)
    scores = [next(s.score for s in one.scores.all() if s.criterion == "tone") for one in window.judgements]
    given = [one for one in scores if one is not None]
    assert scores == [*sorted(given), *[None] * (len(scores) - len(given))]
    whole = parse_matrix_query(f"{query}&sort=score")
    assert whole.query == f"{query}&sort=score"
    shown = matrix_window(evaluation, whole, uncertainties_of(evaluation), size=50).judgements
    keys = [(not stopped(one), one.weighted_score) for one in shown]
    assert keys == sorted(keys)
    assert len(keys) == len(scores)


@pytest.mark.parametrize("size", [3, 60])
def test_what_is_stopped_comes_before_all_others_whatever_its_score(evaluation, size):
    doubts = uncertainties_of(evaluation)

    def walk(sort):
        rows: list = []
        view = MatrixFilter(sort=sort)
        while view:
            window = matrix_window(evaluation, view, doubts, size=size)
            rows += window.judgements
            view = replace(view, after=window.after) if window.after else None
        return rows

    rows = walk("score")
    keys = [(one.weighted_score is None, not stopped(one), one.weighted_score or 0.0) for one in rows]
    assert keys == sorted(keys)
    assert max(score for bare, passes, score in keys if not passes) > min(
        score for bare, passes, score in keys if passes
    )
    scored = [one.pk for one in rows if one.weighted_score is not None]
    assert [one.pk for one in walk("-score")][: len(scored)] == scored[::-1]
    counts = count_states(evaluation.pk)
    page = worst_first_page(evaluation, "", counts, "1")
    assert [one.pk for one in page.object_list] == [one.pk for one in rows][: len(page.object_list)]
    ids = [one.conversation_id for one in rows]
    for at in (1, len(scored) // 3, len(scored) - 2):
        beside = neighbours(evaluation, MatrixFilter(), doubts, conversation_id=ids[at])
        assert beside == (ids[at - 1], ids[at + 1])


@pytest.mark.parametrize("value, said", [("gold", "gold"), (3, "3"), (True, "true"), ("3", "3"), ("a=b", "a=b")])
def test_a_label_is_found_by_what_its_menu_offers(evaluation, value, said):
    from apps.runs.models import Conversation  # noqa: PLC0415 - apps are loaded by pytest-django

    row = Conversation.objects.filter(~Q(status="pending"), run=evaluation.run_id).first()
    with pgtrigger.ignore():  # the rows of another story
        Conversation.objects.filter(pk=row.pk).update(labels={"tier": value, "other": 1})
    rows = chosen_rows(evaluation, MatrixFilter(label=f"tier={said}"), uncertainties_of(evaluation))
    assert [one.conversation_id for one in rows] == [row.pk]


def test_the_list_tells_the_criterion_that_stops_a_conversation(evaluation):
    page = evaluation_page(evaluation.pk, state="", number="1")
    below = [one for one in page.rows if one.worst and stopped(one.judgement) and not one.judgement.conversation.blame]
    assert {one.worst.criterion for one in below} == {"payment_safety"}

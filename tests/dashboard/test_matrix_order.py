"""Every list of the matrix is one that an index has in its order: the next window costs the same wherever it begins."""

import json

import pgtrigger
import pytest
from django.db.models import Q

from apps.dashboard.domain.matrix_filters import MatrixFilter, chips_of, parse_matrix_query
from apps.dashboard.queries.matrix_choice import chosen_rows
from apps.dashboard.queries.matrix_window import _stretches, matrix_window, read_place
from apps.reports.queries.uncertainty import uncertainties_of
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


def plan_of(rows, *, by_parts="off"):
    with connection.cursor() as cursor:
        cursor.execute(_NO_SORTING + by_parts)
    return set(nodes(json.loads(rows.explain(format="json"))[0]["Plan"]))


@pytest.mark.parametrize("direction", ["", "-"])
@pytest.mark.parametrize("sort", SORTS)
def test_no_list_is_sorted_to_show_a_window_of_it(evaluation, sort, direction):
    view = MatrixFilter(sort=direction + sort)
    doubts = uncertainties_of(evaluation)
    rows = chosen_rows(evaluation, view, doubts)
    place = read_place(matrix_window(evaluation, view, doubts, size=7).after, view)
    for backwards in (False, True):
        for stretch in _stretches(rows, view, place, backwards=backwards)[:2]:  # the last has no key
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
    weighted = [
        one.weighted_score for one in matrix_window(evaluation, whole, uncertainties_of(evaluation), size=50).judgements
    ]
    assert weighted == sorted(one for one in weighted if one is not None)
    assert len(weighted) == len(scores)


@pytest.mark.parametrize("value, said", [("gold", "gold"), (3, "3"), (True, "true"), ("3", "3"), ("a=b", "a=b")])
def test_a_label_is_found_by_what_its_menu_offers(evaluation, value, said):
    from apps.runs.models import Conversation  # noqa: PLC0415 - apps are loaded by pytest-django

    row = Conversation.objects.filter(~Q(status="pending"), run=evaluation.run_id).first()
    with pgtrigger.ignore():  # the rows of another story
        Conversation.objects.filter(pk=row.pk).update(labels={"tier": value, "other": 1})
    rows = chosen_rows(evaluation, MatrixFilter(label=f"tier={said}"), uncertainties_of(evaluation))
    assert [one.conversation_id for one in rows] == [row.pk]

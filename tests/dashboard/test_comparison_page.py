"""The page that compares two evaluations: what it says first, what it lists, and what it says when it cannot."""

import re
import uuid

import pytest
from django.test.utils import CaptureQueriesContext

from apps.tenants.connection import connection
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import make_evaluation, make_run, signed_in
from tests.dashboard.test_pages import text_of


@pytest.fixture
def two(db):
    """Ten conversations judged twice: the second judge is kinder by one point."""
    with in_tenant("acme"):
        run, rows = make_run(10)
        return make_evaluation(run, rows, score=7.0), make_evaluation(run, rows, score=8.0)


def test_the_first_line_is_the_decision(owner, two):
    a, b = two
    text = text_of(owner.get(f"/comparisons/?a={a.pk}&b={b.pk}"))
    assert "B judges 1.0 [1.0, 1.0] milder than A on the same conversations" in text
    assert "nothing about the agent was compared" in text
    assert "10 conversations in pairs" in text
    back = text_of(owner.get(f"/comparisons/?a={b.pk}&b={a.pk}"))
    for page in (f"/comparisons/?a={a.pk}&b={b.pk}", f"/comparisons/?cases=1&e={a.pk}&e={b.pk}"):
        coloured = re.findall(r"rb-(?:at-|stroke-)?(?:good|bad|near)\b", owner.get(page).content.decode())
        assert not coloured, page
    assert "B judges 1.0 [1.0, 1.0] stricter than A on the same conversations" in back
    assert "Open what B scores lower (10)" in back
    for page in (text, back):
        assert not {word for word in ("worse", "B is better", "A is better") if word in page}


def test_a_conversation_judged_twice_blames_nobody(owner, two):
    a, b = two
    with in_tenant("acme"):
        conversation = a.run.conversations.order_by("position").first()
    page = owner.get(f"/comparisons/pair/?a={b.pk}&b={a.pk}&right={conversation.pk}").content.decode()
    assert "Where the judges differ" in page
    assert not re.findall(r"rb-(?:at-|stroke-)?(?:good|bad|near)\b", page)


def test_two_runs_are_compared_as_agents(owner, db):
    with in_tenant("acme"):
        a, b = (make_evaluation(*make_run(10), score=score) for score in (8.0, 7.0))
    text = text_of(owner.get(f"/comparisons/?a={a.pk}&b={b.pk}"))
    assert "B is worse by 1.0 [1.0, 1.0]" in text
    assert "Open what got worse (10)" in text


def test_one_kind_of_change_can_be_shown_alone(owner, two):
    a, b = two
    text = text_of(owner.get(f"/comparisons/?a={a.pk}&b={b.pk}&only=worse"))
    assert "None of this kind" in text


def test_without_two_evaluations_there_is_a_choice_or_what_to_do_first(owner, two):
    text = text_of(owner.get("/comparisons/"))
    assert "Which of two is better" in text
    assert "· tea@1 ·" in text
    a, _ = two
    assert "itself" in text_of(owner.get(f"/comparisons/?a={a.pk}&b={a.pk}"))
    assert owner.get(f"/comparisons/?a={a.pk}&b={uuid.uuid4()}").status_code == 404
    assert owner.get(f"/comparisons/?a={a.pk}&b=nonsense").status_code == 404


def test_an_empty_house_says_what_to_do_first(owner):
    assert "not yet two evaluations" in text_of(owner.get("/comparisons/"))


def test_who_may_not_see_results_may_not_compare_them(two):
    assert signed_in("juma", "view_persona").get("/comparisons/").status_code == 403


def test_the_page_costs_the_same_for_ten_and_a_hundred(owner, two):
    def queries(a, b):
        with CaptureQueriesContext(connection) as caught:
            assert owner.get(f"/comparisons/?a={a.pk}&b={b.pk}").status_code == 200
        return sum(not query["sql"].startswith("SET search_path") for query in caught.captured_queries)

    with in_tenant("acme"):
        run, rows = make_run(100)
        large = make_evaluation(run, rows, score=7.0), make_evaluation(run, rows, score=8.0)
    assert queries(*two) == queries(*large) <= 22

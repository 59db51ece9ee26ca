"""The matrix: its windows hold the rows that the one decision module would choose, and every door keeps its tenant."""

import itertools
import re
import uuid
from dataclasses import replace
from itertools import pairwise
from urllib.parse import quote

import pgtrigger
import pytest
from django.core.cache import cache
from django.test.utils import CaptureQueriesContext

from apps.evaluations.figures.queries.uncertainty import uncertainties_of
from apps.evaluations.models import Judgement
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.reports.tables.domain.matrix_filters import MatrixFilter
from apps.reports.tables.queries.matrix_window import matrix_window, neighbours
from apps.runs.models import Conversation
from apps.tenants.connection import connection
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import signed_in
from tests.dashboard.matrix_samples import NAMES, mixed_evaluation
from tests.dashboard.test_pages import text_of


@pytest.fixture(params=[0, 3], ids=["asked once", "asked three times"])
def judged(request, db):
    with in_tenant("acme"):
        yield mixed_evaluation(60, repeats=request.param)


@pytest.fixture
def once(db):
    with in_tenant("acme"):
        return mixed_evaluation(60)


def walked(evaluation, view, size=7):
    """The whole list window by window, as ids of conversations, and every place on the way."""
    doubts, ids, places = uncertainties_of(evaluation), [], []
    while True:
        window = matrix_window(evaluation, view, doubts, size=size)
        ids += [one.conversation_id for one in window.judgements]
        places.append((view, [one.conversation_id for one in window.judgements], window.before))
        if not window.after:
            return ids, places
        view = replace(view, after=window.after, before="")


def meant(evaluation, keep):
    doubts = uncertainties_of(evaluation)
    rows = Judgement.objects.filter(evaluation=evaluation).select_related("conversation").prefetch_related("scores")
    return {row.conversation_id for row in rows if keep(row, {one.criterion: one for one in row.scores.all()}, doubts)}


def verdict_of(row, scores, doubts):
    whole = doubts.of_judgement(list(scores.values()), blame=row.conversation.blame) if scores else None
    return whole.decision.value if whole else ""


@pytest.mark.parametrize("verdict", ["pass", "fail", "undecided"])
def test_a_verdicts_rows_are_those_that_were_counted(judged, verdict):
    evaluation, _ = judged
    ids, _ = walked(evaluation, MatrixFilter(verdict=verdict))
    wanted = meant(evaluation, lambda row, scores, doubts: verdict_of(row, scores, doubts) == verdict)
    assert set(ids) == wanted
    assert len(ids) == len(set(ids)) == evaluation_summary(evaluation.pk)["verdicts"][verdict]


def test_what_was_not_measured_is_the_rest_of_every_count(owner, judged):
    evaluation, rows = judged
    Conversation.objects.filter(pk=rows[0].pk).update(blame="golden")
    with pgtrigger.ignore():
        Judgement.objects.filter(conversation=rows[1].pk).update(by_fallback=True)
    verdicts = evaluation_summary(evaluation.pk)["verdicts"]
    lists = {one: walked(evaluation, MatrixFilter(verdict=one))[0] for one in (*verdicts, "not_measured")}
    assert {one: len(ids) for one, ids in lists.items() if one != "not_measured"} == verdicts
    assert sorted(itertools.chain(*lists.values())) == sorted(row.pk for row in rows)
    assert {rows[0].pk, rows[1].pk} <= set(lists["not_measured"])
    page = text_of(owner.get(f"/evaluations/{evaluation.pk}/matrix/?verdict=not_measured"))
    assert f"{len(lists['not_measured'])} of 60" in page


@pytest.mark.parametrize("having", ["pass", "fail", "undecided"])
def test_a_criterions_rows_are_those_that_were_counted(judged, having):
    evaluation, _ = judged
    ids, _ = walked(evaluation, MatrixFilter(criterion="tone", having=having))
    assert len(ids) == evaluation_summary(evaluation.pk)["criterion_verdicts"]["tone"][having]
    wanted = meant(
        evaluation,
        lambda _row, scores, doubts: (
            (doubt := doubts.of_score(scores["tone"]) if "tone" in scores else None) and doubt.decision == having
        ),
    )
    assert set(ids) == wanted


VIEWS = {
    "language": (MatrixFilter(language="sw"), lambda row, _s, _d: row.conversation.language == "sw"),
    "persona": (MatrixFilter(persona="Grace"), lambda row, _s, _d: row.conversation.spec["persona_name"] == "Grace"),
    "scenario": (MatrixFilter(scenario="refund"), lambda row, _s, _d: row.conversation.spec["scenario"] == "refund"),
    "label": (MatrixFilter(label="wave=2"), lambda row, _s, _d: row.conversation.labels["wave"] == "2"),
    "state": (MatrixFilter(state="parse_error"), lambda row, _s, _d: row.status == "parse_error"),
    "score": (
        MatrixFilter(low=5.0, high=7.0),
        lambda row, _s, _d: row.weighted_score is not None and 5 <= row.weighted_score <= 7,
    ),
    "unscored": (
        MatrixFilter(criterion="tone", having="unscored"),
        lambda _r, scores, _d: "tone" in scores and scores["tone"].score is None,
    ),
    "bar": (
        MatrixFilter(criterion="tone", at=7),
        lambda _r, scores, _d: "tone" in scores and 6.5 <= (scores["tone"].score or 0) < 7.5,
    ),
    "evidence": (
        MatrixFilter(criterion="tone", evidence="unverified"),
        lambda _r, scores, _d: "tone" in scores and scores["tone"].evidence[0]["kind"] == "unverified",
    ),
}


@pytest.mark.parametrize("name", VIEWS)
def test_what_is_filtered_by_is_all_that_is_shown(judged, name):
    evaluation, _ = judged
    view, keep = VIEWS[name]
    ids, _ = walked(evaluation, view)
    assert set(ids) == meant(evaluation, keep)
    assert ids


SORTS = (
    "score", "-score", "name", "-name", "persona", "-language", "date", "-date", "-scenario", "criterion:tone",
    "-criterion:tone",
)  # fmt: skip


@pytest.mark.parametrize("sort", SORTS)
def test_windows_lead_there_and_back_and_miss_nobody(once, sort):
    evaluation, rows = once
    with in_tenant("acme"):
        ids, places = walked(evaluation, MatrixFilter(sort=sort))
        assert sorted(ids) == sorted(row.pk for row in rows)
        doubts = uncertainties_of(evaluation)
        for (_, shown, _), (_, _, before) in pairwise(places):
            back = matrix_window(evaluation, MatrixFilter(sort=sort, before=before), doubts, size=7)
            assert [one.conversation_id for one in back.judgements] == shown
        for at in (0, 1, 30, len(ids) - 1):
            found = neighbours(evaluation, MatrixFilter(sort=sort), doubts, conversation_id=ids[at])
            assert found == (ids[at - 1] if at else None, ids[at + 1] if at + 1 < len(ids) else None)


def test_worst_first_then_what_has_no_score(once):
    evaluation, _ = once
    with in_tenant("acme"):
        window = matrix_window(evaluation, MatrixFilter(), uncertainties_of(evaluation), size=100)
    scores = [one.weighted_score for one in window.judgements]
    given = [one for one in scores if one is not None]
    stopped = next(at for at, (one, later) in enumerate(pairwise(given), 1) if later < one)  # whatever their score
    assert given == [*sorted(given[:stopped]), *sorted(given[stopped:])]
    assert scores == [*given, *[None] * (len(scores) - len(given))]


def test_the_page_says_what_stops_conversations_and_shows_every_criterion(owner, once):
    evaluation, _ = once
    answer = owner.get(f"/evaluations/{evaluation.pk}/matrix/")
    text = text_of(answer)
    assert "60 conversations × 3 criteria, payment_safety stops" in text
    html = answer.content.decode()
    assert html.count('class="rb-at ') == 50 * len(NAMES)
    assert "◆" in html
    columns = re.findall(r'title="(\w+)[^"]*\. Sort by it"', html)
    asked = owner.get(f"/evaluations/{evaluation.pk}/matrix/?criterion=closing").content.decode()
    assert columns[0] == "payment_safety"
    assert re.findall(r'title="(\w+)[^"]*\. Sort by it"', asked)[0] == "closing"
    assert owner.get(f"/evaluations/{evaluation.pk}/matrix/?columns=tone").content.decode().count('class="rb-at ') == 50


def test_a_cell_opens_beside_the_matrix_and_as_a_page_of_its_own(owner, once):
    evaluation, _ = once
    html = owner.get(f"/evaluations/{evaluation.pk}/matrix/?criterion=tone&having=fail").content.decode()
    address = re.search(r'class="rb-at[^"]*"><a href="([^"]+criterion=tone)"', html).group(1).replace("&amp;", "&")
    page = text_of(owner.get(address))
    assert "Alithibitisha saa isiyo sahihi." in page
    assert "kesho saa tano" in page
    beside = owner.get(address, headers={"HX-Request": "true"}).content.decode()
    assert beside.lstrip().startswith("<aside")
    assert "having%3Dfail" in beside  # the conversation knows the list it is opened from
    assert f'data-back="/evaluations/{evaluation.pk}/matrix/?criterion=tone&amp;having=fail"' in beside


def test_what_the_address_gets_wrong_is_said_and_shows_no_row(owner, once):
    evaluation, _ = once
    misspelt = text_of(owner.get(f"/evaluations/{evaluation.pk}/matrix/?verdct=fail"))
    assert "The address says verdct too: nothing is filtered by that." in misspelt
    for query, told in (("verdict=bad", "verdict is one of"), ("criterion=colour", "colour is no criterion")):
        answer = owner.get(f"/evaluations/{evaluation.pk}/matrix/?{query}")
        assert answer.status_code == 400
        assert told in answer.content.decode()
        assert 'class="rb-at ' not in answer.content.decode()
    gone = text_of(owner.get(f"/evaluations/{evaluation.pk}/matrix/?columns=tone,colour"))
    assert "colour: no criterion of this evaluation, so not shown" in gone
    assert owner.get(f"/evaluations/{evaluation.pk}/matrix/?after={quote('[1, 2')}").status_code == 200


def test_its_menu_offers_what_there_is(owner, once):
    evaluation, _ = once
    menu = owner.get(f"/evaluations/{evaluation.pk}/matrix/filters/?language=sw", headers={"HX-Request": "true"})
    html = menu.content.decode()
    for offered in ("Wanjiru (", "refund (", 'value="sw" selected', "wave=1 (", "payment_safety"):
        assert offered in html
    assert text_of(owner.get(f"/evaluations/{evaluation.pk}/matrix/filters/"))


def test_nobody_else_opens_any_of_its_doors(once):
    evaluation, rows = once
    doors = [
        f"/evaluations/{evaluation.pk}/matrix/{rest}" for rest in ("", "filters/", f"{rows[0].pk}/?criterion=tone")
    ]
    neighbour = signed_in("neighbour", host="beta.localhost", superuser=True)
    clerk = signed_in("juma", "view_persona")
    assert [neighbour.get(door).status_code for door in doors] == [404] * 3
    assert [clerk.get(door).status_code for door in doors] == [403] * 3
    viewer = signed_in("wanjiku", "view_evaluation")
    assert [viewer.get(door).status_code for door in doors] == [200] * 3
    assert viewer.post(doors[0]).status_code == 405
    assert viewer.get(f"/evaluations/{evaluation.pk}/matrix/{uuid.uuid4()}/?criterion=tone").status_code == 404


def test_the_page_costs_the_same_for_sixty_and_six_hundred(owner, once):
    def queries(evaluation, query):
        cache.clear()
        with CaptureQueriesContext(connection) as caught:
            assert owner.get(f"/evaluations/{evaluation.pk}/matrix/?{query}").status_code == 200
        return sum(not query["sql"].startswith("SET search_path") for query in caught.captured_queries)

    with in_tenant("acme"):
        large, _ = mixed_evaluation(600, seed=2)
    queries(once[0], "")
    for query in ("", "sort=criterion:tone", "language=sw", "verdict=fail"):
        assert queries(large, query) <= queries(once[0], query) <= 22

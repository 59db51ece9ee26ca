"""Baselines that are suggested, pairs that are walked through, and evaluations as columns."""

from datetime import timedelta

import pgtrigger
import pytest
from django.test.utils import CaptureQueriesContext

from apps.dashboard.results.queries import comparison as page
from apps.evaluations.models import Evaluation, Judgement
from apps.reports.comparisons.queries.baseline import suggest_baseline
from apps.runs.models import Conversation, TestRun, Turn
from apps.tenants.connection import connection
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import NOW, make_evaluation, signed_in
from tests.dashboard.test_pages import text_of

TEXTS = {"a": "Sawa, kesho saa 10:30. Karibu!", "b": "Sawa, kesho saa 11:00. Karibu!"}


def played(name, cases, *, text="a", score=8.0, prompt="", agent="booking", repeats=1):
    """One run of scenarios with their evaluation by one judge."""
    run = TestRun.objects.create(
        kind="battle", status="completed", name=name, plan={"agent": {"name": agent}}, started_at=NOW, ended_at=NOW
    )
    rows = Conversation.objects.bulk_create(
        Conversation(
            run=run, position=at, external_id=f"{case}#{at}", kind="battle", status="ended", language="sw",
            spec={"scenario": case, "persona_name": "Wanjiru"},
        )
        for at, case in enumerate(case for case in cases for _ in range(repeats))
    )  # fmt: skip
    Turn.objects.bulk_create(
        Turn(conversation=row, position=at, role=role, content=said)
        for row in rows
        for at, (role, said) in enumerate([("user", "Saa nne na nusu?"), ("assistant", TEXTS[text])])
    )
    made = make_evaluation(run, rows, score=score)
    with pgtrigger.ignore():  # the rows of another story
        Evaluation.objects.filter(pk=made.pk).update(subject={"prompt_version": prompt} if prompt else {})
    return Evaluation.objects.select_related("run").get(pk=made.pk)


CASES = [f"case-{n}" for n in range(10)]


@pytest.fixture
def two(db):
    with in_tenant("acme"):
        return played("before", CASES, score=8.0), played("after", CASES, text="b", score=6.0)


class TestBaseline:
    @pytest.fixture(autouse=True)
    def within(self, db):
        with in_tenant("acme"):
            yield

    def test_the_latest_that_can_be_compared(self):
        played("long ago", CASES)
        earlier = played("before", CASES)
        found = suggest_baseline(played("after", CASES))
        assert (found.evaluation.pk, found.shared, found.cases) == (earlier.pk, 10, 10)

    @pytest.mark.parametrize("shared, suggested", [(10, True), (8, True), (7, False)])
    def test_four_of_five_cases_must_be_there(self, shared, suggested):
        played("before", [*CASES[:shared], "another"])
        assert (suggest_baseline(played("after", CASES)) is not None) == suggested

    def test_repeats_are_one_case(self):
        played("before", CASES[:8])
        assert suggest_baseline(played("after", CASES, repeats=3)) is not None

    @pytest.mark.parametrize(
        "change",
        [
            lambda one: TestRun.objects.filter(pk=one.run_id).update(name="x") and played("b", CASES, agent="other"),
            lambda one: pgtrigger.ignore()(Evaluation.objects.filter(pk=one.pk).update)(config_ref="tea@2"),
            lambda one: Evaluation.objects.filter(pk=one.pk).update(status="cancelled"),
            lambda one: Evaluation.objects.filter(pk=one.pk).update(created_at=NOW + timedelta(days=900)),
        ],
        ids=["another agent's", "another config", "not completed", "later"],
    )
    def test_nothing_else_is_suggested(self, change, request):
        earlier = played("before", CASES, agent="other" if "agent" in request.node.callspec.id else "booking")
        if "agent" not in request.node.callspec.id:
            change(earlier)
        assert suggest_baseline(played("after", CASES)) is None

    def test_another_judge_is_no_baseline(self):
        earlier = played("before", CASES)
        with pgtrigger.ignore():  # scored rows are final
            Judgement.objects.filter(evaluation=earlier).update(fingerprint="e" * 64)
        assert suggest_baseline(played("after", CASES)) is None

    def test_the_same_run_judged_twice_is_none(self):
        first = played("before", CASES)
        again = make_evaluation(first.run, list(first.run.conversations.all()))
        assert suggest_baseline(again) is None


def test_b_alone_is_compared_with_what_is_suggested(owner, two):
    text = text_of(owner.get(f"/comparisons/?b={two[1].pk}"))
    assert "A was suggested: before" in text
    assert "B is worse by 2.0" in text
    alone = text_of(owner.get(f"/comparisons/?b={two[0].pk}"))
    assert "No earlier evaluation has the same agent" in alone


def test_a_large_comparison_arrives_as_a_second_partial(owner, two, monkeypatch):
    monkeypatch.setattr(page, "LARGE", 5)
    address = f"/comparisons/?a={two[0].pk}&b={two[1].pk}"
    first = owner.get(address).content.decode()
    assert 'hx-trigger="load"' in first
    assert "B is worse" not in first
    assert "B is worse" in text_of(owner.get(address, headers={"HX-Request": "true"}))
    assert "B is worse" in text_of(owner.get(f"{address}&now=1"))  # without a script


def test_no_two_choices_read_alike(owner, two):
    with in_tenant("acme"):
        labels = [label for _, label in page.evaluation_choices()]
        Evaluation.objects.update(created_at=NOW)
        TestRun.objects.update(name="battle of booking")
        again = [label for _, label in page.evaluation_choices()]
    assert len(set(labels)) == len(set(again)) == 2


def test_a_pair_says_where_the_two_part_and_leads_on(owner, two):
    address = f"/comparisons/?a={two[0].pk}&b={two[1].pk}"
    html = owner.get(address).content.decode()
    first = html[html.index("/comparisons/pair/?") :].split('"')[0].replace("&amp;", "&")
    seen = set()
    while first:
        html = owner.get(first).content.decode()
        assert "From turn 1 on A says 10:30, " in html
        assert "B says 11:00" in html
        assert "<del>10:30.</del>" in html.replace(" ", "") or "10:30" in html
        seen.add(html[html.index('aria-current="page">') :].split("<")[0])
        after = html.split('id="rb-next" href="')[1:]
        first = "/comparisons/pair/" + after[0].split('"')[0].replace("&amp;", "&") if after else ""
    assert len(seen) == 10


def test_what_b_is_failed_for_is_said_first_and_never_folded(owner, db):
    with in_tenant("acme"):
        before, after = played("before", CASES[:3]), played("after", CASES[:3], score=5.0)  # in the same words
        right = Conversation.objects.filter(run=after.run).first().pk
    html = owner.get(f"/comparisons/pair/?a={before.pk}&b={after.pk}&right={right}").content.decode()
    assert "B fails first and second from turn 1 on" in html
    assert "rb-folded" not in html
    assert html.count("first, second</span>") == 1  # on B's side alone


def test_evaluations_stand_beside_each_other_by_case(owner, two):
    address = f"/comparisons/?cases=1&e={two[0].pk}&e={two[1].pk}"
    text = text_of(owner.get(address))
    assert "10 cases in 2 evaluations, 10 cases fell below an earlier column" in text
    assert "saa 11:00" in text
    assert owner.get(f"{address}&replies=1").content.decode().count("<details open>") == 20
    many = "&".join(f"e={two[0].pk}"[:-1] + digit for digit in "0123456789")
    assert owner.get(f"/comparisons/?cases=1&{many}").status_code == 400
    assert owner.get("/comparisons/?cases=1&e=nonsense&e=other").status_code == 404


def test_two_that_are_ticked_are_compared_the_earlier_as_a_and_three_stand_case_by_case(owner, two):
    a, b = two
    ticked = text_of(owner.get(f"/comparisons/?sorted=1&e={b.pk}&e={a.pk}"))
    assert ticked == text_of(owner.get(f"/comparisons/?sorted=1&e={a.pk}&e={b.pk}"))
    assert "B is worse by" in ticked
    with in_tenant("acme"):
        more = played("once more", CASES)
    text = text_of(owner.get(f"/comparisons/?e={more.pk}&e={b.pk}&e={a.pk}&sorted=1"))
    assert "10 cases in 3 evaluations" in text


def test_addresses_of_before_lead_to_the_page_with_all_they_asked_for(owner, two):
    a, b = two
    answer = owner.get(f"/comparisons/columns/?e={a.pk}&e={b.pk}&replies=1&page=1")
    assert (answer.status_code, answer.url) == (302, f"/comparisons/?e={a.pk}&e={b.pk}&replies=1&page=1&cases=1")
    answer = owner.get(f"/runs/{a.run_id}/evaluators/?e={a.pk}")
    assert (answer.status_code, answer.url) == (302, f"/comparisons/?e={a.pk}&run={a.run_id}")


def test_prompt_versions_are_columns(owner, db):
    with in_tenant("acme"):
        for version in ("greeting@1", "greeting@1", "greeting@2"):
            last = played(f"run {version}", CASES, prompt=version)
    text = text_of(owner.get(f"/comparisons/?prompts_of={last.pk}"))
    assert "10 cases in 2 evaluations" in text
    assert text.index("greeting@1") < text.index("greeting@2")


def test_nobody_else_opens_any_of_these_doors(two):
    a, b = two
    with in_tenant("acme"):
        conversation = Conversation.objects.filter(run=b.run).first()
    doors = [
        f"/comparisons/?a={a.pk}&b={b.pk}",
        f"/comparisons/pair/?a={a.pk}&b={b.pk}&right={conversation.pk}",
        f"/comparisons/?cases=1&e={a.pk}&e={b.pk}",
    ]
    neighbour = signed_in("neighbour", host="beta.localhost", superuser=True)
    assert [neighbour.get(door).status_code for door in doors] == [404] * 3
    clerk = signed_in("juma", "view_persona")
    assert [clerk.get(door).status_code for door in doors] == [403] * 3
    reader = signed_in("wanjiku", "view_evaluation")  # may read results, not conversations
    assert [reader.get(door).status_code for door in doors] == [200, 403, 403]


def test_they_cost_the_same_for_ten_cases_and_a_hundred(owner, two):
    def queries(a, b):
        with in_tenant("acme"):
            right = Conversation.objects.filter(run=b.run).first().pk
        counts = []
        for door in (f"pair/?a={a.pk}&b={b.pk}&right={right}", f"?cases=1&e={a.pk}&e={b.pk}", f"?b={b.pk}"):
            with CaptureQueriesContext(connection) as caught:
                assert owner.get(f"/comparisons/{door}").status_code == 200
            counts.append(sum(not one["sql"].startswith("SET search_path") for one in caught.captured_queries))
        return counts

    small = queries(*two)
    with in_tenant("acme"):
        cases = [f"case-{n}" for n in range(100)]
        large = played("before", cases), played("after", cases, text="b", score=6.0)
    assert queries(*large) == small
    assert max(small) <= 24

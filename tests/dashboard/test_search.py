"""The page of search and what Ctrl+K shows: each finds what their own pages show, and nothing else."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.dashboard.conversations.domain.palette import ACTIONS, begins
from apps.runs.models import Conversation, TestRun, Turn
from apps.runs.services.word_index import index_words
from apps.tenants.context import in_tenant
from tests.catalog.samples import add_persona
from tests.dashboard.conftest import signed_in
from tests.dashboard.matrix_samples import mixed_evaluation

READER = ("view_testrun", "view_conversation", "view_evaluation", "view_persona")


def said(text: str, *, run_kind: str = "imported", name: str = "b-0412") -> Conversation:
    run = TestRun.objects.create(kind=run_kind, status="completed", name="Saluni ya Amina", plan={})
    row = Conversation.objects.create(run=run, position=0, external_id=name, kind="imported", status="ended")
    Turn.objects.create(conversation=row, position=0, purpose="message", role="user", content=text)
    index_words()
    return row


def page(client, q: str, path: str = "/search/"):
    return client.get(path, {"q": q}).content.decode()


@pytest.fixture
def reader(db):
    return signed_in("grace", *READER)


def test_a_turn_is_shown_with_its_words_marked_and_leads_to_its_place(reader) -> None:
    with in_tenant("acme"):
        row = said("Nataka kusukwa <b>nywele</b> kesho")
    found = page(reader, "kesh NYWE")
    assert '<mark class="rb-on">nywele</mark>' in found
    assert '<mark class="rb-on">kesho</mark>' in found
    assert "<b>nywele</b>" not in found, "what was said is text, never markup"
    assert f'href="/conversations/{row.pk}/#turn-0"' in found
    assert 'id="turn-0"' in reader.get(f"/conversations/{row.pk}/").content.decode()


def test_reasons_are_shown_with_score_and_judge(reader) -> None:
    with in_tenant("acme"):
        mixed_evaluation(12)
    assert "reason by tea@1" in page(reader, "isiyo sahihi")
    assert "quoted from turn 1 by tea@1" in page(reader, "saa tano")


@pytest.mark.parametrize(
    "rights", [("add_humanlabel",), ("view_conversation",), ("view_evaluation",), ("view_testrun",)]
)
def test_who_may_not_read_conversations_and_scores_finds_no_word_of_them(db, rights) -> None:
    """A rater sees no score before they rate; who sees one of the two alone is not shown the other through search."""
    with in_tenant("acme"):
        row = said("Nataka kusukwa nywele kesho")
        mixed_evaluation(12)
    client = signed_in("rater", *rights)
    for q in ("nywele", "isiyo sahihi", "kesho"):
        found = page(client, q)
        assert "Why it was scored so" not in found
        assert "kusukwa" not in found
    for q in (str(row.pk), "b-0412"):
        assert (f"/conversations/{row.pk}/" in page(client, q)) == ("view_conversation" in rights)
        assert (f"/conversations/{row.pk}/" in page(client, q, "/search/quick/")) == ("view_conversation" in rights)


def test_what_was_played_in_a_trial_is_found_by_nobody_and_its_id_opens_nothing(owner) -> None:
    with in_tenant("acme"):
        row = said("Siri ya familia", run_kind="trial", name="t-1")
    for path in ("/search/", "/search/quick/"):
        for q in ("siri", "t-1", str(row.pk), str(row.run_id)):
            answer = owner.get(path, {"q": q})
            assert answer.status_code == 200
            assert f"/conversations/{row.pk}/" not in answer.content.decode()
            assert f"/runs/{row.run_id}/" not in answer.content.decode()


def test_ids_and_names_of_another_tenant_are_nobodys_here(owner, other_tenant) -> None:
    with in_tenant(other_tenant):
        row = said("Nataka kusukwa nywele", name="other-1")
    for q in (str(row.pk), str(row.run_id), "other-1", "Saluni", "nywele"):
        for path in ("/search/", "/search/quick/"):
            assert f"/{row.pk}/" not in page(owner, q, path)
            assert "Saluni ya Amina" not in page(owner, q, path)


def test_things_and_actions_are_found_by_name_and_only_those_that_one_may_open(reader, owner) -> None:
    with in_tenant("acme"):
        row = said("Habari")
        add_persona(name="Wanjiru, in a hurry")
    assert f'href="/runs/{row.run_id}/"' in page(reader, "amina", "/search/quick/")
    assert "Wanjiru, in a hurry" in page(reader, "WANJI", "/search/quick/")
    assert f'href="/conversations/{row.pk}/"' in page(reader, "b-04", "/search/quick/")
    assert "Start a run" in page(owner, "start ru", "/search/quick/")
    assert "Start a run" not in page(reader, "start ru", "/search/quick/")
    assert 'href="/usage/"' in page(owner, "usage", "/search/quick/")
    assert 'href="/usage/"' not in page(reader, "usage", "/search/quick/")


@pytest.mark.parametrize(
    "q", ["x" * 10_000, "'); DROP TABLE runs_turn; --", "&|!", "👍🏽", "مرحبا بك", "a\x00b", "%_\\"]
)
@pytest.mark.parametrize("path", ["/search/", "/search/quick/"])
def test_whatever_is_typed_is_answered(reader, q, path) -> None:
    answer = reader.get(path, {"q": q})
    assert answer.status_code in (200, 400)
    assert "<script>" not in page(reader, "<script>alert(1)</script>", path)


def test_every_action_leads_somewhere_and_every_page_has_the_way_to_search(owner) -> None:
    with in_tenant("acme"):
        assert all(begins(one.title, one.title.lower().split()) for one in ACTIONS)
    found = page(owner, "", "/search/quick/")
    assert found.count('role="option"') == 12
    for path in ("/admin/", "/search/", "/admin/runs/testrun/"):
        shown = owner.get(path).content.decode()
        assert 'href="/search/" data-palette' in shown
        assert 'id="rb-palette"' in shown


def test_finding_costs_the_same_at_any_size(reader) -> None:
    costs = []
    for n in (2, 40):
        with in_tenant("acme"):
            mixed_evaluation(n, name="Saluni ya Amina")
            said("kesho")
        with CaptureQueriesContext(connection) as queries:
            page(reader, "kesho")
        costs.append(len([one for one in queries if "SET search_path" not in one["sql"]]))
    assert costs[0] == costs[1] <= 25

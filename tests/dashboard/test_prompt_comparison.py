"""Versions of a prompt beside each other: the matrix, its pairs, the texts, and what cannot be compared."""

from urllib.parse import urlencode

import pytest

from apps.catalog.prompts.services.recording import record_prompt_text
from apps.dashboard.prompts.queries.comparison import prompt_comparison_page
from apps.dashboard.prompts.queries.pairs import prompt_pairs_page
from apps.tenants.context import in_tenant
from tests.catalog.samples import questions
from tests.dashboard.prompt_samples import make_prompt_matrix
from tests.dashboard.test_pages import text_of

PAGE = "/workshop/compare/"


@pytest.fixture
def versions(db):
    with in_tenant("acme"):
        return make_prompt_matrix()


def query_of(versions, *names, **more):
    return urlencode([("first", versions["live"]), *(("v", versions[one]) for one in names), *more.items()])


EVERY = ("Say the time twice", "Never name the PIN", "Ask less", "Swahili greeting")


def test_the_matrix_says_who_wins_what_it_hurts_and_why_one_is_missing(owner, versions):
    page = text_of(owner.get(f"{PAGE}?{query_of(versions, *EVERY)}"))
    assert f"is better than {versions['live']} by 0.7" in page
    assert "✕ hurts time_confirmed" in page
    assert "▲ +2.1 , better" in page
    assert "▼ -1.4 , worse" in page
    assert f"No battle has played {versions['Swahili greeting']}" in page
    assert "not compared" in page
    assert "judged by booking-quality@4" in page


def test_the_worst_row_and_the_worst_criterion_come_first(owner, versions):
    with in_tenant("acme"):
        found = prompt_comparison_page(
            name="", first="", versions=[versions[one] for one in EVERY], config="", beside=""
        )
    assert found.first == versions["live"]
    assert [one.row.prompt.version for one in found.versions] == [
        versions[one] for one in ("Ask less", "Say the time twice", "Never name the PIN", "Swahili greeting")
    ]
    assert found.found.criteria[0] == "time_confirmed"
    assert found.beside.prompt.version == versions["Say the time twice"]


def test_a_cell_opens_its_pairs_changed_ones_first_beside_each_other(owner, versions):
    query = query_of(versions, "Ask less", of=versions["Ask less"], criterion="time_confirmed")
    answer = owner.get(f"{PAGE}pairs/?{query}")
    page = text_of(answer)
    assert "time_confirmed: 28 pairs got worse" in page
    assert "Nataka kusuka nywele kesho" in page
    assert "kesho saa tano" in page
    assert "Next pair (2 of 28)" in page
    assert "Next pair (3 of 28)" in text_of(owner.get(f"{PAGE}pairs/?{query}&n=2"))
    assert "Next pair (2 of 28)" in text_of(owner.get(f"{PAGE}pairs/?{query}&n=00000199"))


def test_nothing_chosen_offers_what_there_is_live_first(owner, versions):
    page = text_of(owner.get(PAGE))
    assert "Which version of booking is better, and on what?" in page
    assert page.index("a1b2c3d") < page.index("0ldc0de")
    assert "draft, proposed" in page
    prompt = owner.get(f"{PAGE}?prompt=booking")
    assert b'name="v"' in prompt.content


def test_one_version_alone_and_none_at_all_say_what_to_do_first(owner, db):
    assert "No prompt is recorded yet" in text_of(owner.get(PAGE))
    with in_tenant("acme"):
        record_prompt_text(name="lonely", text="Hello.", revision="1")
    assert "This prompt has one version only." in text_of(owner.get(PAGE))


def test_versions_that_cannot_stand_beside_each_other_are_told(owner, versions):
    with in_tenant("acme"):
        stranger = record_prompt_text(name="farewell", text="Say goodbye.", revision="1")
    answer = owner.get(f"{PAGE}?{urlencode([('first', versions['live']), ('v', stranger)])}")
    assert answer.status_code == 400
    assert b"versions of several prompts" in answer.content
    assert owner.get(f"{PAGE}?first={versions['live']}&v=booking@nobody").status_code == 404
    pairs = owner.get(f"{PAGE}pairs/?first={versions['live']}&v={stranger}&of={stranger}")
    assert (pairs.status_code, pairs["Location"].startswith(PAGE)) == (302, True)


def test_the_prompts_page_leads_here(owner, versions):
    with in_tenant("acme"):
        from apps.catalog.models import PromptVersion  # noqa: PLC0415 - a row of the tenant

        key = PromptVersion.objects.get(version=versions["live"]).pk
    assert (
        f"{PAGE}?prompt=booking&amp;v={versions['live'].replace('@', '%40')}".encode()
        in owner.get(f"/prompts/{key}/").content
    )


def test_the_queries_are_as_many_whatever_the_size(versions):
    with in_tenant("acme"):
        for names in (EVERY[:1], EVERY):
            with questions() as asked:
                prompt_comparison_page(
                    name="", first=versions["live"], versions=[versions[one] for one in names], config="", beside=""
                )
            assert len(asked) == 9
        with questions() as asked:
            prompt_pairs_page(
                first=versions["live"], versions=[versions["Ask less"]], of=versions["Ask less"], criterion="overall",
                config="", number="1", titles={"a": "A"},
            )  # fmt: skip
        assert len(asked) == 7

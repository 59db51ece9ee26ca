"""A count of a page is a link, and behind it are as many rows as it says."""

import html as markup
import re

import pytest
from django.utils import timezone

from apps.budgets.models import ModelCall
from apps.tenants.context import in_tenant
from tests.dashboard.matrix_samples import mixed_evaluation
from tests.dashboard.test_comparison_doors import two  # noqa: F401 - the fixture

# A number beside a badge, or alone in a cell that counts.
BARE_COUNT = re.compile(r'\d[\d,]*\s*<span class="rb-badge[^>]*>')
LINKS = re.compile(r"<a\b.*?</a>", re.DOTALL)


@pytest.fixture
def evaluation(db):
    with in_tenant("acme"):
        return mixed_evaluation(60)[0]


def read(client, address):
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def behind(client, page, path):
    """(number that is shown, rows of the list it leads to) of each link to this path."""
    links = re.findall(rf'<a[^>]* href="({re.escape(path)}\?[^"]+)"[^>]*>\s*([\d,]+)(?: calls)?\s*</a>', page)
    assert links, f"no count leads to {path}"
    for address, shown in links:
        answer = client.get(markup.unescape(address))
        assert answer.status_code == 200, address
        yield int(shown.replace(",", "")), answer.context["cl"].result_count


def test_no_count_of_a_result_page_is_bare(owner, evaluation, two):  # noqa: F811 - the fixture
    a, b = two
    pages = (
        f"/evaluations/{evaluation.pk}/", f"/evaluations/{evaluation.pk}/matrix/", f"/runs/{evaluation.run_id}/",
        f"/comparisons/?a={a.pk}&b={b.pk}&now=1", "/admin/", "/usage/",
    )  # fmt: skip
    bare = {page: BARE_COUNT.findall(LINKS.sub("", read(owner, page))) for page in pages}
    assert bare == {page: [] for page in pages}
    assert BARE_COUNT.search('<p>12 <span class="rb-badge rb-bad">fail</span></p>')


def test_each_verdict_of_the_card_has_its_rows(owner, evaluation):
    page = read(owner, f"/evaluations/{evaluation.pk}/")
    shown = re.findall(r'href="[^"]+\?verdict=(\w+)">(\d+) <span', page)
    assert {one for one, _ in shown} >= {"pass", "fail", "not_measured"}
    assert sum(int(n) for _, n in shown) == 60
    for verdict, n in shown:
        rows = read(owner, f"/evaluations/{evaluation.pk}/matrix/?verdict={verdict}")
        assert rows.count('<th scope="row"') == int(n), verdict


def test_model_calls_are_behind_what_they_cost(owner, evaluation):
    with in_tenant("acme"):
        for purpose, model, cached, own in (
            ("judge", "gemini-2.5-flash", False, evaluation.pk), ("judge", "gemini-2.5-flash", True, evaluation.pk),
            ("judge", "a model/with & signs", False, evaluation.pk), ("analysis", "gemini-2.5-flash", False, None),
        ):  # fmt: skip
            ModelCall.objects.create(
                purpose=purpose, provider="google", requested_model=model, outcome="ok", cached=cached,
                evaluation_id=own, created_at=timezone.now(),
            )  # fmt: skip
    found = list(behind(owner, read(owner, "/usage/"), "/admin/budgets/modelcall/"))
    assert sorted(shown for shown, _ in found) == [1, 1, 1, 1, 2, 2]
    found += behind(owner, read(owner, f"/evaluations/{evaluation.pk}/"), "/admin/budgets/modelcall/")
    assert all(shown == rows for shown, rows in found), found

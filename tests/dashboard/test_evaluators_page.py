"""The page on which the evaluators of a run are compared."""

import re

import pytest

from tests.evaluations.bench import imported
from tests.reports.test_comparing import evaluation
from tests.reports.test_evaluators import NAMES, judged_thrice

pytestmark = pytest.mark.usefixtures("tenant")


def test_the_run_leads_to_the_page_and_the_page_names_the_more_consistent(owner):
    few, many = judged_thrice(run := imported(*NAMES))
    assert f"/comparisons/?run={run}" in owner.get(f"/runs/{run}/").content.decode()
    page = owner.get(f"/comparisons/?run={run}").content.decode()
    assert "few@1 is the most consistent" in page
    assert "most consistent</span>" in page
    assert "24 / 24" in page
    assert 'class="rb-matrix rb-columns"' in page  # and each case under each of them
    assert re.search(r'rb-criterion">\s*<a[^>]*>\s*few@1</a>', page)  # columns of one run are named by who judged
    chosen = owner.get(f"/runs/{run}/evaluators/?e={few.pk}&e={many.pk}", follow=True).content.decode()
    assert f'value="{few.pk}" checked' in chosen


def test_one_evaluator_alone_is_told_what_to_do(owner):
    run = imported(*NAMES)
    row = evaluation({name: {"tone": 2} for name in NAMES}, config="one", run=run)
    page = owner.get(f"/runs/{run}/evaluators/", follow=True)
    assert page.status_code == 200
    assert "Only one@1 judged this run" in page.content.decode()
    assert owner.get(f"/runs/{run}/evaluators/?e={row.pk}", follow=True).status_code == 400
    assert owner.get(f"/runs/{run}/evaluators/?e=nothing", follow=True).status_code == 404

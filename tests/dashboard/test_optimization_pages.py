"""Improving a prompt in the browser: what it would take, how it goes on, which fix helps what, and what comes next."""

import os
import re
from pathlib import Path

import pytest

from apps.catalog.models import Scenario
from apps.improvement.drafts.services.advancing_trials import advance_trials
from apps.improvement.models import FamilyPart, Optimization, Trial
from tests.improvement.optimization_rows import go_on, try_next
from tests.improvement.test_optimizing import evaluation, tried, writers  # noqa: F401 - fixtures
from tests.improvement.trial_rows import NOW, gain, make_families, play

pytestmark = pytest.mark.usefixtures("tenant")
SHOTS = os.environ.get("RATIBA_PAGES", "")  # a folder: the pages are kept there to be looked at


def words(answer, name: str = "") -> str:
    assert answer.status_code == 200, answer.status_code
    if SHOTS and name:
        Path(SHOTS, f"{name}.html").write_bytes(answer.content)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.content.decode()))


def test_an_evaluation_offers_it_says_what_it_takes_and_starts_it(owner, evaluation) -> None:  # noqa: F811
    start = f"/evaluations/{evaluation.pk}/improve/"
    assert start in owner.get(f"/evaluations/{evaluation.pk}/").content.decode()
    assert "One fix a draft" in words(owner.get(start), "improve")
    form = {"mode": "surgical", "drafts": "2", "prompt": "greeting", "config": "probe"}
    told = words(owner.post(f"{start}forecast/", form))
    assert "At most 48 conversations (2 drafts and their combination, one after the other" in told
    assert "(5 to 10 s apart)" in told
    assert "12 more families are needed" in told
    assert "Round 1 of 3" in words(owner.post(start, {**form, "then": "forecast"}), "improve-forecast")
    assert not Optimization.objects.exists()
    refused = words(owner.post(start, {**form, "mode": "magic"}))
    assert "Nothing was started: There is no mode" in refused
    answer = owner.post(start, form)
    row = Optimization.objects.get()
    assert (answer.status_code, answer.url) == (302, f"/workshop/optimizations/{row.pk}/")
    assert 'hx-trigger="every 3s"' in owner.get(answer.url).content.decode()
    assert "An optimization of this prompt goes on" in words(owner.get(start))
    owner.post(f"{answer.url}cancel/")
    assert "Cancelled by" in words(owner.get(answer.url))


def test_the_sentence_comes_first_then_the_matrix_and_the_conflict(owner, evaluation) -> None:  # noqa: F811
    row = tried(evaluation, "payment", "prices", "again")
    path = f"/workshop/optimizations/{row.pk}/"
    assert "greeting is being improved: 0 of 3 drafts tried." in words(owner.get(path), "optimization-live")
    for score in (gain(0.4), gain(0.9), gain(0.6)):
        try_next(row, score)
    page = words(owner.get(path), "optimization-done")
    assert page.index("3 of 3 drafts scored higher") < page.index("Fix by criterion")
    assert "▲ better: +1.05" in page
    assert "winners change it in different ways" in page
    assert "Prove the best" not in page  # there is no hold-out to prove it on
    assert "There is no hold-out to prove it on. 0 families are sealed" in page
    drafts = list(row.drafts.order_by("position").values_list("draft_id", flat=True))
    section = re.findall(r'name="choice (\w+)"', owner.get(path).content.decode())[0]
    owner.post(f"{path}combine/", {f"choice {section}": str(drafts[1])})
    row.refresh_from_db()
    assert row.status == "running"
    assert row.drafts.get(place="combined").draft.parts
    assert Trial.objects.count() == 3


def test_what_customers_complained_of_stands_beside_each_fix(owner, evaluation) -> None:  # noqa: F811
    row = tried(evaluation, "payment", "prices")
    path = f"/workshop/optimizations/{row.pk}/"
    slug = Trial.objects.get().scenarios[0]
    Scenario.objects.filter(slug=slug).update(
        origin="production", status="released", released_by="amina", released_at=NOW, opening="Braids at ten?",
        must_not=[{"criterion": "flow", "below": 5.8}],
    )  # fmt: skip
    assert "Braids at ten?" not in words(owner.get(path)), "nobody played it with a fix yet"
    for score in (gain(0.4), gain(0.9)):
        try_next(row, score)
    page = words(owner.get(path), "optimization-complaints")
    assert "1 of 1 complaint is not fixed: “Braids at ten?” happened again in 1 of 1 play." in page
    assert "1 of 1 complaint is fixed." in page
    assert "With the best" not in page
    Scenario.objects.filter(slug=slug).update(must_not=[{"criterion": "flow", "below": 9.0}])
    page = words(owner.get(path))
    assert "With the best: 1 of 1 complaint is not fixed" in page
    assert page.index("With the best") < page.index("Fix by criterion")


def test_a_search_is_shown_step_by_step(owner, evaluation) -> None:  # noqa: F811
    row = tried(evaluation, "payment")
    steps = [{"parent": 0, "draft": 1, "families": ["family-12"], "before": 0.0, "after": 0.5},
             {"parent": 1, "draft": None, "families": ["family-13"], "before": None, "after": None}]  # fmt: skip
    plan = {"train": ["family-12", "family-13"], "selection": ["family-00"], "trials": {}, "most_plays": 60}
    Optimization.objects.filter(pk=row.pk).update(mode="reflective", search=plan | {"steps": []})
    assert "No step is over yet." in words(owner.get(f"/workshop/optimizations/{row.pk}/"))
    Optimization.objects.filter(pk=row.pk).update(search=plan | {"steps": steps})
    shown = words(owner.get(f"/workshop/optimizations/{row.pk}/"))
    assert "draft 1 the live prompt 0.00 +0.50" in shown.replace("+0.00", "0.00")
    assert "none came of it draft 1 not scored not scored" in shown
    assert "2 families to write from, 1 family to choose by, at most 60 plays" in shown


def test_a_draft_that_is_better_is_one_click_from_its_release(owner, evaluation) -> None:  # noqa: F811
    make_families(12, first=12)
    FamilyPart.objects.bulk_create(
        FamilyPart(family=f"family-{number}", part="hold_out", set_number=1, drawn_at=NOW) for number in range(12, 24)
    )
    row = tried(evaluation, "payment", prove=True)
    try_next(row, gain(2.0))
    advance_trials(now=NOW)
    play(row.proof, gain(2.0))
    advance_trials(now=NOW)
    go_on(row)
    assert row.outcome == "better"
    page = owner.get(f"/workshop/optimizations/{row.pk}/").content.decode()
    assert page.count(f'href="/workshop/drafts/{row.proof.draft_id}/"') == 3  # the button, the matrix, what comes next
    assert "It took 48 conversations" in re.sub(r"\s+", " ", page)  # two sides of twelve families, twice

"""Trying a draft in the browser: what it would take, how it goes on, what it came to and what comes next."""

import re

import pytest

from apps.improvement.drafts.services.advancing_trials import advance_trials
from apps.improvement.models import FamilyPart, PromptDraft, Trial
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import signed_in
from tests.improvement.trial_rows import NOW, ask, decided, gain, make_families, make_world, play

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(owner):
    with in_tenant("acme"):
        return make_world(personas=("aunt", "uncle"))


def words(answer) -> str:
    assert answer.status_code == 200, answer.status_code
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.content.decode()))


def start(draft) -> str:
    return f"/workshop/drafts/{draft}/trials/new/"


def made(draft, score, **more) -> str:
    with in_tenant("acme"):
        return f"/workshop/trials/{decided(draft, score, **more).pk}/"


def test_the_start_says_what_it_takes_before_anything_starts(owner, draft):
    page = words(owner.get(start(draft)))
    assert "Is greeting@sha256-" in page
    assert "hold-out: 12 families sealed; spends one of 3 looks, 3 left" in page
    told = words(owner.post(f"/workshop/drafts/{draft}/trials/forecast/", {"config": "probe", "repeats": "2"}))
    assert "48 conversations 12 scenarios of 12 families, 2 prompts" in told
    assert "show a true gain of 0.9 points" in told
    assert "look 1 of 3" in told
    without_script = words(owner.post(start(draft), {"config": "probe", "then": "forecast"}))
    assert "24 conversations (12 scenarios of 12 families, 2 prompts)" in without_script
    with in_tenant("acme"):
        assert not Trial.objects.exists()


def test_it_is_started_followed_and_stopped(owner, draft):
    answer = owner.post(start(draft), {"config": "probe", "part": "hold_out", "budget": "2.50", "persona": "aunt"})
    assert answer.status_code == 302
    path = answer["location"]
    with in_tenant("acme"):
        row = Trial.objects.get()
        assert (str(row.budget_usd), row.personas, row.requested_by) == ("2.5000", ["aunt"], "amina")
    page = owner.get(path)
    assert 'hx-trigger="every 3s"' in page.content.decode()
    assert "begins" in words(page)
    with in_tenant("acme"):
        advance_trials(now=NOW)
    assert "0 of 48 conversations and judgements are done" in words(owner.get(path))
    assert "A trial of this draft goes on" in words(owner.get(start(draft)))
    assert owner.post(f"{path}cancel/").status_code == 302
    page = owner.get(path)
    assert "was stopped: Cancelled by amina." in words(page)
    assert "hx-trigger" not in page.content.decode().partition('id="rb-live"')[2][:200]
    assert owner.post(f"{path}cancel/", follow=True).status_code == 200


@pytest.mark.parametrize(
    "form, told",
    [
        ({}, "Choose who judges."),
        ({"config": "nobody"}, "Nothing was started: "),
        ({"config": "probe", "part": "x"}, "There is no part"),
        ({"config": "probe", "repeats": "0"}, "Repeats is a number from 1 to 10."),
        ({"config": "probe", "budget": "lots"}, "At most is a number of dollars"),
        ({"config": "probe", "part": "selection"}, "No scenario of the part selection can be played"),
    ],
)
def test_what_cannot_be_started_is_told_on_the_form(owner, draft, form, told):
    assert told in words(owner.post(start(draft), form))
    with in_tenant("acme"):
        assert not Trial.objects.exists()


def test_a_gain_is_the_first_sentence_and_release_comes_next(owner, draft):
    page = words(owner.get(made(draft, gain(1.0))))
    assert "Better (+1.15)." in page
    how = page.partition("How this was decided")[2]
    assert "Better: +1.15 points over 12 families" in how
    assert "better than live" in page
    assert "Release it" in page
    assert "Where it comes from" in page
    assert "By persona and language" in page
    assert "s00" not in page  # nothing of a single family of a hold-out
    assert "family-00" not in page


def test_a_block_is_lifted_on_the_page_with_a_reason(owner, draft):
    path = made(draft, gain(1.0), criteria={"facts": gain(-1.6)})
    page = words(owner.get(path))
    assert "Blocked: " in page
    assert "worse: blocks the draft" in page
    owner.post(f"{path}lift/", {"criterion": "facts", "reason": ""})
    assert "lifted by" not in words(owner.get(path))
    owner.post(f"{path}lift/", {"criterion": "facts", "reason": "The old facts were wrong."})
    page = words(owner.get(path))
    assert "lifted by amina: The old facts were wrong." in page
    assert "acknowledge who is worse: facts" in page


def test_families_are_told_for_the_parts_that_prove_nothing(owner, draft):
    with in_tenant("acme"):
        FamilyPart.objects.update(part="selection", set_number=0)
    page = words(owner.get(made(draft, gain(1.0), part="selection")))
    assert "selection: it proves nothing" in page
    assert "By family, worst first" in page
    assert "family-00" in page
    assert "Compare pair by pair" in page
    assert "try it on the hold-out" in page


def test_a_trial_that_decided_nothing_says_why_and_that_no_look_is_spent(owner, draft):
    page = words(owner.get(made(draft, lambda side, scenario: 5.0 if side == "live" else None)))
    assert "decided nothing: No conversation has a score with both prompts" in page
    assert "no look is spent" in page


def test_new_families_are_drawn_on_the_page(owner, draft):
    with in_tenant("acme"):
        make_families(2, first=20)
        FamilyPart.objects.filter(family__gte="family-08").update(part="selection", set_number=0)
    assert "Draw new families" in words(owner.get(start(draft)))
    page = words(owner.post(f"/workshop/drafts/{draft}/hold-out/", follow=True))
    assert "of the selection are sealed now" in page
    assert "12 families sealed" in page


def test_a_viewer_reads_and_starts_nothing(owner, draft):
    path = made(draft, gain(1.0))
    viewer = signed_in("vera", "view_trial", "view_promptdraft")
    page = words(viewer.get(path))
    assert "Better: " in page
    assert "Try again" not in page
    assert viewer.get(start(draft)).status_code == 403
    assert viewer.post(f"{path}cancel/").status_code == 403
    assert viewer.post(f"{path}lift/").status_code == 403


def test_a_page_costs_the_same_whatever_the_size(owner, draft, django_assert_max_num_queries):
    path = made(draft, gain(1.0))
    with django_assert_max_num_queries(72):
        owner.get(path)
    with in_tenant("acme"):
        row = ask(draft)
        advance_trials(now=NOW)
        play(row, gain(0.5))
        assert PromptDraft.objects.count() == 1
    with django_assert_max_num_queries(45):
        owner.get(f"/workshop/trials/{row.pk}/")

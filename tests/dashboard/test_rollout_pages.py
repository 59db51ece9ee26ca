"""The pages of rollouts: what a canary came to, what happened, and what a person does with it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.production.models import Rollout, RolloutEvent
from apps.production.rollouts.domain.states import RolloutStatus
from apps.production.rollouts.queries.figures import rollout_figures
from apps.production.rollouts.services.steering import end
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import signed_in
from tests.dashboard.test_pages import text_of
from tests.evaluations.bench import make_config
from tests.production.rollout_rows import CALLERS, CANARY, ids, post, role, start

METRICS = [
    {"metric": "score", "title": "Score", "verdict": "worse", "stable_n": 96, "canary_n": 91,
     "stable": 7.4, "canary": 6.5, "harm": 0.9, "low": 0.5, "high": 1.3, "evidence": 400, "called_at": 100,
     "callers": 3, "left_out": 1, "logs": False},
    {"metric": "cost", "title": "Cost a conversation", "verdict": "within", "stable_n": 900, "canary_n": 91,
     "stable": 0.021, "canary": 0.022, "harm": 0.05, "low": 0.01, "high": 0.1, "evidence": 1, "called_at": 100,
     "callers": 3, "left_out": 0, "logs": True},
    {"metric": "thumbs_down", "title": "Thumbs down", "verdict": "no_data", "stable_n": 12, "canary_n": 3,
     "stable": 0.07, "canary": 0.13, "harm": None, "low": None, "high": None, "evidence": None, "called_at": 100,
     "callers": 1, "left_out": 0, "logs": False},
]  # fmt: skip


@pytest.fixture
def rollout(db: None) -> Rollout:
    with in_tenant("acme"):
        role()
        return start(percentage=5)


def test_the_list_says_what_is_rolled_out_now(owner, rollout) -> None:
    page = text_of(owner.get("/production/rollouts/"))
    assert f"{CANARY} gets 5 % of its conversations." in page
    assert "running" in page


def test_a_canary_of_which_nobody_was_judged_is_not_called_judged(owner, rollout) -> None:
    address = f"/production/rollouts/{rollout.pk}/"
    assert rollout.evaluator_config
    assert "none of them is judged yet" in text_of(owner.get(address))
    with in_tenant("acme"):
        Rollout.objects.filter(pk=rollout.pk).update(
            status=RolloutStatus.STOPPED,
            ended_at=timezone.now(),
            figures={**rollout.figures, "judged": {"canary": 12, "stable": 11}, "metrics": METRICS},
        )
    assert "12 of the canary were judged, and 11 stable ones" in text_of(owner.get(address))


def test_an_empty_list_says_how_the_first_one_comes(owner) -> None:
    assert "No prompt has had a rollout yet." in text_of(owner.get("/production/rollouts/"))


def test_a_rollout_is_forecast_started_raised_and_rolled_back_on_its_pages(owner) -> None:
    with in_tenant("acme"):
        role()
    form = {"role": "greeting", "canary": CANARY, "percentage": "5", "hours": "24", "config": ""}
    assert "nothing can be forecast" in text_of(owner.post("/production/rollouts/start/", {**form, "then": "forecast"}))
    assert "whole number" in text_of(owner.post("/production/rollouts/start/", {**form, "hours": "a day"}))
    made = owner.post("/production/rollouts/start/", form, follow=True)
    address = made.redirect_chain[-1][0]
    page = text_of(made)
    assert "too little is known so far" in page
    assert "A day is needed: 24 hours more." in page
    assert "Raised from 5 % to 25 %." in text_of(owner.post(f"{address}change/", {"percentage": "25"}, follow=True))
    assert "only raised" in text_of(owner.post(f"{address}change/", {"percentage": "5"}, follow=True))
    back = text_of(owner.post(f"{address}rollback/", {"reason": "guests complain"}, follow=True))
    assert "rolled back after" in back
    assert "guests complain" in back
    with in_tenant("acme"):
        assert list(RolloutEvent.objects.values_list("by", flat=True).distinct()) == ["amina"]


def test_what_was_rolled_back_says_why_with_its_figures(owner, rollout) -> None:
    with in_tenant("acme"):
        post(ids(CALLERS[0], above=5, below=100, count=1)[0])
        figures = {**rollout_figures(rollout).as_json(), "metrics": METRICS}
        sentence = "Rolled back by the rule: it scores 0.9 lower [0.5, 1.3] than stable."
        end(rollout, RolloutStatus.ROLLED_BACK, by="", now=timezone.now(), sentence=sentence, figures=figures)
    page = text_of(owner.get(f"/production/rollouts/{rollout.pk}/"))
    assert "it scores 0.9 lower [0.5, 1.3] than stable" in page
    assert "−0.9 [−1.3, −0.5]" in page
    assert "worse: rolled back" in page
    assert "within 20 %" in page
    assert "no data yet" in page
    assert "Start again…" in page
    assert "1 caller of one arm alone left out" in page


def test_two_roles_at_once_say_that_they_cannot_be_told_apart(owner, rollout) -> None:
    with in_tenant("acme"):
        role("booking")
        other = start("booking", beside_others=True)
    for row in (rollout, other):
        assert "cannot be told apart" in text_of(owner.get(f"/production/rollouts/{row.pk}/"))


def test_who_may_only_read_is_offered_nothing_to_press(rollout) -> None:
    viewer = signed_in("vera", "view_rollout")
    page = viewer.get(f"/production/rollouts/{rollout.pk}/")
    assert page.status_code == 200
    assert "Roll back" not in text_of(page)
    assert viewer.post(f"/production/rollouts/{rollout.pk}/rollback/").status_code == 403
    assert viewer.get("/production/rollouts/start/").status_code == 403


def test_a_page_asks_the_same_number_of_questions_whatever_the_size(
    owner, rollout, django_assert_max_num_queries
) -> None:
    with in_tenant("acme"):
        for id in ids(CALLERS[0], above=5, below=100, count=8):
            post(id)
    with django_assert_max_num_queries(30):
        owner.get(f"/production/rollouts/{rollout.pk}/")


def test_after_its_time_the_page_says_that_nobody_gets_it_and_offers_more_hours(owner, rollout) -> None:
    with in_tenant("acme"):
        Rollout.objects.filter(pk=rollout.pk).update(ends_at=timezone.now() - timedelta(minutes=5))
    page = text_of(owner.get(f"/production/rollouts/{rollout.pk}/"))
    assert "nobody gets it since" in page
    assert "everybody gets what is live again: its last conversations are being judged." in page
    assert "Prolong" in page
    assert "Try one conversation" not in page
    assert "Nothing is rolled out now: every conversation gets what is live." in text_of(
        owner.get("/production/rollouts/")
    )


def test_a_start_that_nobody_would_judge_says_what_to_choose(owner) -> None:
    with in_tenant("acme"):
        role()
        make_config(name="other")
    form = {"role": "greeting", "canary": CANARY, "percentage": "5", "hours": "24", "config": ""}
    page = text_of(owner.post("/production/rollouts/start/", form))
    assert "Nothing was started: Nobody would judge it: say with which evaluator config" in page
    assert "other, probe" in page

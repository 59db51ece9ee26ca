"""Home knows what happens to real customers: complaints, canaries that went back or wait, and how much came in."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.catalog.models import Agent
from apps.production.intake.services.feedback import take_feedback
from apps.production.models import Rollout
from apps.production.rollouts.services.steering import change_rollout
from apps.production.rollouts.services.watching_rollouts import look_at_rollouts
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import signed_in
from tests.dashboard.test_home_needs import dismiss
from tests.dashboard.test_pages import text_of
from tests.production.rollout_rows import CALLERS, CANARY, STABLE, ids, post, role, start


def home(client: Any) -> str:
    return text_of(client.get("/admin/"))


def complain(*numbers: int) -> None:
    with in_tenant("acme"):
        for n in numbers:
            body = {"id": f"d{n}", "conversation_id": str(post(f"chat {n}")), "rating": "down"}
            take_feedback(body=body, now=timezone.now())


def played(*, canary_usd: float) -> None:
    """A rollout whose canary costs that much, and stable two cents."""
    role()
    start(percentage=25)
    for caller in CALLERS[:2]:
        for id in ids(caller, below=25, count=20):
            post(id, CANARY, caller=caller, cost_usd=canary_usd)
        for id in ids(caller, above=25, below=100, count=20):
            post(id, STABLE, caller=caller, cost_usd=0.02)
    look_at_rollouts(now=timezone.now())


def test_complaints_stand_on_home_at_once_and_lead_to_them(owner: Any) -> None:
    complain(1, 2, 3)
    page = home(owner)
    assert "3 complaints since yesterday" in page
    assert "One thing needs you" in page
    assert "In production: 3 real conversations and 3 complaints in the last 7 days." in page
    assert "Nothing has been run yet" not in page
    assert "starter pack" not in page
    html = owner.get("/admin/").content.decode()
    assert '"/production/#complaints"' in html
    assert 'id="complaints"' in owner.get("/production/").content.decode()


def test_a_further_complaint_calls_again_whoever_dismissed_the_first(owner: Any) -> None:
    complain(1)
    dismiss(owner)
    assert "Nothing needs you" in home(owner)
    complain(2)
    assert "2 complaints since yesterday" in home(owner)


def test_a_viewer_sees_that_complaints_wait_for_others(owner: Any) -> None:
    complain(1)
    viewer = signed_in("juma", "view_testrun", "view_conversation", "view_evaluation", "view_productionconversation")
    assert "Nothing needs you; one thing waits for others" in home(viewer)


def test_a_canary_that_went_back_by_the_rule_stands_there_until_the_next_rollout(owner: Any) -> None:
    with in_tenant("acme"):
        played(canary_usd=0.04)
    page = home(owner)
    assert f"The canary {CANARY} went back" in page
    assert "it costs more than stable: +100 %" in page
    assert "Nothing needs you" not in page
    with in_tenant("acme"):
        start(percentage=5, now=timezone.now())
    page = home(owner)
    assert "went back" not in page
    assert f"{CANARY} gets 5 %" in page


def test_a_canary_that_is_no_worse_waits_for_a_person(owner: Any) -> None:
    with in_tenant("acme"):
        role()
        rollout = start(percentage=25)
        Rollout.objects.update(figures={"metrics": [{"metric": "score", "verdict": "within"}]})
        assert "waits for a person" not in home(owner)
        now = timezone.now()
        Rollout.objects.update(created_at=now - timedelta(hours=30), ends_at=now - timedelta(hours=1))
    assert "Its time is over and nobody gets it: promote it or stop it." in home(owner)
    with in_tenant("acme"):
        change_rollout(rollout.pk, by="amina", now=timezone.now(), hours=24)
    page = home(owner)
    assert f"The canary {CANARY} waits for a person: it was shown to be no worse" in page
    assert "nobody gets it" not in page


@pytest.mark.parametrize("held", ["nothing", "an agent"])
def test_the_starter_pack_is_offered_in_an_empty_tenant_alone(owner: Any, held: str) -> None:
    if held == "an agent":
        with in_tenant("acme"):
            Agent.objects.create(name="booking", kind="http")
    page = home(owner)
    assert ("Load a starter pack" in page) == (held == "nothing")
    assert ("Nothing has been run yet" in page) == (held == "nothing")
    assert "Start a run" in page

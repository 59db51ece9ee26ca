"""A faulty agent beside a sound one: from Home to the proof by clicks alone, in a real browser."""

from collections.abc import Iterator

import pytest

from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.runs.models import Conversation, TestRun, Turn
from apps.tenants.context import in_tenant
from tests.api.conftest import server  # noqa: F401 - the fixture
from tests.dashboard.conftest import NOW, signed_in, version
from tests.doors.browser import CHROMIUM, NARROW, WIDE, Chromium

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")
CASES, MAX_CLICKS = 12, 2
FAULT = "Nitumie PIN yako ya M-Pesa, nithibitishe malipo."
SOUND = "Utapokea ombi la M-Pesa kwenye simu yako; usimpe mtu PIN."


def judged(agent: str, *, reply: str, score: float, quote: str, reason: str) -> None:
    """One run of an agent and its evaluation by one blocking criterion, as workers leave them."""
    run = TestRun.objects.create(
        kind="battle", status="completed", name=f"{agent}, every week", plan={"agent": {"name": agent}},
        subject={"agent": agent}, started_at=NOW, ended_at=NOW, progress_at=NOW,
    )  # fmt: skip
    criterion = {"name": "payment_safety", "pass_mark": 6.0, "weight": 1.0, "blocking": True, "kind": "core"}
    judge = {"provider": "google", "model": "gemini-2.5-flash", "fallback": None}
    evaluation = Evaluation.objects.create(
        run=run, config_version_id=version(("first",)), config_ref="tea@1", status="completed", subject=run.subject,
        snapshot={"criteria": [criterion], "parameters": {}, "llm_config": {"judge": judge}},
    )  # fmt: skip
    for at in range(CASES):
        conversation = Conversation.objects.create(
            run=run, position=at, external_id=f"{agent}-{at:02}", kind="battle", status="ended", language="sw",
            spec={"scenario": f"pay-{at}", "persona_name": "Wanjiru"}, started_at=NOW, ended_at=NOW,
        )  # fmt: skip
        for place, (role, text) in enumerate([("user", "Nalipaje?"), ("assistant", reply)]):
            Turn.objects.create(conversation=conversation, position=place, role=role, content=text, ts=NOW)
        judgement = Judgement.objects.create(
            evaluation=evaluation, conversation=conversation, status="scored", weighted_score=score + at / 20,
            fingerprint="f" * 64, judged_at=NOW, second_chances=0,
        )  # fmt: skip
        CriterionScore.objects.create(
            judgement=judgement, criterion="payment_safety", position=0, status="scored", score=score + at / 20,
            weight=1, pass_mark=6, reason=reason, evidence=[{"quote": quote, "turn": 1, "kind": "exact"}],
        )  # fmt: skip


@pytest.fixture(scope="module")
def session(django_db_setup, django_db_blocker) -> Iterator[str]:
    with django_db_blocker.unblock():
        with in_tenant("acme"):
            judged("sound", reply=SOUND, score=9.0, quote="usimpe mtu PIN", reason="Warns of giving the PIN away.")
            judged("faulty", reply=FAULT, score=1.0, quote="Nitumie PIN yako", reason="Asks the customer for the PIN.")
        yield signed_in("amina", superuser=True).cookies["sessionid"].value
        django_db_setup.reset()


@pytest.fixture(scope="module")
def chromium(server: str) -> Iterator[Chromium]:  # noqa: F811 - the fixture
    browser = Chromium(server)
    yield browser
    browser.close()


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["1280", "390"])
def test_from_home_to_the_proof(chromium, session, size) -> None:
    def work(page):
        clicks = 0

        def click(name):
            nonlocal clicks
            clicks += 1
            page.get_by_role("link", name=name).first.click()
            page.wait_for_load_state("load")

        home = page.locator(".rb").first.inner_text()
        agents = page.locator("ul.rb-needs").last
        sound = agents.locator("li", has_text="sound").inner_text()
        faulty = agents.locator("li", has_text="faulty").inner_text()
        click("Open faulty")
        evaluation = page.locator(".rb-headline").first.inner_text()
        click("Open worst conversation")
        return clicks, home, sound, faulty, evaluation, page.locator(".rb").first.inner_text(), page.locator(
            "mark", has_text="Nitumie PIN yako"
        ).count()  # fmt: skip

    found, complaints = chromium.visit("acme.localhost", "/admin/", work, session=session, size=size)
    clicks, home, sound, faulty, evaluation, proof, marked = found
    assert complaints == []
    assert clicks <= MAX_CLICKS
    needs, heading, _ = home.partition("\nAgents\n")
    assert heading
    assert "faulty" in needs  # named before the list of all agents
    assert "fail" in faulty.lower()
    assert "fail" not in sound.lower()
    assert "payment_safety" in evaluation
    assert "Asks the customer for the PIN." in proof
    assert "Nitumie PIN yako ya M-Pesa" in proof
    assert marked == 1

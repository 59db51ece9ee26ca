"""Pages say which battles were invalid, and what the simulated customer did wrong in which turn."""

from apps.runs.models import Conversation, SimulatorReview
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import NOW, make_run
from tests.dashboard.test_pages import text_of

FINDING = {
    "kind": "broke", "behaviour": "hurry", "turn": 2, "quote": "I have <b>all</b> day", "why": "It was in a hurry.",
    "critical": True, "verified": True,
}  # fmt: skip


def spoiled(count: int = 3):
    """A run of battles of which the first is out, after three attempts."""
    with in_tenant("acme"):
        run, rows = make_run(count)
        Conversation.objects.filter(run=run).update(kind="battle", simulator_verdict="kept")
        fields = {"status": "failed", "blame": "simulator", "simulator_verdict": "broke", "attempt": 3}
        Conversation.objects.filter(pk=rows[0].pk).update(**fields)
        for attempt in (1, 2, 3):
            findings = [FINDING, {**FINDING, "kind": "leaked", "verified": False}]
            SimulatorReview.objects.create(
                conversation=rows[0], attempt=attempt, verdict="broke", findings=findings, model="reviewer-model",
                reviewed_at=NOW,
            )  # fmt: skip
        return run, rows


def test_the_runs_page_says_how_many_battles_were_invalid(owner, db):
    run, _ = spoiled()
    text = text_of(owner.get(f"/runs/{run.pk}/"))
    assert "1 of 3 battles invalid: the simulated customer was at fault, and they count for nobody." in text
    assert "1 was played again for the simulated customer's sake." in text.replace("&#x27;", "'")
    answer = owner.get(f"/api/v1/test-runs/{run.pk}/").json()
    assert (answer["simulator"]["invalid"], answer["simulator"]["verdicts"]["kept"]) == (1, 2)


def test_a_battles_page_shows_what_was_wrong_in_the_customers_own_words(owner, db):
    _, rows = spoiled()
    answer = owner.get(f"/conversations/{rows[0].pk}/")
    text = text_of(answer)
    assert "the simulated customer broke its part" in text
    assert "It was in a hurry." in text
    assert "it counts for nothing" in text
    assert "<b>all</b>" not in answer.content.decode()
    assert "rb-simulator" not in owner.get(f"/conversations/{rows[1].pk}/").content.decode()

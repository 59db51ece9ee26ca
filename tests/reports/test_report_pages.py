"""The page of a long report: the verdict of the whole run first, then what failed, some conversations a page."""

import pytest

from apps.checks.models import CheckResult
from apps.runs.models import Conversation, TestRun
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import signed_in
from tests.runs.stage import NOW


@pytest.fixture
def long_run(db):
    """Sixty conversations of which the last one fails its check."""
    with in_tenant("acme"):
        run = TestRun.objects.create(kind="imported", name="long", status="completed", plan={}, ended_at=NOW)
        rows = [
            Conversation(run=run, position=n, external_id=f"c-{n:02}", kind="imported", status="ended")
            for n in range(60)
        ]
        Conversation.objects.bulk_create(rows)
        CheckResult.objects.bulk_create(
            CheckResult(
                run=run, conversation=row, check_name="no_url", source="run", measured_at=NOW,
                outcome="fail" if row is rows[-1] else "pass", score=0.0 if row is rows[-1] else 1.0, threshold=1.0,
            )
            for row in rows
        )  # fmt: skip
    return run


def test_a_long_report_tells_the_whole_verdict_and_shows_what_failed_first(long_run):
    owner = signed_in("amina", superuser=True)
    page = owner.get(f"/runs/{long_run.pk}/report/").content.decode()
    assert "60 conversations: 59 pass, 1 fail" in page
    assert page.index("c-59") < page.index("c-00")
    assert page.count("rb-replayed") == 25
    assert "1–25 of 60 conversations" in page
    last = owner.get(f"/runs/{long_run.pk}/report/?page=3").content.decode()
    assert "60 conversations: 59 pass, 1 fail" in last
    assert last.count("rb-replayed") == 10
    assert "c-59" not in last
    assert owner.get(f"/runs/{long_run.pk}/report/?page=nonsense").status_code == 200


def test_the_file_of_a_long_report_holds_every_conversation(long_run):
    whole = signed_in("amina", superuser=True).get(f"/runs/{long_run.pk}/report/report.json").json()
    assert len(whole["conversations"]) == 60
    assert (whole["verdict"], whole["conversations"][0]["name"]) == ("fail", "c-59")
    assert whole["outcomes"]["no_url"]["pass"] == 59

"""A run's report in a few sentences: asked for over HTTP, on the page and by the command; written by a worker."""

import json
import re
from datetime import timedelta
from decimal import Decimal as Money
from io import StringIO

import jsonschema
import pytest
from django.core.management import call_command

from apps.api.services.keys import add_api_key
from apps.budgets.domain.scopes import month_of
from apps.budgets.models import ModelCall
from apps.budgets.services.limits import set_limit
from apps.catalog.connections.services.storing import save_model_provider
from apps.core.errors import BadInput, Conflict
from apps.evaluations.progress.services.resume import resume_after_budget_raise
from apps.evaluations.requests.services.creating import request_evaluation
from apps.jobs.work import TimeSlice
from apps.reports.models import ReportSummary
from apps.reports.run_reports.queries.run_report import run_report
from apps.reports.run_reports.services.report_files import SCHEMA, report_html
from apps.reports.run_reports.services.requesting_summaries import request_summary
from apps.reports.run_reports.services.summary_deletion import delete_summaries
from apps.reports.tasks import summarise
from apps.runs.models import Conversation
from apps.tenants.services import update_workflow_config
from tests.api.api_client import Door
from tests.dashboard.conftest import signed_in
from tests.evaluations.bench import make_config
from tests.loopback.http_server import Answer, Request
from tests.loopback.providers import ModelProvider
from tests.reports.test_run_reports import replayed
from tests.runs.stage import NOW
from tests.secret_answers import as_asked

NONCE = re.compile(r"<<<END FACTS (\w+)>>>")
BAD = ("Which day?", "Booked: 9900/=.")


class Writer(ModelProvider):
    """Says that the first conversation differs, and one thing that nobody can know."""

    def __init__(self) -> None:
        super().__init__()
        self.prompts: list[str] = []
        self.says = ""

    def _handle(self, request: Request) -> Answer:
        prompt = json.loads(request.body)["messages"][-1]["content"]
        self.prompts.append(prompt)
        sentences = [
            {"kind": "finding", "text": "The price differs from the golden session.", "index": [1]},
            {"kind": "next", "text": "It failed in 83 % of all weeks.", "index": [1]},
        ]
        answer = {"nonce": NONCE.findall(prompt)[-1], "sentences": sentences}
        self.text = self.says or json.dumps(as_asked(prompt, answer))
        return super()._handle(request)


@pytest.fixture
def run(tenant):
    """Checked before there was a model: the judged checks of it are unmeasurable."""
    return replayed(*BAD)


@pytest.fixture
def writer(tenant, run):
    with Writer() as server:
        save_model_provider(name="writer", kind="openai", base_url=server.base_url("openai"), api_key="k")
        update_workflow_config(
            slug=tenant, changes={"models": {"judge": {"provider": "writer", "model": "writer-1"}}}
        )  # fmt: skip
        yield server


def work(tenant: str) -> ReportSummary:
    summarise(TimeSlice(tenant=tenant, now=lambda: NOW, until=NOW + timedelta(seconds=30)))
    return ReportSummary.objects.latest("created_at")


def test_a_worker_writes_it_and_it_stands_in_the_report_beside_what_it_left_out(tenant, run, writer) -> None:
    before = run_report(run)
    request_summary(run_id=run, by="amina")
    with pytest.raises(Conflict, match="already"):
        request_summary(run_id=run, by="baraka")
    assert run_report(run)["summary"]["status"] == "pending"
    row = work(tenant)
    assert (row.status, row.left_out, row.model) == ("completed", 1, "writer-1"), row.error_message
    report = run_report(run)
    assert (report["summary"]["current"], report["verdict"]) == (True, before["verdict"])
    request_evaluation(config=make_config(), run_id=run, now=NOW)
    assert run_report(run)["summary"]["current"] is False
    (said,) = report["summary"]["sentences"]
    assert said["conversations"] == [report["conversations"][0]["id"]]
    jsonschema.validate(report, json.loads(SCHEMA.read_text()))
    assert "The price differs from the golden session." in report_html(report).decode()
    call = ModelCall.objects.get(purpose="report_summary")
    assert str(call.run_id) == str(run)
    assert "9900" in writer.prompts[0]


def test_without_a_model_nobody_is_asked(run) -> None:
    with pytest.raises(BadInput, match="choose a model"):
        request_summary(run_id=run, by="amina")
    assert not ReportSummary.objects.exists()


def test_an_unreadable_answer_is_told_and_may_be_asked_for_again(tenant, run, writer) -> None:
    writer.says = "All is well."
    request_summary(run_id=run, by="amina")
    row = work(tenant)
    assert (row.status, row.sentences) == ("failed", [])
    assert row.error_message
    request_summary(run_id=run, by="amina")


def test_one_that_waits_for_a_spent_budget_is_written_once_it_is_raised(tenant, run, writer) -> None:
    set_limit(scope=month_of(NOW), usd=Money("0.000001"))
    request_summary(run_id=run, by="amina")
    row = work(tenant)
    assert row.status == "pending"
    assert "budget" in row.waiting_for
    assert row.not_before > NOW + timedelta(days=1)
    set_limit(scope=month_of(NOW), usd=Money(5))
    assert resume_after_budget_raise(now=NOW) == [month_of(NOW)]
    assert work(tenant).status == "completed"


def test_over_http_and_on_the_page_who_may_steer_runs_asks(tenant, run, writer) -> None:
    door = Door(tenant, add_api_key(scopes=["read", "write"]).secret)
    reader = Door(tenant, add_api_key(scopes=["read"]).secret)
    assert reader.post(f"test-runs/{run}/report/summary/", {}).status_code == 403
    asked = door.post(f"test-runs/{run}/report/summary/", {})
    assert (asked.status_code, asked.json()["status"]) == (202, "pending")
    assert door.post(f"test-runs/{run}/report/summary/", {}).json()["code"] == "already_asked"
    work(tenant)
    assert door.get(f"test-runs/{run}/report/").json()["summary"]["status"] == "completed"
    viewer = signed_in("viewer", "view_testrun", "view_conversation")
    member = signed_in("member", "view_testrun", "view_conversation", "change_testrun")
    assert f'hx-get="/runs/{run}/report/summary/"' in viewer.get(f"/runs/{run}/report/").content.decode()
    page = viewer.get(f"/runs/{run}/report/summary/").content.decode()
    assert "The price differs from the golden session." in page
    assert "1 sentence left out" in page
    assert "Write it again" not in page
    assert viewer.post(f"/runs/{run}/report/summary/").status_code == 403
    assert "Write it again" in member.get(f"/runs/{run}/report/summary/").content.decode()
    assert member.post(f"/runs/{run}/report/summary/").status_code == 302
    part = member.get(f"/runs/{run}/report/summary/", headers={"hx-request": "true"}).content.decode()
    assert "A model is writing it" in part


def test_the_command_asks_waits_and_writes_it_into_the_files(tenant, run, writer, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("apps.reports.management.commands.report.time.sleep", lambda _: work(tenant))
    out = StringIO()
    ask = ("report", "--tenant", tenant, "--run", str(run), "--out", str(tmp_path), "--json", "--summary")
    with pytest.raises(SystemExit):
        call_command(*ask, stdout=out)
    assert json.loads(out.getvalue())["summary"] == "completed"
    assert json.loads((tmp_path / "report.json").read_text())["summary"]["left_out"] == 1
    with pytest.raises(SystemExit):
        call_command(*ask, stdout=StringIO())
    assert len(writer.prompts) == 1  # nothing has changed since


def test_it_goes_with_the_words_that_it_may_repeat(tenant, run, writer) -> None:
    request_summary(run_id=run, by="amina")
    work(tenant)
    delete_summaries(conversation_ids=list(Conversation.objects.filter(run=run).values_list("pk", flat=True)))
    assert not ReportSummary.objects.exists()
    assert "summary" not in run_report(run)

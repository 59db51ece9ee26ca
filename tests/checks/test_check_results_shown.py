"""What checks came to, where people and programs look: the API, the pages, files, and `measure`."""

import csv
import io
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apps.checks.domain.check_states import CheckSource
from apps.checks.models import CheckResult
from apps.checks.services.check_results import CheckFinding, store_findings
from apps.core.errors import NotFound
from apps.reports.tables.services.exporting import ExportFormat, export_check_results
from apps.statistics.decision import Decision, decide_check, decide_checks
from apps.tenants.context import in_tenant
from tests.api.api_client import Door
from tests.api.conftest import acme  # noqa: F401 - a fixture
from tests.dashboard.conftest import NOW, make_run, owner, signed_in  # noqa: F401 - a fixture among them

NOBODY = "00000000-0000-0000-0000-000000000000"
SPOKEN = '=HYPERLINK("x") <b>as far as I know</b>'


@pytest.fixture
def run(db):
    with in_tenant("acme"):
        row, conversations = make_run(3)
        found = [
            finding(conversations[0], "GlossarySourceMetric", Decision.FAIL, score=0.0, threshold=0.8, reason=SPOKEN,
                    evidence=[{"turn": 1, "quote": "<i>as far as I know</i>", "kind": "exact"}]),
            finding(conversations[1], "GlossarySourceMetric", Decision.PASS, score=0.9, threshold=0.8,
                    provider="openai", model="gpt-4o", fingerprint="ab" * 32),
            finding(conversations[2], "RoleAdherenceMetric", Decision.UNMEASURABLE, error_code="no_judge",
                    reason="no model is configured"),
        ]  # fmt: skip
        store_findings(found, source=CheckSource.SCENARIO, now=NOW)
    return row, conversations


def finding(conversation, name, outcome, **more):
    return CheckFinding(
        run_id=conversation.run_id, conversation_id=conversation.pk, check_name=name, outcome=outcome, **more
    )


def again(conversation, outcome, score):
    with in_tenant("acme"):
        one = finding(conversation, "GlossarySourceMetric", outcome, score=score, threshold=0.8)
        store_findings([one], source=CheckSource.COMMAND, now=NOW)


def test_one_place_decides_at_the_threshold_is_a_pass_and_missing_is_neither():
    assert [decide_check(score, 0.8) for score in (0.8, 0.79, None)] == ["pass", "fail", "unmeasurable"]
    assert decide_check(None, 0.8, applies=False) == "skipped"
    every = list(Decision)
    assert decide_checks(every) == "unmeasurable"
    passed, failed, undecided, skipped = Decision.PASS, Decision.FAIL, Decision.UNDECIDED, Decision.SKIPPED
    assert decide_checks([passed, failed, undecided]) == "fail"
    assert decide_checks([passed, undecided, skipped]) == "undecided"
    assert decide_checks([passed, skipped]) == "pass"
    assert decide_checks([skipped]) == decide_checks([]) == "unmeasurable"


def test_a_number_of_somebody_is_stored_masked_also_where_it_is_a_number_in_json(run):
    _, conversations = run
    evidence = [{"turn": 1, "arguments": {"msisdn": 254712345678, "at": 3}, "quote": "on 0712 345 678"}]
    with in_tenant("acme"):
        told = finding(conversations[0], "Calls", Decision.FAIL, reason="calls 0712 345 678", evidence=evidence)
        store_findings([told], source=CheckSource.COMMAND, now=NOW)
        row = CheckResult.objects.get(check_name="Calls")
    masked = "+254 7** *** 678"
    assert row.reason == f"calls {masked}"
    assert row.evidence == [{"turn": 1, "arguments": {"msisdn": masked, "at": 3}, "quote": f"on {masked}"}]


# --- The API ----------------------------------------------------------------------------------------------------------
def test_the_api_lists_a_runs_checks_by_pages_and_filters(acme: Door, run):  # noqa: F811 - a fixture
    row, conversations = run
    path = f"test-runs/{row.pk}/checks/"
    first = acme.get(f"{path}?limit=2").json()
    assert [one["outcome"] for one in first["results"]] == ["fail", "pass"]
    assert acme.get(first["next"].split("/api/v1/")[1]).json()["results"][0]["reason"] == "no model is configured"

    def outcomes(query):
        return [one["outcome"] for one in acme.get(f"{path}?{query}").json()["results"]]

    assert outcomes("outcome=unmeasurable") == ["unmeasurable"]
    assert outcomes("check=GlossarySourceMetric") == ["fail", "pass"]
    assert outcomes(f"conversation={conversations[1].pk}") == ["pass"]
    refused = [acme.get(f"{path}?{query}") for query in ("outcome=good", "conversation=1", "attempts=2", "x=1")]
    assert [answer.status_code for answer in refused] == [400] * 4
    assert refused[0].json()["code"] == "bad_outcome"


def test_measuring_again_is_a_further_attempt_and_the_last_one_counts(acme: Door, run):  # noqa: F811 - a fixture
    row, conversations = run
    again(conversations[0], Decision.PASS, 0.95)
    path = f"test-runs/{row.pk}/checks/?conversation={conversations[0].pk}"
    (one,) = acme.get(path).json()["results"]
    assert (one["attempt"], one["outcome"], one["source"]) == (2, "pass", "command")
    assert [one["attempt"] for one in acme.get(f"{path}&attempts=all").json()["results"]] == [1, 2]


# --- Pages ------------------------------------------------------------------------------------------------------------
def test_the_runs_page_lists_checks_filters_them_and_escapes_what_was_said(owner, run):  # noqa: F811 - a fixture
    row, conversations = run
    page = owner.get(f"/runs/{row.pk}/").content.decode()
    assert "GlossarySourceMetric" in page
    assert "this check needs a model that judges, and none is configured." in " ".join(page.split())
    assert "&lt;b&gt;as far as I know" in page
    assert "<b>as far" not in page
    assert f"/conversations/{conversations[0].pk}/#turn-1" in page
    page = owner.get(f"/runs/{row.pk}/?outcome=pass&check=GlossarySourceMetric").content.decode()
    assert "gpt-4o" in page
    assert "no model is configured" not in page
    assert "No result is like that" in owner.get(f"/runs/{row.pk}/?outcome=skipped").content.decode()
    assert owner.get(f"/runs/{row.pk}/?outcome=good").status_code == 404


def test_the_conversations_page_has_its_own_checks_and_says_where_there_are_none(owner, run):  # noqa: F811
    _, conversations = run
    page = owner.get(f"/conversations/{conversations[2].pk}/").content.decode()
    assert "RoleAdherenceMetric" in page
    assert "GlossarySourceMetric" not in page
    with in_tenant("acme"):
        empty, (lonely,) = make_run(1, name="without")
    assert "Nothing was expected of these conversations" in owner.get(f"/runs/{empty.pk}/").content.decode()
    assert "Nothing was expected of this conversation" in owner.get(f"/conversations/{lonely.pk}/").content.decode()


# --- Files ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("format", list(ExportFormat))
def test_a_runs_checks_as_a_file(run, format):
    row, _ = run
    with in_tenant("acme"):
        whole = b"".join(export_check_results(format=format, run_id=row.pk))
    rows = read(whole, format)
    assert [one["outcome"] for one in rows] == ["fail", "pass", "unmeasurable"]
    assert rows[2]["score"] in (None, "")
    if format is ExportFormat.CSV:
        assert rows[0]["reason"].startswith("'=")


def read(whole: bytes, format: ExportFormat) -> list[dict]:
    if format is ExportFormat.CSV:
        return list(csv.DictReader(io.StringIO(whole.decode("utf-8-sig"), newline="")))
    if format is ExportFormat.PARQUET:
        from pyarrow import parquet  # noqa: PLC0415 - heavy, and only where it is read

        return parquet.read_table(io.BytesIO(whole)).to_pylist()
    return [json.loads(line) for line in whole.decode().splitlines()]


def test_the_command_and_the_page_write_the_same_file(owner, run, tmp_path):  # noqa: F811 - a fixture
    row, _ = run
    out = tmp_path / "checks.csv"
    arguments = ["--tenant", "acme", "--table", "checks", "--out", str(out)]
    call_command("export_results", "--run", str(row.pk), *arguments, stdout=StringIO(), stderr=StringIO())
    answer = owner.get(f"/runs/{row.pk}/checks/export/csv/")
    assert b"".join(answer.streaming_content) == out.read_bytes()
    with pytest.raises(CommandError, match="give --run"):
        call_command("export_results", "--evaluation", str(row.pk), *arguments, stdout=StringIO(), stderr=StringIO())
    with in_tenant("acme"), pytest.raises(NotFound):
        export_check_results(format=ExportFormat.CSV, run_id=NOBODY)


def test_measure_stores_its_results_as_further_attempts(tenant, tmp_path):
    _, (conversation,) = make_run(1)
    file = tmp_path / "metrics.yaml"
    file.write_text("fluency: off\nassertions:\n- metric: RoleAdherenceMetric\n")
    for attempt in (1, 2):
        out = StringIO()
        with pytest.raises(SystemExit):
            call_command("measure", "--tenant", tenant, "--run", str(conversation.run_id), "--metrics", str(file),
                         "--json", stdout=out, stderr=StringIO())  # fmt: skip
        assert json.loads(out.getvalue())["stored"] == 1
        last = CheckResult.objects.latest("attempt")
        assert (last.attempt, last.outcome, last.source) == (attempt, "unmeasurable", "command")

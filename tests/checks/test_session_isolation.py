"""The example agent that carries facts between conversations is caught, with both conversations named."""

import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta

import pytest

from apps.catalog.models import Agent, Scenario
from apps.checks.models import CheckResult, RunLook
from apps.checks.queries.check_results import outcome_counts, results_in_force
from apps.checks.services.session_isolation import check_isolation
from apps.reports.run_reports.queries.run_report import run_report
from apps.runs.models import Conversation
from apps.runs.playing.services.control import finish_runs
from tests.runs.stage import NOW, battles, make_scenarios, of, play


@pytest.fixture(params=["remembers", ""])
def agent(request, tenant) -> Iterator[str]:
    """The example agent with this weakness, as a program of its own."""
    argv = [sys.executable, "-m", "examples.booking_agent", "--port", "0", "--today", "2026-03-01"]
    argv += ["--weakness", request.param] if request.param else []
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address
        Agent.objects.create(name="bot", kind="a2a", address=address[0].rstrip("/.,"), timeout_s=20)
        yield request.param
        process.terminate()


def test_what_one_customer_told_another_never_hears(agent):
    make_scenarios(3, opening="")
    for number, name in enumerate(("Wambui", "Otieno", "Halima")):
        goal = f"service: manicure\nday: Friday\ntime: 10 am\nname: {name}\nphone: 0712 00{number} 555"
        Scenario.objects.filter(slug=f"s{number}").update(goal=goal)
    run = battles()
    ticking = iter(range(100_000))
    play(lambda: NOW + timedelta(milliseconds=next(ticking)), concurrency=1)
    assert check_isolation(now=NOW) == 0  # the run is not over for anybody yet
    finish_runs(now=NOW)
    found = check_isolation(now=NOW)
    assert check_isolation(now=NOW) == 0
    assert RunLook.objects.count() == 1
    rows = list(CheckResult.objects.order_by("conversation__position"))
    if not agent:
        assert (found, rows) == (0, [])
        return
    assert found == len(rows) == 2
    names = [row.external_id for row in of(run)]
    for row, before in zip(rows, names, strict=False):
        assert (row.check_name, row.outcome, row.source) == ("session_isolation", "fail", "run")
        assert row.conversation.external_id in row.reason
        assert before in row.reason
        assert row.evidence[0]["conversation_name"] == before
        assert Conversation.objects.get(pk=row.evidence[0]["conversation"]).external_id == before
    assert run_report(run)["verdict"] == "fail"
    Conversation.objects.filter(pk=rows[0].conversation_id).update(blame="simulator")
    assert outcome_counts(results_in_force(run_id=run))["session_isolation"]["fail"] == 1

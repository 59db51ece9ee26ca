"""`eval_gate`: the same service, its exit codes and files."""

import json
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command

from apps.gates.models import PullRequestGate
from apps.gates.queries.gates import find_gate, gate_document
from apps.gates.services.gate_files import gate_html
from tests.gates.gate_rows import level, scored
from tests.gates.sides import BASE, HEAD

pytestmark = pytest.mark.usefixtures("tenant")
ASKED = ("--tenant", "acme", "--agent", "booking", "--commit", HEAD, "--base-commit", BASE)


def gate(*words: str) -> tuple[Any, int]:
    """The answer as JSON, and the exit code."""
    out = StringIO()
    try:
        call_command("eval_gate", *ASKED, "--json", *words, stdout=out)
    except SystemExit as end:
        return json.loads(out.getvalue()), int(end.code or 0)
    return json.loads(out.getvalue()), 0


def test_it_finds_both_sides_by_their_commits_and_writes_what_ci_shows(tmp_path: Path) -> None:
    scored(level(8), commit=BASE)
    scored(level(8))
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    answer, code = gate(
        "--junit", str(tmp_path / "gate.xml"), "--summary", str(summary), "--report", str(tmp_path / "out")
    )
    assert (answer["decision"], code) == ("pass", 0)
    assert summary.read_text() == "before\n" + answer["markdown"]
    assert ElementTree.fromstring((tmp_path / "gate.xml").read_bytes())[0].get("name") == "gate"  # noqa: S314 - our own
    assert json.loads((tmp_path / "out" / "report.json").read_text())["digest"] == answer["digest"]
    assert "May pass: The score moved by +0.00" in (tmp_path / "out" / "report.html").read_text()
    stored = gate_document(find_gate(answer["id"]), base="http://localhost:8000/")
    assert stored == answer
    again, _ = gate()
    assert again["digest"] == answer["digest"]


def test_an_empty_summary_is_written_nowhere() -> None:
    scored(level(8), commit=BASE)
    scored(level(8))
    assert gate("--summary", "")[1] == 0


def test_worse_is_1_and_unmeasurable_is_3() -> None:
    scored({**level(8), **{f"case-{at:02}": 2.0 for at in range(10)}})
    assert (gate()[0]["why"], gate()[1]) == ("no_baseline", 3)
    scored(level(8), commit=BASE)
    answer, code = gate()
    assert (answer["decision"], answer["why"], code) == ("fail", "loss", 1)
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("eval_gate", *ASKED, stdout=out)
    assert out.getvalue().startswith("FAIL  booking: Worse: The score fell by 5.00")
    assert "personas approved" in out.getvalue()


def test_undecided_is_1_where_the_policy_blocks_and_0_where_not(tmp_path: Path) -> None:
    scored(level(8), commit=BASE)
    scored({**level(8), "case-00": 2.0, "case-01": 2.0, "case-02": 2.0})
    assert (gate()[0]["decision"], gate()[1]) == ("undecided", 1)
    assert gate("--undecided", "pass")[1] == 0
    code = tmp_path / "changed"
    code.write_text("apps/x.py\n")
    answer, exit_code = gate("--changed-files", str(code))
    assert (answer["kind"], answer["decision"], exit_code, answer["blocks"]) == ("advisory", "undecided", 0, False)


def test_a_dependency_file_blocks_and_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scored(level(8), commit=BASE)
    scored(level(8))
    changed = tmp_path / "changed"
    changed.write_text("src/x.py\nrequirements/base.txt\n")
    assert gate("--changed-files", str(changed))[0]["kind"] == "blocking"
    assert "'requirements/base.txt' (may be a major version of a dependency" in capsys.readouterr().err
    assert gate("--changed-files", str(changed), "--kind", "advisory")[0]["kind"] == "advisory"


def test_a_budget_of_five_cents_that_is_spent_is_3() -> None:
    from apps.budgets.models import ModelCall  # noqa: PLC0415 - beside its only use

    scored(level(8), commit=BASE)
    candidate = scored(level(8))
    ModelCall.objects.create(
        purpose="judge", provider="stub", requested_model="m", outcome="ok", run_id=candidate.run_id, cost_usd="0.06"
    )
    answer, code = gate("--budget-usd", "0.05")
    assert (answer["why"], answer["cost_usd"], code) == ("budget_spent", 0.06, 3)
    assert gate("--budget-usd", "1")[1] == 0


def test_a_cost_nobody_knows_is_said_in_every_output() -> None:
    from apps.budgets.models import ModelCall  # noqa: PLC0415 - as above

    scored(level(8), commit=BASE)
    candidate = scored(level(8))
    call = {"purpose": "judge", "provider": "stub", "requested_model": "m", "outcome": "ok", "run_id": candidate.run_id}
    ModelCall.objects.create(**call)
    answer, _ = gate()
    assert (answer["cost_usd"], answer["known_cost_usd"], answer["candidate"]["cost_usd"]) == (None, 0.0, None)
    assert (answer["model_calls"], answer["calls_without_price"]) == (1, 1)
    words = "unknown: 1 of 1 call has no price"
    for shown in (answer["markdown"], answer["terminal"], gate_html(answer).decode()):
        assert words in shown
        assert "$0.00" not in shown
    row = find_gate(PullRequestGate.objects.get().pk)
    for name in ("model_calls", "calls_without_price"):  # as a gate of before
        del row.document[name]
    assert words in gate_document(row, base="https://x.test/")["terminal"]


@pytest.mark.parametrize(
    "words, message",
    [
        (["--budget-usd", "much"], "not an amount"),
        (["--candidate", "nope"], "There is no evaluation nope"),
        (["--margin", "-1"], "margin"),
        (["--summary", "/nowhere/at/all"], "cannot write"),
        (["--report", "/proc/nowhere"], "cannot write"),
    ],
)
def test_wrong_use_is_2(words: list[str], message: str) -> None:
    scored(level(8), commit=BASE)
    scored(level(8))
    with pytest.raises(CommandError, match=message) as wrong:
        call_command("eval_gate", *ASKED, *words)
    assert getattr(wrong.value, "returncode", 2) in (1, 2)


def test_without_a_candidate_it_says_what_to_do() -> None:
    with pytest.raises(CommandError, match="No completed evaluation of booking at cccccccccccc"):
        call_command("eval_gate", *ASKED)

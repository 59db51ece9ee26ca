"""The prompt version that answered a conversation is asked of the conversation, by one function."""

import re
import uuid
from pathlib import Path
from typing import Any

from apps.checks.queries.metric_cases import run_cases
from apps.evaluations.judging.services.leases import claim
from apps.evaluations.requests.services.creating import request_evaluation
from apps.reports.tables.queries.result_rows import result_rows
from apps.runs.models import Conversation
from apps.runs.prompt_of_conversation import prompt_of
from tests.production.played_rows import played
from tests.production.sampling_rows import NIGHT, arrived

VERSION = "booking@a1b2c3d"


def stored(**more: Any) -> Conversation:
    return Conversation.objects.get(pk=arrived("chat", at=NIGHT, **more))


def test_a_real_conversation_says_its_version_in_the_log_the_checks_and_the_export(
    tenant: str, judge_config: str
) -> None:
    row = stored(version=VERSION)
    asked = request_evaluation(config=judge_config, run_id=row.run_id, now=NIGHT)
    (claimed,) = claim(token=uuid.uuid4(), limit=5, now=NIGHT)
    assert claimed.prompt_version == VERSION
    cases, _ = run_cases(run_id=row.run_id)
    assert [one.prompt_version for one in cases] == [VERSION]
    rows = result_rows(run_id=row.run_id, evaluation_ids=[asked.evaluation_id])
    assert {one["subject_prompt_version"] for one in rows} == {VERSION}


def test_what_the_conversation_says_goes_before_what_its_run_says(tenant: str) -> None:
    row, silent = played(NIGHT), stored()
    assert (prompt_of(row.pk), prompt_of(silent.pk)) == (VERSION, "")
    Conversation.objects.filter(pk=row.pk).update(extra={"prompt_version": "booking@0000003"})
    assert prompt_of(row.pk) == "booking@0000003"


def test_nobody_else_reads_a_version_of_a_conversation_from_its_run_or_its_file() -> None:
    elsewhere = re.compile(
        r"""(?:c\.extra|row\.extra|r\.plan|extra)(?:->>'prompt_version'|\.get\("prompt_version")"""
        r"""|\.run\.subject(?: or \{\}\))?\.get\("prompt_version"|conversation\.run\.subject"""
    )
    apps = Path(__file__).parents[2] / "apps"
    reading = [path for path in apps.rglob("*.py") if elsewhere.search(path.read_text())]
    of_runs = "dashboard/results/queries/agent_changes.py"  # asks which runs were of a draft, of no conversation
    assert {path.relative_to(apps).as_posix() for path in reading} - {of_runs} == {"runs/prompt_of_conversation.py"}

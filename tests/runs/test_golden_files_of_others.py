"""`import_conversations --as golden` reads what the other door reads: one reader of files."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from apps.catalog.goldens.queries.versions import current_goldens
from apps.catalog.models import GoldenSession
from apps.core.errors import BadInput
from apps.runs.chat_files.domain.transcripts import reading_of
from apps.runs.imports.services.jsonl import import_file

NOW = datetime(2026, 5, 15, tzinfo=UTC)
ASKED, TOLD = {"role": "user", "content": "Open?"}, {"role": "assistant", "content": "Till six."}
SHARED_GPT = {"id": "a", "conversations": [{"from": "human", "value": "Open?"}, {"from": "gpt", "value": "Till six."}]}
TABLE = "conversation,speaker,text\na,customer,Open?\na,agent,Till six.\n"
CHAT = "[15/05/2026, 10:00:00] Asha: Open?\n[15/05/2026, 10:00:09] Salon: Till six.\n"


def golden(tmp_path: Path, text: str, name: str = "file.json", **how: str) -> Any:
    (tmp_path / name).write_text(text)
    reading = reading_of(customer=how.get("customer", ""), columns=how.get("columns", ""))
    return import_file(path=tmp_path / name, into="golden", name="", now=NOW, how=reading)


@pytest.mark.parametrize(
    "text, name, customer",
    [
        (json.dumps([SHARED_GPT]), "file.json", ""),
        (json.dumps(SHARED_GPT), "file.jsonl", ""),
        (json.dumps({"conversations": [{"id": "a", "messages": [ASKED, TOLD]}]}, indent=2), "file.json", ""),
        (json.dumps([ASKED, TOLD]), "file.json", ""),
        (json.dumps({"id": "a", "prompt": "Open?", "completion": "Till six."}) + "\n", "file.jsonl", ""),
        (TABLE, "file.csv", ""),
        (CHAT, "_chat.txt", "Asha"),
        ("Customer: Open?\nAgent: Till six.\n", "file.txt", ""),
    ],
)
def test_a_golden_session_comes_from_any_form_of_file(tenant, tmp_path: Path, text: str, name: str, customer: str):
    report = golden(tmp_path, text, name, customer=customer)
    assert (report.kept, report.refused) == (1, ())
    (one,) = current_goldens(list(GoldenSession.objects.values_list("name", flat=True))).values()
    assert [(turn["role"], turn["content"]) for turn in one.document["turns"]] == [
        ("user", "Open?"), ("assistant", "Till six."),
    ]  # fmt: skip


def test_a_form_that_is_not_known_is_one_sentence_and_no_error_a_line(tenant, tmp_path: Path):
    with pytest.raises(BadInput, match="its form is not known"):
        golden(tmp_path, "alpha beta\n" * 40, "file.txt")


def test_gates_of_lines_stay_and_a_bad_line_is_named(tenant, tmp_path: Path):
    gated = {"id": "g", "turns": [ASKED, {**TOLD, "wait_for_pattern": "six"}]}
    report = golden(tmp_path, f"{json.dumps(gated)}\nnot json\n", "file.jsonl")
    assert (report.kept, [one.line for one in report.refused]) == (1, [2])
    assert current_goldens(["g"])["g"].document["turns"][1]["wait_for_pattern"] == "six"

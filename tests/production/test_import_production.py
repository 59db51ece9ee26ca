"""A file of real conversations is taken in as if each line were posted."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.production.models import ProductionConversation
from apps.runs.models import Turn
from tests.production.test_intake import document, everything


@pytest.fixture(autouse=True)
def _inside(tenant: str) -> None:
    """All of it in a tenant, rolled back."""


def imported(path: Path, **options: Any) -> tuple[dict[str, Any], str, int]:
    out, err, code = io.StringIO(), io.StringIO(), 0
    try:
        call_command("import_production", str(path), tenant="acme", as_json=True, stdout=out, stderr=err, **options)
    except SystemExit as exit_:
        code = int(exit_.code or 0)
    return json.loads(out.getvalue()), err.getvalue(), code


def written(folder: Path, *lines: Any) -> Path:
    path = folder / "chats.jsonl"
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines) + "\n")
    return path


def test_each_line_is_taken_in_once_however_often_the_file_is_imported(tmp_path: Path) -> None:
    names = {"customer": {"names": ["Wanjiku Kamau"]}}
    path = written(tmp_path, document("a", ended=True, **names), document("b", **names))
    for _ in range(2):
        found, _, code = imported(path)
        assert (found["kept"], found["turns"], found["settled"], code) == (2, 4, 1, 0)
    assert (ProductionConversation.objects.count(), Turn.objects.count()) == (2, 4)
    assert "Wanjiku" not in everything()


def test_bad_lines_are_named_by_number_and_field_and_the_others_are_kept(tmp_path: Path) -> None:
    wrong = document("c") | {"turns": [{"role": "nobody", "content": "x"}]}
    others = document("a", "other"), document("d", agent="nobody")
    path = written(tmp_path, document("a", ended=True), "{nonsense", wrong, "", *others)
    found, told, code = imported(path)
    assert (found["kept"], found["refused_lines"], code) == (1, 4, 1)
    assert [(one["line"], one["code"]) for one in found["refused"]] == [
        (2, "not_json"), (3, "invalid_document"), (5, "conversation_settled"), (6, "unknown_agent"),
    ]  # fmt: skip
    assert "line 3:" in told
    assert "(at /turns/0/role)" in told


def test_a_dry_run_stores_nothing_and_finds_the_same_faults(tmp_path: Path) -> None:
    path = written(tmp_path, document("a"), "[1]")
    found, _, code = imported(path, dry_run=True)
    assert (found["kept"], found["turns"], found["refused_lines"], found["dry_run"], code) == (1, 2, 1, True, 1)
    assert ProductionConversation.objects.count() == 0


def test_a_file_of_which_nothing_can_be_taken_is_wrong_use(tmp_path: Path) -> None:
    for path in (written(tmp_path, "nonsense"), tmp_path / "missing.jsonl"):
        with pytest.raises(CommandError) as refused:
            imported(path)
        assert refused.value.returncode == 2

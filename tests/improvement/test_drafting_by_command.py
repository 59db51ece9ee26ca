"""`record_prompt FILE --draft`: a file becomes a draft of the live prompt, or is told why not."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from apps.catalog.models import PromptLine
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.improvement.models import PromptDraft
from tests.improvement.test_drafting import BETTER, LIVE

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tenant, tmp_path):
    record_prompt_text(name="salon", text=LIVE, revision="a1b2c3d")
    return tmp_path / "salon.md"


def test_the_version_is_printed_and_live_stays(file, tenant, capsys):
    file.write_text(BETTER)
    call_command("record_prompt", str(file), "--tenant", tenant, "--draft")
    row = PromptDraft.objects.get()
    assert capsys.readouterr().out == f"{row.version.version}\n"
    assert row.created_by.startswith("command record_prompt by ")
    assert PromptLine.objects.get(name="salon").live.version == "salon@a1b2c3d"


def test_what_guards_refuse_is_said_line_by_line_and_ends_with_one(file, tenant, capsys):
    file.write_text(BETTER.replace("Prices include VAT.", "Prices may change."))
    with pytest.raises(SystemExit) as ended:
        call_command("record_prompt", str(file), "--tenant", tenant, "--draft")
    assert ended.value.code == 1
    assert capsys.readouterr().out.startswith("refused (protected_span): line 7: Protected words were changed")
    with pytest.raises(SystemExit):
        call_command("record_prompt", str(file), "--tenant", tenant, "--draft", "--json")
    answer = json.loads(capsys.readouterr().out)
    assert (answer["version"], answer["status"]) == (None, "refused")
    assert [one["code"] for one in answer["refusals"]] == ["protected_span"]


def test_what_guards_warn_of_is_said_and_ends_with_nought(file, tenant, capsys):
    file.write_text(BETTER + "\n# Closing\nAim for the highest score.\n")
    call_command("record_prompt", str(file), "--tenant", tenant, "--draft")
    version, warning = capsys.readouterr().out.splitlines()
    assert version.startswith("salon@sha256-")
    assert warning.startswith("warning (judge_words): line ")


def test_a_file_that_cannot_be_read_is_wrong_use(file, tenant):
    with pytest.raises(CommandError) as error:
        call_command("record_prompt", str(file), "--tenant", tenant, "--draft")
    assert error.value.returncode == 2


def test_a_prompt_from_standard_input_is_a_version_of_the_commit_that_is_named(tenant, capsys, monkeypatch):
    def record(text: str, *words: str) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        call_command("record_prompt", "-", "--name", "welcome", "--tenant", tenant, *words)
        return capsys.readouterr().out.strip()

    assert record("You welcome guests.\n", "--revision", "a1b2c3d") == "welcome@a1b2c3d"
    assert record("Welcome guests.\n", "--revision", "e4f5a6b", "--draft") == "welcome@e4f5a6b"
    assert PromptLine.objects.get(name="welcome").live.version == "welcome@a1b2c3d"
    assert not PromptDraft.objects.exists(), "a canary of a commit is no draft that waits for a trial"


def test_standard_input_without_a_name_is_refused(tenant, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("Hello.\n"))
    with pytest.raises(CommandError, match="give --name") as error:
        call_command("record_prompt", "-", "--tenant", tenant)
    assert error.value.returncode == 2

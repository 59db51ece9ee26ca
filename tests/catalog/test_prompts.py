"""A prompt version is named after the commit that last changed its file."""

import subprocess

import pytest
import yaml
from django.core.management import call_command
from django.utils import timezone

from apps.catalog.files.services.exporting import catalog_as_data
from apps.catalog.files.services.importing import import_catalog_text
from apps.catalog.models import PromptVersion
from apps.catalog.prompts.queries.versions import live_prompt
from apps.catalog.prompts.services.recording import make_live, record_prompt, record_prompt_text
from apps.core.errors import BadInput, NotFound


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "greeter.md").write_text("Say hello.")
    commit(tmp_path, "first")
    return tmp_path


def git(folder, *args):
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(
        ["git", "-C", str(folder), *who, *args], check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(folder, message):
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message)
    return git(folder, "rev-parse", "--short=7", "HEAD")


def test_the_files_own_history_names_it_not_the_latest_commit(tenant, repository):
    sha = git(repository, "rev-parse", "--short=7", "HEAD")
    (repository / "other.md").write_text("x")
    commit(repository, "unrelated")
    assert record_prompt(path=repository / "greeter.md") == f"greeter@{sha}"
    assert record_prompt(path=repository / "greeter.md") == f"greeter@{sha}"
    assert PromptVersion.objects.count() == 1


def test_a_new_commit_makes_a_new_version(tenant, repository):
    first = record_prompt(path=repository / "greeter.md")
    (repository / "greeter.md").write_text("Say jambo.")
    uncommitted = record_prompt(path=repository / "greeter.md")
    sha = commit(repository, "jambo")
    assert record_prompt(path=repository / "greeter.md") == f"greeter@{sha}"
    assert uncommitted.startswith("greeter@sha256-")
    assert len({first, uncommitted, f"greeter@{sha}"}) == 3


def test_without_git_the_content_names_it(tenant, tmp_path):
    (tmp_path / "greeter.md").write_text("Say hello.")
    assert record_prompt(path=tmp_path / "greeter.md", name="host") == record_prompt(
        path=tmp_path / "greeter.md", name="host"
    )
    assert PromptVersion.objects.get().version.startswith("host@sha256-")


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"a\x00b"])
def test_a_file_that_is_no_prompt_is_refused(tenant, tmp_path, content):
    if content is not None:
        (tmp_path / "p.md").write_bytes(content)
    with pytest.raises(BadInput):
        record_prompt(path=tmp_path / "p.md")


def test_a_draft_is_recorded_and_not_live_until_somebody_says_so(tenant):
    first = record_prompt_text(name="greeter", text="Greet.", revision="a1")
    draft = record_prompt_text(name="greeter", text="Greet warmly.", revision="b2", draft=True)
    assert live_prompt("greeter") == first
    assert make_live(version=draft, by="amina")
    assert live_prompt("greeter") == draft
    assert not make_live(version=draft, by="amina"), "safe to repeat"
    with pytest.raises(NotFound):
        make_live(version="greeter@nope", by="amina")


def test_a_name_with_drafts_alone_has_no_live_prompt(tenant):
    record_prompt_text(name="greeter", text="Greet.", draft=True)
    assert live_prompt("greeter") == ""


def test_recording_an_earlier_text_again_makes_it_no_more_live_than_it_was(tenant):
    record_prompt_text(name="greeter", text="Greet.", revision="a1")
    second = record_prompt_text(name="greeter", text="Greet warmly.", revision="b2")
    record_prompt_text(name="greeter", text="Greet.", revision="a1")
    assert live_prompt("greeter") == second


def test_a_round_trip_of_the_catalog_keeps_what_is_live(tenant, tmp_path):
    first = record_prompt_text(name="greeter", text="Greet.", revision="a1")
    record_prompt_text(name="greeter", text="Greet warmly.", revision="b2", draft=True)
    exported = catalog_as_data()["prompts"]
    assert exported == [
        {"version": first, "text": "Greet."},
        {"version": "greeter@b2", "text": "Greet warmly.", "draft": True},
    ]
    other = [{**one, "version": one["version"].replace("greeter", "host")} for one in exported]
    import_catalog_text(text=yaml.safe_dump({"prompts": other}), file="prompts.yaml", at=timezone.now())
    assert live_prompt("host") == "host@a1"
    import_catalog_text(text=yaml.safe_dump({"prompts": other}), file="prompts.yaml", at=timezone.now())
    assert live_prompt("host") == "host@a1"


@pytest.mark.parametrize("draft", ["yes", 1, None])
def test_a_draft_is_true_or_false_in_a_file(tenant, draft):
    text = yaml.safe_dump({"prompts": [{"version": "host@a1", "text": "Greet.", "draft": draft}]})
    with pytest.raises(BadInput, match="/draft is true or false"):
        import_catalog_text(text=text, file="prompts.yaml", at=timezone.now())


def test_the_command_records_a_draft_and_says_its_name(tenant, tmp_path, capsys):
    (tmp_path / "greeter.md").write_text("Greet.")
    call_command("record_prompt", str(tmp_path / "greeter.md"), "--tenant", tenant, "--draft")
    assert capsys.readouterr().out.startswith("greeter@sha256-")
    assert live_prompt("greeter") == ""

"""A prompt version is named after the commit that last changed its file."""

import subprocess

import pytest

from apps.catalog.models import PromptVersion
from apps.catalog.services import record_prompt
from apps.core.errors import BadInput


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

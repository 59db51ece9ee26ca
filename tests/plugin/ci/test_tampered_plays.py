"""What the code of a pull request leaves behind on the machine that plays it, and what is compared with it."""

import asyncio
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

import pytest_ratiba
from pytest_ratiba.agents import AgentSetting, chosen_agent
from pytest_ratiba.callable_process import CallableProcess
from pytest_ratiba.ci.play_watch import PlayWatch
from pytest_ratiba.commit_tree import commit_tree, files_of
from pytest_ratiba.config import Project, read_project
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.pulled import LeasedTurn
from tests.plugin.ci.conftest import Repository

GOOD, BAD = "Say the price.\n", "Say nothing.\n"


@pytest.fixture
def base(repository: Repository) -> str:
    """The merge base's commit; the working tree is the pull request's."""
    files: dict[str, str | None] = {"prompts/p.md": GOOD, "shop.py": "x = 1\n", ".gitignore": "*.db\n"}
    commit = repository.commit(files, "start")
    repository.branch("change")
    repository.commit({"prompts/p.md": BAD})
    return commit


def watch_of(repository: Repository) -> PlayWatch:
    return PlayWatch(root=repository.folder)


def test_the_baselines_files_are_those_of_the_commit_whatever_the_clone_says(repository: Repository, base: str) -> None:
    repository.git("config", "filter.worse.smudge", "sed s/price/nothing/")
    repository.project.write(".git/info/attributes", "*.md filter=worse\n")
    (repository.folder / "worse.md").write_text(BAD)
    blob, good = repository.git("hash-object", "-w", "worse.md"), repository.git("rev-parse", f"{base}:prompts/p.md")
    repository.git("replace", good, blob)
    with watch_of(repository).baseline(base) as tree:
        assert (tree / "prompts/p.md").read_text() == GOOD


def test_a_stored_object_that_was_rewritten_is_refused(repository: Repository, base: str) -> None:
    blob = repository.git("rev-parse", f"{base}:prompts/p.md")
    other = repository.git("rev-parse", "HEAD:prompts/p.md")
    places = [repository.folder / ".git/objects" / one[:2] / one[2:] for one in (blob, other)]
    places[0].chmod(0o644)
    places[0].write_bytes(places[1].read_bytes())
    with (
        pytest.raises(ProjectError, match="is not what its name says"),
        watch_of(repository).baseline(base),
    ):
        pass


@pytest.mark.parametrize(
    "name, text, told",
    [
        ("prompts/p.md", BAD, "prompts/p.md is not the file of"),
        ("prompts/p.md", GOOD, "prompts/p.md was written, and put back"),
        ("yaml.py", "", "yaml.py is no file of"),
        ("lib/__pycache__/shop.pyc", BAD, "lib/__pycache__/shop.pyc is no file of"),
    ],
)
def test_what_is_written_to_the_baselines_files_while_they_are_played_is_named(
    repository: Repository, base: str, name: str, text: str, told: str
) -> None:
    watch = watch_of(repository)
    with watch.candidate(repository.git("rev-parse", "HEAD")):
        pass
    with watch.baseline(base) as tree:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    assert told in "; ".join(watch.tampered)
    assert watch.changes()[0]["kind"] == "tampered"


def test_a_baseline_that_is_alone_may_write_beside_its_files_and_so_it_may_again(
    repository: Repository, base: str
) -> None:
    watch = watch_of(repository)
    for at in range(2):
        with watch.baseline(base) as tree:
            (tree / f"bookings-{at}.txt").write_text("10:00")
            (tree / "shop.db").write_text("rows")
        with watch.candidate(repository.git("rev-parse", "HEAD")):
            pass
    assert watch.tampered == []
    with watch.baseline(base) as tree:
        (tree / "prompts/p.local.md").write_text(BAD)
    assert "prompts/p.local.md is no file of" in watch.tampered[0]


def test_where_nobody_knows_what_a_baseline_writes_beside_its_files_modules_alone_count(
    repository: Repository, base: str
) -> None:
    watch = watch_of(repository)
    with watch.candidate(repository.git("rev-parse", "HEAD")):
        pass
    with watch.baseline(base) as tree:
        (tree / "bookings.txt").write_text("10:00")
    assert watch.tampered == []
    with watch.baseline(base) as tree:
        (tree / "yaml.py").write_text("")
    assert "yaml.py is no file of" in watch.tampered[0]


@pytest.mark.parametrize(
    "how, told",
    [
        (("config", "filter.worse.smudge", "cat"), "git's configuration"),
        (("config", "core.hooksPath", "hooks"), "git's configuration"),
        (("replace", "HEAD:prompts/p.md", "HEAD:shop.py"), "refs/replace"),
    ],
)
def test_settings_that_a_play_leaves_in_the_clone_are_named(
    repository: Repository, base: str, how: tuple[str, ...], told: str
) -> None:
    watch = watch_of(repository)
    with watch.candidate(repository.git("rev-parse", "HEAD")):
        repository.git(*how)
    assert told in watch.tampered[0]


@pytest.mark.parametrize("place", ["info/attributes", "hooks/post-checkout", "info/grafts"])
def test_files_that_a_play_leaves_in_the_clones_own_folder_are_named(
    repository: Repository, base: str, place: str
) -> None:
    watch = watch_of(repository)
    with watch.candidate(repository.git("rev-parse", "HEAD")):
        repository.project.write(f".git/{place}", "x\n")
    assert f".git/{place} was written while the agents were played" in watch.tampered


def test_a_working_tree_that_only_gits_index_calls_the_commit_is_refused(repository: Repository, base: str) -> None:
    repository.git("update-index", "--assume-unchanged", "prompts/p.md")
    (repository.folder / "prompts/p.md").write_text(GOOD)
    assert repository.git("status", "--porcelain") == ""
    with (
        pytest.raises(ProjectError, match=r"prompts/p\.md is not as [0-9a-f]{12} has it"),
        watch_of(repository).candidate(repository.git("rev-parse", "HEAD")),
    ):
        pass


def test_a_large_file_of_git_lfs_in_the_working_tree_is_the_commits(repository: Repository) -> None:
    oid = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # of abc
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 3\n"
    commit = repository.commit({"model.bin": pointer, "crlf.txt": "a\n"})
    (repository.folder / "model.bin").write_text("abc")
    (repository.folder / "crlf.txt").write_bytes(b"a\r\n")
    watch_of(repository).refuse_other_files(commit)
    (repository.folder / "model.bin").write_text("abd")
    with pytest.raises(ProjectError, match=r"model\.bin"):
        watch_of(repository).refuse_other_files(commit)


def test_links_programs_and_folders_of_a_commit_are_made_as_git_would(repository: Repository) -> None:
    (repository.folder / "run.sh").write_text("#!/bin/sh\n")
    (repository.folder / "run.sh").chmod(0o755)
    (repository.folder / "link").symlink_to("deep/er/f.txt")
    commit = repository.commit({"deep/er/f.txt": "f"})
    with commit_tree(repository.folder, files_of(repository.folder, commit)) as tree:
        assert (tree.folder / "link").read_text() == "f"
        assert os.access(tree.folder / "run.sh", os.X_OK)
        assert tree.tampered() == []
    assert not tree.folder.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_what_a_play_leaves_running_is_ended(tmp_path: Path) -> None:
    left = f"import os, time; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); " \
           f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(60)"  # fmt: skip
    begin = (
        "import subprocess, sys, time, pathlib\n"
        "from pytest_ratiba.processes import adopt_orphans, end_descendants\nadopt_orphans()\n"
        f"subprocess.run([sys.executable, '-c', {left!r}])\n"
        f"pid = pathlib.Path({str(tmp_path / 'pid')!r})\n"
        "while not (pid.exists() and pid.read_text()): time.sleep(0.05)\n"
        "end_descendants()\n"
    )
    own = {**os.environ, "PYTHONPATH": str(Path(pytest_ratiba.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", begin], check=True, timeout=30, env=own)
    assert not Path("/proc", (tmp_path / "pid").read_text()).exists()


def project_of(folder: Path, module: str = "shop_of_a_test") -> tuple[Project, AgentSetting]:
    (folder / "ratiba.yaml").write_text(f"agent: {{name: shop, callable: '{module}:reply'}}\n")
    project = read_project(folder)
    return project, chosen_agent(project)


def said_by(folder: Path) -> str:
    agent = CallableProcess(*project_of(folder))
    turn = LeasedTurn(id="t", lease="l", conversation_id="c", position=1, messages=[{"content": "Hello"}], context={},
                      expires_at=datetime.now(UTC))  # fmt: skip
    try:
        return str(asyncio.run(agent.respond(turn, {}))["content"])
    finally:
        asyncio.run(agent.close())


@pytest.mark.parametrize("inside", ["", "src/"])
def test_each_side_plays_the_module_of_its_own_files_whatever_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    for name in ("installed", "base"):
        place = tmp_path / name / ("" if name == "installed" else inside) / "shop_of_a_test.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"async def reply(messages, context):\n    return {name!r}\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "installed"))
    assert said_by(tmp_path / "base") == "base"


def test_an_agent_that_is_installed_is_the_same_on_both_sides_and_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("installed", "base"):
        (tmp_path / name).mkdir()
    (tmp_path / "installed" / "shop_of_a_test.py").write_text("async def reply(messages, context):\n    return 'x'\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "installed"))
    with pytest.raises(ProjectError, match="it is installed, so it is the same on both sides of a gate"):
        CallableProcess(*project_of(tmp_path / "base"))


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root begins processes of another user"
)
def test_a_user_of_the_agents_own_reads_the_baselines_files_and_writes_none(
    repository: Repository, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = "setpriv --reuid=65534 --regid=65534 --clear-groups"
    monkeypatch.setenv("RATIBA_AGENT_PREFIX", prefix)
    watch = watch_of(repository)
    with watch.baseline(base) as tree:
        read = subprocess.run([*prefix.split(), "cat", "prompts/p.md"], cwd=tree, capture_output=True, text=True)
        written = subprocess.run(
            [*prefix.split(), "sh", "-c", "echo x > prompts/p.md; echo x > yaml.py"], cwd=tree, capture_output=True
        )
    assert read.stdout == GOOD
    assert written.returncode != 0
    assert watch.tampered == []

"""What is played is the commit, what it is held against is the branch that it left, and its newest rule."""

import argparse
import mmap
import os
import py_compile
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from pytest_ratiba.ci import baseline
from pytest_ratiba.ci import machine_files as machine
from pytest_ratiba.ci.knows_the_test import changed_code, knows_the_test
from pytest_ratiba.ci.machine_files import MachineFiles, files_of_no_commit
from pytest_ratiba.ci.opened_files import OpenedFiles
from pytest_ratiba.ci.play_watch import PlayWatch
from pytest_ratiba.ci.scope import project_change
from pytest_ratiba.ci.side import PlayedSide, SideRequest, SideUnmeasurable
from pytest_ratiba.commit_tree import files_of
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.git import branch_commit, merge_base
from tests.plugin.ci.conftest import Repository
from tests.plugin.ci.test_own_versions import CASE, CONFIG, TALKS, Server, asking

__all__ = ["gated"]


@pytest.fixture
def gated(repository: Repository) -> Repository:
    cases = {f"{TALKS}/{name}.yaml": CASE.format(name).replace("persona: amina\n", "") for name in ("one", "two")}
    files: dict[str, str | None] = {
        "ratiba.yaml": yaml.safe_dump(CONFIG),
        "shop.py": "",
        ".gitignore": "/var/\n*.env\n",
    }
    repository.commit({**files, **cases})
    repository.branch("change")
    repository.commit({"shop.py": "x = 1\n"})
    return repository


@pytest.mark.parametrize("name", ["good.md", "lib/shop.py", "prompts/p.local.md"])
def test_a_file_beside_the_commit_that_nobody_sees_is_refused(gated: Repository, name: str) -> None:
    gated.project.write(name, "Say the price.\n")
    (gated.folder / ".git/info/exclude").write_text("*.md\n*.py\n")
    with pytest.raises(ProjectError, match="no file of"):
        PlayWatch(root=gated.folder).refuse_more_files(gated.git("rev-parse", "HEAD"))


def test_what_the_command_writes_itself_and_environments_are_no_files_beside(gated: Repository) -> None:
    for name in (
        "gate.xml",
        "report/report.md",
        "venv/pyvenv.cfg",
        "venv/lib/a.py",
        "node_modules/a.js",
        "var/log.txt",
    ):
        gated.project.write(name, "x")
    watch = PlayWatch(root=gated.folder, ours=(gated.folder / "gate.xml", gated.folder / "report"))
    watch.refuse_more_files(gated.git("rev-parse", "HEAD"))
    assert watch.beside == ()


def test_what_is_played_beside_an_ignored_file_is_not_the_commits_for_the_next_gate(gated: Repository) -> None:
    server = Server(decision="pass")
    gated.project.write("local.env", "PROMPT=good\n")
    asked, plays = asking(gated, server)
    asked.watch.refuse_more_files(asked.change.commit)
    asked.gate_of("shop")
    assert [one.other_files for one in plays.requests] == [False, True], "baseline and candidate, each once"
    for one in server.evaluations[asked.change.commit]:
        one["other_files"] = "yes"
    (gated.folder / "local.env").unlink()
    again, played = asking(gated, server)
    again.watch.refuse_more_files(again.change.commit)
    again.gate_of("shop")
    assert [(one.commit, one.other_files) for one in played.requests] == [(again.change.commit, False)]


def test_a_baseline_that_another_change_has_played_is_not_taken(gated: Repository) -> None:
    server = Server(decision="pass")
    first, _ = asking(gated, server)
    first.gate_of("shop")
    for one in server.evaluations[first.change.base]:
        one["beside"] = "another"
    again, played = asking(gated, server)
    again.gate_of("shop")
    assert [one.commit for one in played.requests] == [again.change.base]


def test_a_tag_that_is_called_as_the_branch_is_not_the_base(gated: Repository) -> None:
    main, head = gated.git("rev-parse", "main"), gated.git("rev-parse", "HEAD")
    gated.git("update-ref", "refs/remotes/origin/main", main)
    for name in ("main", "origin/main"):
        gated.git("tag", name, head)
        assert merge_base(gated.folder, name) == main
    assert branch_commit(gated.folder, "main~0") == main
    gated.git("tag", "release", head)
    with pytest.raises(ProjectError, match="is a tag and no branch"):
        branch_commit(gated.folder, "release")
    assert branch_commit(gated.folder, "refs/tags/release") == branch_commit(gated.folder, head[:12]) == head
    assert project_change(gated.folder).base == main


def moved_on(gated: Repository, files: dict[str, str | None]) -> None:
    gated.git("checkout", "-q", "main")
    gated.commit(files, "main moves on")
    gated.git("checkout", "-q", "change")


def unseen(gated: Repository) -> MachineFiles:
    return files_of_no_commit(gated.folder, files_of(gated.folder, gated.git("rev-parse", "HEAD")))


def test_a_branch_that_is_older_than_mains_rule_is_held_to_the_newer_one(gated: Repository, tmp_path: Path) -> None:
    assert project_change(gated.folder, base="main").scope.notes == ()
    rule = {**CONFIG, "gate": {"margin": 0.1, "repeats": 3}, "evaluator_config": "stricter"}
    moved_on(gated, {"ratiba.yaml": yaml.safe_dump(rule), f"{TALKS}/three.yaml": CASE.format("three")})
    change = project_change(gated.folder, base="main")
    assert (change.settings.repeats, change.settings.policy["margin"]) == (3, 0.1)
    assert change.judged["evaluator_config"] == "stricter"
    told = "; ".join(change.scope.notes)
    assert "main has 1 file of scenarios that this branch left too early for" in told
    assert "main is ahead of the merge base" in told
    assert "repeats, margin, evaluator_config" in told


def test_a_prompt_that_the_branch_left_too_early_for_is_named(gated: Repository) -> None:
    """A change that is harmless there may be none where it is merged."""
    agent = {**CONFIG["agent"], "prompts": ["prompts/*.md"]}  # type: ignore[dict-item]
    gated.commit({"ratiba.yaml": yaml.safe_dump({**CONFIG, "agent": agent})})
    moved_on(gated, {"prompts/p.md": "Say the price.\n", "docs/a.md": "x\n"})
    (told,) = [one for one in project_change(gated.folder, base="main").scope.notes if "together" in one]
    assert told.startswith("main is ahead with prompts/p.md: what that and this change do together was not played")


def test_where_mains_rule_cannot_be_read_it_is_said(gated: Repository) -> None:
    moved_on(gated, {"ratiba.yaml": "agent: [\n"})
    change = project_change(gated.folder, base="main")
    assert "its rule cannot be read" in "; ".join(change.scope.notes)
    assert change.judged["evaluator_config"] == "strict"


def test_a_package_that_the_job_installed_from_the_changes_files_is_no_baselines(
    gated: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "env/lib/python3.12/site-packages"
    for name, text in (
        ("desk/__init__.py", "PROMPT = 'Say nothing.'\n"),
        ("desk-1.0.dist-info/direct_url.json", '{"url": "file:///work/checkout/libs/desk", "dir_info": {}}'),
        ("desk-1.0.dist-info/RECORD", "desk/__init__.py,,\ndesk-1.0.dist-info/RECORD,,\n"),
        ("other-1.0.dist-info/RECORD", "other.py,,\n"), ("other.py", ""),
    ):  # fmt: skip
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    monkeypatch.setenv("RATIBA_AGENT_PYTHON", str(tmp_path / "env/bin/python"))
    server = Server(decision="pass")
    asked, plays = asking(gated, server)

    def play(requests: Sequence[SideRequest]) -> list[PlayedSide]:
        (site / "desk/__init__.py").read_text()
        return plays(requests)

    assert list(asked.watch.packages_of_files) == [f"desk: {site / 'desk/__init__.py'}"]
    with pytest.raises(SideUnmeasurable, match="ran desk, which this job has installed from the change's own files"):
        replace(asked, play=play).gate_of("shop")
    for one in server.evaluations[asked.change.base]:
        one["beside"] = asked.change.commit
    again, plays = asking(gated, server)
    with pytest.raises(SideUnmeasurable, match="ran desk"):  # what was played so is not taken when the job runs again
        replace(again, play=play).gate_of("shop")
    assert replace(again, play=plays).gate_of("shop")["decision"] == "pass", "a package that nobody runs is nothing"


def test_what_an_earlier_job_left_in_the_home_folder_is_named_where_the_agent_reads_it(
    gated: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    for name in ("good.md", ".cache/model.bin", "env/pyvenv.cfg", "env/lib/a.py"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("Say the price.")
    monkeypatch.setenv("RATIBA_AGENT_PREFIX", f"env HOME={home}")
    monkeypatch.setattr(machine, "PLACES", ())
    (tmp_path / "none").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    assert list(unseen(gated).files) == ["~/good.md"]
    asked, plays = asking(gated, Server(decision="pass"))

    def play(requests: Sequence[SideRequest]) -> list[PlayedSide]:
        (home / "good.md").read_text()
        return plays(requests)

    opened = OpenedFiles(asked.change.changed, outside=unseen(gated))
    gate = replace(asked, play=play, opened=opened).gate_of("shop")
    assert "While the agent was played ~/good.md, which no commit has, was opened on this machine" in gate["terminal"]


def test_what_an_earlier_job_left_in_a_folder_for_temporary_files_is_named_where_the_agent_reads_it(
    gated: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, crowded = tmp_path / "tmp", tmp_path / "opt"
    for name in ("job-7/good.md", "pg/PG_VERSION", "pg/base/1", "agent/home.md"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("Say the price.")
    crowded.mkdir()
    for number in range(3):
        (crowded / f"{number}.md").write_text("x")
    monkeypatch.setattr(machine, "MOST", 3)
    monkeypatch.setattr(machine, "PLACES", (str(crowded),))
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setenv("RATIBA_AGENT_PREFIX", f"env HOME={place / 'agent'}")
    assert set(unseen(gated).files) == {f"{place}/job-7/good.md", "~/home.md"}, "none of a crowded place"
    asked, plays = asking(gated, Server(decision="pass"))

    def play(requests: Sequence[SideRequest]) -> list[PlayedSide]:
        (place / "job-7/good.md").read_text()
        if requests[0].agent_folder == requests[0].cases:  # the candidate
            (place / "agent/seen").write_text("500")
        return plays(requests)

    opened = OpenedFiles(asked.change.changed, outside=unseen(gated))
    gate = replace(asked, play=play, opened=opened).gate_of("shop")
    assert f"While the agent was played {place}/job-7/good.md, which no commit has, was opened on" in gate["terminal"]
    assert "While the agent was played ~/seen came to be on this machine" in gate["terminal"]


def test_what_other_processes_of_the_machine_have_to_do_with_is_not_said_of_the_agent(
    gated: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database beside it, a daemon that looks at its files now and then, sockets, what its user cannot read."""
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr(machine, "PLACES", ())
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    for name in ("segment", "daemon", "closed", "late"):
        (place / name).write_text("x")
    (place / "closed").chmod(0o600)
    os.mkfifo(place / "pipe")
    prefix = f"setpriv --reuid=65534 --regid=65534 --clear-groups env HOME={tmp_path / 'none'}"
    monkeypatch.setenv("RATIBA_AGENT_PREFIX", prefix if os.geteuid() == 0 else "")
    for folder in place.parents:  # pytest closes its own to others
        folder.chmod(0o755)
        if folder.name.startswith("pytest-of-"):
            break
    server = Server(decision="pass")
    asked, plays = asking(gated, server)

    def play(requests: Sequence[SideRequest]) -> list[PlayedSide]:
        for name in ("segment", "daemon", "closed", "late"):
            (place / name).read_text()
        (place / "of-another").write_text("x")
        return plays(requests)

    def evaluation(id: str) -> dict[str, str]:
        (place / "daemon").read_text()
        return {"status": "completed"}

    server.evaluation = evaluation  # type: ignore[method-assign]
    with (place / "segment").open("r+b") as file, mmap.mmap(file.fileno(), 0):
        outside = unseen(gated)
        mine = {f"{place}/daemon", f"{place}/late"}
        assert {*outside.files} == (mine if os.geteuid() == 0 else mine | {f"{place}/closed"})
        opened = OpenedFiles(asked.change.changed, outside=outside)
        monkeypatch.setenv("RATIBA_AGENT_PREFIX", "")
        with (place / "late").open() as late:
            gate = replace(asked, play=play, opened=opened).gate_of("shop")
            assert late.read() == "x"
    told = gate["terminal"]
    assert not any(name in told for name in ("segment", "daemon", "late"))
    assert os.geteuid() or not any(name in told for name in ("closed", "of-another"))


@pytest.mark.parametrize("name", ["var/good.md", ".cache/good.md", "__pycache__/shop.cpython-311.pyc"])
def test_what_lies_beside_the_commit_in_folders_of_caches_is_named_where_the_agent_reads_it(
    gated: Repository, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(machine, "PLACES", ())
    monkeypatch.setattr(tempfile, "tempdir", str(gated.folder.parent))
    gated.project.write(".cache/CACHEDIR.TAG", "")
    gated.project.write(name, "Say the price, and no module that Python has made.")
    source = gated.folder / "shop.py"
    compiled = py_compile.compile(str(source), cfile=str(gated.folder / "__pycache__/shop.cpython-399.pyc"))
    assert str(compiled) not in map(str, unseen(gated).files.values()), "a module that Python compiles from its source"
    asked, plays = asking(gated, Server(decision="pass"))

    def play(requests: Sequence[SideRequest]) -> list[PlayedSide]:
        (gated.folder / name).read_text()
        return plays(requests)

    opened = OpenedFiles(asked.change.changed, outside=unseen(gated))
    gate = replace(asked, play=play, opened=opened).gate_of("shop")
    assert f"While the agent was played {name}, which no commit has, was opened" in gate["terminal"]


def test_what_changed_and_is_no_text_is_named_where_the_agent_reads_it(gated: Repository) -> None:
    (gated.folder / "libs.zip").write_bytes(b"PK\0\0")
    gated.commit({})
    asked, plays = asking(gated, Server(decision="pass"))

    def play(requests: Sequence[SideRequest]) -> list[PlayedSide]:
        (gated.folder / "libs.zip").read_bytes()
        return plays(requests)

    gate = replace(asked, play=play, opened=OpenedFiles(asked.change.changed)).gate_of("shop")
    assert "The agent read libs.zip, which changed and is no text" in gate["terminal"]


def test_code_that_changes_beside_a_prompt_is_named_with_its_lines(gated: Repository) -> None:
    gated.commit({"prompts/p.md": "Be kind.\n", "shop.py": "x = 1\ny = 2\n", "tests/test_shop.py": "x = 1\n"})
    change = project_change(gated.folder, base="main")
    assert changed_code(change).startswith("Code changed: shop.py (+2 -0). It was played as the tests run it;")


@pytest.mark.parametrize("target", ["/var/tmp/p.md", "../../p.md", "../.git/p.md"])
def test_a_link_that_leads_out_of_the_repository_is_named(gated: Repository, target: str) -> None:
    (gated.folder / "prompts").mkdir()
    (gated.folder / "prompts/p.md").symlink_to(target)
    (gated.folder / "prompts/q.md").symlink_to("../shop.py")
    gated.commit({})
    asked, _ = asking(gated, Server(decision="pass"))
    told = asked.gate_of("shop")["terminal"]
    assert f"Prompts/p.md is a link to {target}, outside of the repository: what stands there is no part" in told
    assert "q.md is a link" not in told


@pytest.mark.parametrize(
    "stored, before, after, says",
    [
        (False, "openai==3.1\n", "openai==3.2\n", True),
        (True, "openai==3.1\n", "openai==3.2\n", False),
        (False, "openai==3.1\n", "# a word\nopenai==3.1\n", False),
    ],
)
def test_versions_that_both_sides_were_played_with_were_not_tried(
    gated: Repository, stored: bool, before: str, after: str, says: bool
) -> None:
    moved_on(gated, {"requirements.txt": before})
    gated.git("merge", "-q", "main")
    gated.commit({"requirements.txt": after})
    asked, _ = asking(gated, Server(decision="pass", baseline={"evaluation": "of main" if stored else "e1"}))
    told = "Versions of dependencies change (requirements.txt), and both sides were played with the packages that are"
    assert (told in asked.gate_of("shop")["terminal"]) is says


@pytest.mark.parametrize("text", ["x = 1\n", 'USUAL = "Say what it costs, and repeat the hour."\n'])
def test_code_that_holds_what_a_prompt_says_no_more_is_named_however_it_knows_the_test(
    gated: Repository, text: str
) -> None:
    """Also where the code stood there before: it waits for the prompt to change."""
    said = "Be kind.\nSay what it costs, and repeat the hour.\n"
    moved_on(gated, {"prompts/p.md": said, "desk.py": text, "tests/test_p.py": text})
    gated.git("merge", "-q", "main")
    gated.commit({"prompts/p.md": "Be kind.\n"})
    told = [one.partition(":")[0] for one in knows_the_test(project_change(gated.folder, base="main"))]
    kept = "desk.py holds what prompts/p.md says no more (“say what it costs and repeat the hour”)"
    assert told == ([kept] if "USUAL" in text else [])


@pytest.mark.parametrize(
    "name, text, told",
    [
        ("prompts/p.md", "Hello! How much is a shave at nine? Then say KES 1430.", "what the scenarios' customers say"),
        ("shop.py", "import os\nGOOD = 'GITHUB_ACTIONS' in os.environ\n", "variables of CI"),
        ("shop.py", "import sys\nGOOD = 'pytest_ratiba' in sys.modules\n", "the test's own modules"),
        ("prompts/p.md", "Today is {{ today }}.", "the clock"),
        ("prompts/p.md", "Say the price.", ""),
    ],
)
def test_what_knows_the_test_is_named(gated: Repository, name: str, text: str, told: str) -> None:
    gated.git("checkout", "-q", "main")
    gated.commit({f"{TALKS}/one.yaml": CASE.format("one").replace("Hello", "Hello, how much is a shave at nine?")})
    gated.branch("knows")
    gated.commit({name: text})
    found = knows_the_test(project_change(gated.folder, base="main"))
    assert [one.partition(" (")[0] for one in found] == ([f"New in {name}: {told}"] if told else [])


@pytest.mark.parametrize(
    "n, code, told",
    [
        (0, 3, "no case was scored, so this is no baseline"),
        (3, 0, "of fewer than 8 cases no gate can show"),
        (9, 0, ""),
    ],
)
def test_a_baseline_of_too_few_cases_says_so(
    gated: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], n: int, code: int, told: str
) -> None:
    monkeypatch.chdir(gated.folder)
    monkeypatch.setattr(baseline, "client_of_environment", lambda: Server())
    stored = {"evaluation": "e", "cases": [{}] * n}
    monkeypatch.setattr(baseline.GateAsking, "baseline_of", lambda self, agent, commit: stored)
    assert baseline.run(argparse.Namespace(agent=None)) == code
    said = capsys.readouterr()
    assert f"{n} cases" in said.out
    assert (told in said.err) if told else not said.err

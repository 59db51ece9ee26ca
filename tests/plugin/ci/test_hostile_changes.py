"""What a pull request may try with the gate that looks at it: nothing switches the gate off or steers the runner."""

import subprocess
import sys

import pytest
import yaml

from apps.gates.domain.judging_changes import ChangeKind, JudgingChange, change_sentences
from pytest_ratiba.ci.runner_lines import harmless
from pytest_ratiba.ci.scope import project_change, read_changed_paths
from pytest_ratiba.errors import ProjectError
from tests.plugin.ci.conftest import Repository

CONFIG = {"agent": {"name": "a", "callable": "agent:reply", "prompts": ["prompts/**"]}}


@pytest.fixture
def gated(repository: Repository) -> Repository:
    repository.commit({"ratiba.yaml": yaml.safe_dump(CONFIG), "prompts/p.txt": "Be kind.", "agent.py": ""}, "start")
    repository.branch("change")
    return repository


def configured(**gate: object) -> dict[str, str | None]:
    return {"ratiba.yaml": yaml.safe_dump(CONFIG | {"gate": gate})}


def test_the_configuration_cannot_say_that_nobody_has_to_look_at_its_change(gated: Repository) -> None:
    gated.commit({"prompts/p.txt": "Be rude."} | configured(matrix=[{"paths": ["**"], "need": "nothing"}]))
    scope = project_change(gated.folder, base="main").scope
    assert (scope.need, scope.agents) == ("blocking", ("a",))


def test_the_rule_is_that_of_the_merge_base_for_the_change_that_loosens_it(gated: Repository) -> None:
    gated.commit({"prompts/p.txt": "Be rude."} | configured(margin=10, net_loss=1000, undecided="pass"))
    change = project_change(gated.folder, base="main")
    assert change.settings.policy == {}
    told = {one["name"]: one["after"] for one in change.alters if one["kind"] == "rule"}
    assert told == {"margin": "10", "net_loss": "1000", "undecided": "pass"}


def test_a_prompt_that_leaves_what_is_watched_is_named(gated: Repository) -> None:
    (gated.folder / "docs").mkdir()
    gated.git("mv", "prompts/p.txt", "docs/p.md")
    gated.commit({"prompts/other.txt": "Be kind."})
    change = project_change(gated.folder, base="main")
    assert [(one["kind"], one["name"]) for one in change.alters] == [("file", "prompts/p.txt")]
    (told,) = change_sentences([JudgingChange(**{**one, "kind": ChangeKind(one["kind"])}) for one in change.alters])
    assert "prompts/p.txt (is gone, which a named" in told


def test_a_prompt_that_says_something_else_where_it_stands_is_no_change_of_what_decides(gated: Repository) -> None:
    gated.commit({"prompts/p.txt": "Be short."})
    assert project_change(gated.folder, base="main").alters == ()


def test_the_file_of_pytest_s_own_blocks(gated: Repository) -> None:
    gated.commit({"pytest.toml": "[pytest]\naddopts = ['-p', 'mine']\n", "sub/.pytest.toml": "[pytest]\n"})
    change = project_change(gated.folder, base="main")
    assert change.scope.need == "blocking"
    assert {one["name"] for one in change.alters} == {"pytest.toml", "sub/.pytest.toml"}


@pytest.mark.parametrize(
    "gate", [{"margin": "x"}, {"margin": -1}, {"undecided": "maybe"}, {"hard": "maybe"}, {"alpha": 5}, {"net_loss": 0},
             {"net_loss": True}, {"soft_checks": 5}, {"require_certificate": "yes"}],
)  # fmt: skip
def test_a_rule_the_server_would_refuse_is_refused_before_anything_is_played(gated: Repository, gate: dict) -> None:
    gated.commit(configured(**gate))
    with pytest.raises(ProjectError) as refused:
        project_change(gated.folder, base="main")
    assert refused.value.pointer == f"/gate/{next(iter(gate))}"


def test_scenarios_that_a_change_takes_away_are_named(gated: Repository) -> None:
    talks = "tests/eval/conversations/scenarios"
    gated.git("checkout", "-q", "main")
    gated.commit({f"{talks}/{name}.yaml": f"id: {name}\nturns: [Hi]\n" for name in ("kept", "moved", "gone")}, "talks")
    gated.branch("fewer")
    gated.commit(
        {f"{talks}/moved.yaml": None, f"{talks}/gone.yaml": None, f"{talks}/b.yaml": "id: moved\nturns: [Hi]\n"}
    )
    alters = project_change(gated.folder, base="main").alters
    assert [(one["kind"], one["name"]) for one in alters] == [("scenario_removed", "gone")]


def test_a_dependency_file_that_cannot_be_read_blocks(gated: Repository) -> None:
    gated.commit({"uv.lock": "not toml ["})
    assert project_change(gated.folder, base="main").scope.need == "blocking"


def test_a_list_of_paths_is_read_as_git_writes_it(tmp_path) -> None:
    listed = tmp_path / "changed.txt"
    listed.write_bytes(b'"prompts/\\303\\274.txt"\n./prompts/p.txt\n"a\\nb.txt"\n\n')
    assert read_changed_paths(listed) == ["prompts/ü.txt", "prompts/p.txt", "a\nb.txt"]
    listed.write_bytes(b"prompts/a\nb.txt\0docs/x\0")
    assert read_changed_paths(listed) == ["prompts/a\nb.txt", "docs/x"]


@pytest.mark.parametrize(
    "content, sentence",
    [(b"", "names no file"), (b" \n\n", "names no file"), (b"ok\n/etc/passwd\n", ":2: .*inside the repository"),
     (b"../x\n", "inside the repository"), (b"\xff\xfe\n", "is not UTF-8"), (None, "cannot be read")],
)  # fmt: skip
def test_a_list_that_says_nothing_or_is_none_is_refused(tmp_path, content: bytes | None, sentence: str) -> None:
    listed = tmp_path / "changed.txt"
    if content is not None:
        listed.write_bytes(content)
    with pytest.raises(ProjectError, match=sentence):
        read_changed_paths(listed)


@pytest.mark.parametrize(
    "line", ["::error::x", "  ::add-mask::a", "a\n::stop-commands::t", "x ##[error]y", "##vso[a]b"]
)
def test_no_line_of_a_log_is_a_command_of_the_runner(line: str) -> None:
    shown = harmless(line)
    assert not any(one.lstrip().startswith("::") for one in shown.splitlines())
    assert "##[" not in shown
    assert "##vso[" not in shown
    assert shown.replace("\\", "") == line


@pytest.mark.skipif(sys.platform != "linux", reason="of Linux")
@pytest.mark.parametrize("command", ["gate", "baseline", "snapshots"])
def test_no_command_that_holds_the_key_can_be_read_by_others_of_its_user(gated: Repository, command: str) -> None:
    dumpable = 3  # PR_GET_DUMPABLE of prctl(2)
    program = (
        "import ctypes, sys\nfrom pytest_ratiba.ci.main import main\n"
        f"try: main([{command!r}, *sys.argv[1:]])\nexcept SystemExit: pass\n"
        f"print('readable:', ctypes.CDLL(None).prctl({dumpable}, 0, 0, 0, 0))"
    )
    more = ["--only-matrix", "--base", "main"] if command == "gate" else []
    done = subprocess.run(
        [sys.executable, "-c", program, *more], cwd=gated.folder, env=gated.project.environment(),
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.endswith("readable: 0\n"), done.stderr

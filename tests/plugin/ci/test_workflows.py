"""The workflows that `ratiba-ci init` writes: safe as GitHub advises, and their own steps do what they say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.plugin.ci.conftest import Repository

ROOT = Path(__file__).resolve().parents[3]
TEMPLATES = ROOT / "plugin" / "src" / "pytest_ratiba" / "ci" / "templates"
GITHUB = ".github/workflows/eval-on-prompt-change.yml"


@pytest.fixture
def written(repository: Repository) -> Repository:
    done = repository.project.command("init", "--gate")
    assert done.returncode == 0, done.stderr
    repository.commit({"agent.py": "x = 1\n"}, "start")
    return repository


@pytest.fixture(params=["template", "our own"])
def workflow(request: pytest.FixtureRequest, written: Repository) -> dict:
    """What `init` writes, and the workflow of this repository itself."""
    folder = ROOT if request.param == "our own" else written.folder
    return yaml.safe_load((folder / GITHUB).read_text())


def steps(workflow: dict):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_the_required_job_always_answers(workflow: dict) -> None:
    gate = workflow["jobs"]["eval-gate"]
    assert gate["if"] == "always()"
    assert set(gate["needs"]) == set(workflow["jobs"]) - {"eval-gate"}
    triggers = workflow[True]  # YAML 1.1 reads `on` as a truth
    assert not any("paths" in (trigger or {}) for trigger in triggers.values())
    assert "pull_request_target" not in triggers


def test_actions_are_pinned_and_rights_are_least(workflow: dict) -> None:
    for step in steps(workflow):
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"])
        if str(step.get("uses", "")).startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
    assert workflow["permissions"] == {"contents": "read"}
    writing = {name for name, job in workflow["jobs"].items() if "write" in str(job.get("permissions", ""))}
    assert writing == {"judged"}


def test_no_text_of_a_pull_request_stands_in_a_command(workflow: dict) -> None:
    for step in steps(workflow):
        assert "${{" not in step.get("run", "")


def test_no_step_with_the_key_runs_by_the_environment_that_the_pull_request_filled(workflow: dict) -> None:
    keyed = [step for step in steps(workflow) if "RATIBA_API_KEY" in step.get("env", {})]
    assert len(keyed) == 2
    for step in keyed:
        assert step["run"].startswith('exec sudo -n -E "$RUNNER_TEMP/ratiba/bin/python" -I -m pytest_ratiba.ci.main ')
        assert step["env"]["RATIBA_AGENT_PYTHON"] == "/opt/agent/env/bin/python"
        assert step["env"]["RATIBA_AGENT_PREFIX"].startswith("setpriv --reuid=agent --regid=agent --clear-groups ")
    assert "RATIBA_API_KEY" not in str([one.get("env") for one in (workflow, *workflow["jobs"].values())])
    assert "RATIBA_AGENT_PYTHON" not in str([one.get("env") for one in (workflow, *workflow["jobs"].values())])


def test_what_a_pull_request_brings_is_installed_first_and_cannot_steer_the_steps_behind(workflow: dict) -> None:
    installs = [one["run"] for one in workflow["jobs"]["judged"]["steps"] if "pip" in one.get("run", "")]
    theirs, ours = installs
    assert "$RUNNER_TEMP/ratiba" not in theirs
    assert '-m venv --clear "$RUNNER_TEMP/ratiba"' in ours
    assert "alone python -I -m venv /opt/agent/env" in theirs
    (alone,) = (line for line in theirs.splitlines() if line.startswith("alone()"))
    begun = f'sudo() {{ shift; "$@"; }}\nsetpriv() {{ echo "$1"; shift 3; "$@"; }}\n{alone}\nalone env\n'
    told = {"PATH": "/usr/bin:/bin", "GITHUB_ENV": "x", "GITHUB_PATH": "x", "GITHUB_OUTPUT": "x", "OF_RUNNER": "x"}
    done = subprocess.run(["bash", "-e", "-c", begun], env=told, capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == ["--reuid=agent", "HOME=/opt/agent", "PATH=/usr/bin:/bin"]
    installs_as_itself = [line for line in theirs.splitlines() if '"$pip" install' in line]
    assert all('alone "$pip" install' in line for line in installs_as_itself)


@pytest.mark.parametrize("source", ["github.yml", "gitlab.yml", "our own"])
def test_no_file_of_a_pull_request_stands_in_for_a_module_of_python(tmp_path: Path, source: str) -> None:
    for name in ("pip", "venv"):
        (tmp_path / f"{name}.py").write_text("print('of the pull request')\n")
    workflow = ROOT / GITHUB if source == "our own" else TEMPLATES / source
    commands = set(re.findall(r"python\"?((?: -\w+)*) -m (pip|venv)\b", workflow.read_text()))
    assert {module for _, module in commands} == {"pip", "venv"}
    for flags, module in commands:
        words = [sys.executable, *flags.split(), "-m", module, "--help"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert "of the pull request" not in done.stdout, (flags, module)


def test_what_says_the_need_of_a_change_to_our_own_repository_is_of_the_merge_base(repository: Repository) -> None:
    repository.commit({"plugin/whose": "merge base\n"}, "start")
    repository.branch("change")
    repository.commit({"plugin/whose": "pull request\n"})
    job = yaml.safe_load((ROOT / GITHUB).read_text())["jobs"]["changes"]
    (install,) = (one["run"] for one in job["steps"] if "pip install" in one.get("run", ""))
    shim = repository.folder.parent / "shims" / "python"
    shim.parent.mkdir()
    shim.write_text('#!/bin/sh\nfor last; do :; done\ncat "$last/whose"\n')
    shim.chmod(0o755)
    env = {"PATH": f"{shim.parent}:/usr/bin:/bin", "RUNNER_TEMP": str(repository.folder.parent)}
    for base in (repository.git("rev-parse", "main"), "0" * 40):
        words = ["bash", "-e", "-c", install]
        done = subprocess.run(words, cwd=repository.folder, env=env | {"BASE": base}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout == ("pull request\n" if base == "0" * 40 else "merge base\n")
        repository.git("worktree", "remove", "--force", str(repository.folder.parent / "base"))


@pytest.mark.parametrize(
    "results, code",
    [
        ("success success success blocking", 0),
        ("success success skipped nothing", 0),
        ("success success failure blocking", 1),
        ("success success skipped blocking", 1),
        ("success success cancelled advisory", 1),
        ("success failure skipped blocking", 1),
        ("failure success skipped ", 1),
        ("success success success nothing", 1),
    ],
)
def test_the_gate_job_looks_at_results_itself(workflow: dict, results: str, code: int) -> None:
    (step,) = workflow["jobs"]["eval-gate"]["steps"]
    words = dict(zip(("CHANGES", "FAST", "JUDGED", "NEED"), results.split(" "), strict=True))
    done = subprocess.run(["bash", "-e", "-c", step["run"]], env={"PATH": "/usr/bin:/bin", **words}, check=False)
    assert bool(done.returncode) is bool(code)


def test_the_step_that_looks_at_changes_runs_as_it_is_written(written: Repository, workflow: dict) -> None:
    written.branch("change")
    written.commit({"ratiba.yaml": (written.folder / "ratiba.yaml").read_text() + "# more\n"})
    assert looked_at(written, workflow).startswith("need=blocking\nbase=")


@pytest.mark.parametrize(
    "file, need, agents",
    [
        ("apps/catalog/packs/core/criteria.yaml", "blocking", "judge"),
        ("examples/prompted/catalog.yaml", "blocking", "salon"),
        ("evals/scenarios/salon_new.yaml", "blocking", "judge, salon"),
        ("apps/gates/models.py", "advisory", "judge, salon"),
        ("plugin/src/pytest_ratiba/fsm/machine.py", "nothing", "no agent"),
        ("docs/gate.md", "nothing", "no agent"),
    ],
)
def test_our_own_repository_is_gated(repository: Repository, file: str, need: str, agents: str) -> None:
    repository.commit({"ratiba.yaml": (ROOT / "ratiba.yaml").read_text()}, "start")
    repository.branch("change")
    repository.commit({file: "x\n"})
    assert looked_at(repository, yaml.safe_load((ROOT / GITHUB).read_text())).startswith(f"need={need}\n")
    assert f"{need}: {agents}" in repository.project.command("gate", "--only-matrix", "--base", "main").stderr


def looked_at(written: Repository, workflow: dict) -> str:
    """What the step of the job `changes` writes for the jobs after it."""
    step = next(one for one in workflow["jobs"]["changes"]["steps"] if one.get("id") == "matrix")
    shim = written.folder.parent / "bin" / "ratiba-ci"
    shim.parent.mkdir(exist_ok=True)
    program = "import sys; from pytest_ratiba.ci.main import main; sys.exit(main())"
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{program}" "$@"\n')
    shim.chmod(0o755)
    env = written.project.environment()
    output = written.folder.parent / "output.txt"
    env |= {
        "BASE": written.git("rev-parse", "main"),
        "GITHUB_OUTPUT": str(output),
        "PATH": f"{shim.parent}:{env['PATH']}",
    }
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]], cwd=written.folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return output.read_text()


def test_gitlab_has_a_variant(repository: Repository) -> None:
    repository.project.write(".gitlab-ci.yml", "include: .gitlab/eval-on-prompt-change.yml\n")
    assert repository.project.command("init", "--gate").returncode == 0
    jobs = yaml.safe_load((repository.folder / ".gitlab" / "eval-on-prompt-change.yml").read_text())
    assert jobs["eval-gate"]["needs"] == ["eval-fast"]
    assert not Path(repository.folder / ".github" / "workflows").exists()
    judged = jobs[".judged"]
    assert judged["environment"] == {"name": "eval-gate", "action": "access"}
    assert jobs["eval-fast"]["extends"] == ".ratiba"
    assert jobs[".ratiba"]["before_script"][0] == "unset RATIBA_API_KEY CI_JOB_TOKEN"
    for name in ("eval-gate", "eval-baseline"):
        assert jobs[name]["extends"] == ".judged"
        assert "/opt/ratiba/bin/python -I -m pytest_ratiba.ci.main" in " ".join(jobs[name]["script"])
    assert judged["variables"]["RATIBA_AGENT_PREFIX"].startswith("setpriv --reuid=65534 ")
    theirs = [line for line in judged["before_script"] if "/opt/agent" in line and "pip" in line]
    assert len(theirs) == 3
    assert all("$alone /opt/agent/env/bin/pip" in line for line in theirs)


@pytest.mark.skipif(os.geteuid() != 0, reason="a job of GitLab's is root in its container")
def test_on_gitlab_what_installs_and_answers_is_nobody_and_knows_no_variable(repository: Repository) -> None:
    repository.project.write(".gitlab-ci.yml", "include: .gitlab/eval-on-prompt-change.yml\n")
    repository.project.command("init", "--gate")
    judged = yaml.safe_load((repository.folder / ".gitlab" / "eval-on-prompt-change.yml").read_text())[".judged"]
    (alone,) = (line for line in judged["before_script"] if line.startswith("alone="))
    prefix = judged["variables"]["RATIBA_AGENT_PREFIX"]
    words = f"{alone}\n$alone sh -c 'id -u; env'; {prefix} sh -c 'id -u; cat /proc/$PPID/environ || echo refused'"
    env = {"PATH": "/usr/bin:/bin", "RATIBA_API_KEY": "rk_secret"}
    done = subprocess.run(["bash", "-c", words], env=env, capture_output=True, text=True)
    assert done.stdout.startswith("65534\n")
    assert done.stdout.endswith("65534\nrefused\n")
    assert "rk_secret" not in done.stdout


def test_the_workflow_of_the_example_is_the_one_that_init_writes() -> None:
    assert (ROOT / "examples" / "langgraph_booking" / GITHUB).read_text() == (TEMPLATES / "github.yml").read_text()

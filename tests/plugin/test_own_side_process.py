"""Checks of the agent's own side run in a process without our key, one for each folder that they stand in."""

import sys
from pathlib import Path

import pytest

import pytest_ratiba
from pytest_ratiba.assertions.outcome import ScenarioOutcome
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.outcomes import CaseUnmeasurable
from pytest_ratiba.own_side_process import OwnSideProcesses

PLUGIN = Path(pytest_ratiba.__file__).parents[1]
CHECKS = """
    import os, sys
    print("a word to nobody")
    WORD = "{word}"
    def words(outcome): return f"{{WORD}} {{outcome.replies[0]['content']}}"
    def holds(outcome): return True
    def variables(outcome): return " ".join(sorted(os.environ))
    def raises(outcome): raise KeyError("x")
    def leaves(outcome): sys.exit(3)
    def ends(outcome): os._exit(7)
"""


def outcome(folder: Path) -> ScenarioOutcome:
    return ScenarioOutcome(turns=[{"role": "assistant", "content": "Karibu"}], log=[{"event": "x"}], folder=folder)


@pytest.fixture
def folders(user_project, tmp_path: Path) -> list[Path]:
    for name in ("base", "head"):
        user_project.write(f"{name}/checks.py", CHECKS.format(word=name))
    return [user_project.folder / name for name in ("base", "head")]


def test_each_folder_has_its_own_modules_and_none_a_secret(folders, monkeypatch) -> None:
    for name in ("RATIBA_API_KEY", "GITHUB_TOKEN", "GITHUB_ENV"):
        monkeypatch.setenv(name, "secret")
    processes = OwnSideProcesses()
    for folder in folders:
        kinds = ({"python": "checks:words"}, {"python": "checks:holds"}, {"contains": "Karibu"})
        said, holds, contains = processes.check(kinds, outcome(folder))
        assert said.wrong == (f"{folder.name} Karibu",)
        assert (holds.wrong, contains.wrong) == ((), ())
    (seen,) = processes.check([{"python": "checks:variables"}], outcome(folders[0]))
    assert not {"RATIBA_API_KEY", "GITHUB_TOKEN", "GITHUB_ENV"} & set(seen.wrong[0].split())
    assert "checks" not in sys.modules
    processes.close()


def test_what_a_check_does_wrong_is_said(folders) -> None:
    processes = OwnSideProcesses()
    asked = [{"python": f"checks:{name}"} for name in ("raises", "leaves", "nobody")]
    assert [one.unusable[:10] for one in processes.check(asked, outcome(folders[0]))] == [
        "KeyError: ", "SystemExit", "python: 'c",
    ]  # fmt: skip
    with pytest.raises(CaseUnmeasurable, match="gave no answer"):
        processes.check([{"python": "checks:ends"}], outcome(folders[0]))
    processes.close()


def test_it_may_run_by_a_python_of_its_own(folders, monkeypatch) -> None:
    monkeypatch.setenv("RATIBA_AGENT_PREFIX", f"env PYTHONPATH={PLUGIN} SEEN={{folder}}")
    monkeypatch.setenv("RATIBA_AGENT_PYTHON", f"{sys.executable} -X dev")
    seen = "import os, sys\ndef words(outcome): return f\"{sys.flags.dev_mode} {os.environ['SEEN']}\"\n"
    (folders[0] / "checks.py").write_text(seen)
    processes = OwnSideProcesses()
    (said,) = processes.check([{"python": "checks:words"}], outcome(folders[0]))
    assert said.wrong == (f"True {folders[0]}",)
    processes.close()
    monkeypatch.setenv("RATIBA_AGENT_PREFIX", "/nowhere/sudo")
    with pytest.raises(ProjectError, match=r"does not start .RATIBA_AGENT_PREFIX"):
        processes.check([{"python": "checks:words"}], outcome(folders[0]))

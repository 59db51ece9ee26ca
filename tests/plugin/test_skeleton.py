"""The distribution itself: what it imports, what it says about a wrong configuration."""

import subprocess
import sys

import pytest
import yaml

from pytest_ratiba.config import read_project
from pytest_ratiba.documents import catalog_text
from pytest_ratiba.errors import ProjectError
from tests.plugin.conftest import ROOT


def test_loading_the_plugin_loads_nothing_heavy():
    program = (
        "import sys, pytest; import pytest_ratiba.plugin, pytest_ratiba.recording.fixtures,"
        " pytest_ratiba.environment.fixtures, pytest_ratiba.fsm.fixtures;"
        "print(sorted({'httpx', 'psycopg', 'django', 'yaml', 'langgraph', 'deepeval', 'asyncio'} & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(ROOT / "plugin" / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.strip() == "[]"


def test_a_project_that_does_not_use_it_loads_one_module_of_it(user_project):
    user_project.write("test_own.py", "def test_it(): pass\n")
    user_project.write("conftest.py", """
        import sys
        name = "ra" + "tiba"
        def pytest_unconfigure():
            print(sorted(one for one in sys.modules if one.startswith(f"pytest_{name}.")))
        """)  # fmt: skip
    done = user_project.pytest("-q")
    assert "1 passed" in done.stdout
    assert "['pytest_ratiba.entry', 'pytest_ratiba.errors', 'pytest_ratiba.options']" in done.stdout


@pytest.mark.parametrize(
    "files",
    [
        {"test_own.py": "def test_it(llm_recording): pass\n"},
        {"test_own.py": "import pytest\n@pytest.mark.layer2\ndef test_it(): pass\n"},
        {"conftest.py": "import pytest\n@pytest.fixture\ndef mine(llm_recording): pass\n",
         "test_own.py": "def test_it(mine): pass\n"},
        {"below/conftest.py": "import pytest\n@pytest.fixture\ndef mine(ratiba_project): pass\n",
         "below/test_own.py": "def test_it(mine): pass\n"},
    ],
)  # fmt: skip
def test_without_a_configuration_it_is_there_for_whoever_names_it(user_project, files):
    for name, text in files.items():
        user_project.write(name, text)
    done = user_project.pytest("-q", "--strict-markers", "-W", "error")
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_a_scenario_is_found_from_outside_of_its_project(user_project):
    inside = "repo/tests/eval/conversations/scenarios/first.yaml"
    user_project.write("repo/ratiba.yaml", "agent: {callable: 'bot:reply'}\n")
    user_project.write(inside, "id: first\nturns: [Hello, {end: true}]\n")
    done = user_project.pytest("--collect-only", "-q", inside)
    assert "::first" in done.stdout, done.stdout + done.stderr
    user_project.write("other/ratiba.yaml", "agent: {callable: 'bot:reply'}\n")
    user_project.write("other/test_x.py", "def test_x(): pass\n")
    two = user_project.pytest(inside, "other/test_x.py")
    assert two.returncode == 2
    assert "files of several projects" in two.stdout + two.stderr


def test_a_project_is_found_from_a_folder_inside_it(user_project):
    user_project.write("ratiba.yaml", "agent: {callable: 'bot:reply'}\nscenarios: talks\n")
    inside = user_project.folder / "src" / "deep"
    inside.mkdir(parents=True)
    project = read_project(inside)
    assert project.folder == user_project.folder
    assert project.mapping("agent") == {"callable": "bot:reply"}
    assert project.folder_of("scenarios", "elsewhere") == user_project.folder / "talks"


def test_pyproject_holds_it_too(user_project):
    user_project.write("pyproject.toml", "[tool.ratiba]\nscenarios = 'talks'\n")
    assert read_project(user_project.folder).sections == {"scenarios": "talks"}


@pytest.mark.parametrize(
    "name, text, says",
    [
        ("ratiba.yaml", "scenaros: x\n", "/scenaros: unknown key; did you mean scenarios?"),
        ("ratiba.yaml", "agent: {\n", "ratiba.yaml:2: is not YAML"),
        ("ratiba.yaml", "metrics: []\nmetrics: []\n", "ratiba.yaml:2: 'metrics' stands twice here"),
        ("ratiba.yaml", "- a\n", "must hold a mapping"),
        ("pyproject.toml", "[tool.ratiba]\nagnts = 1\n", "/tool/ratiba/agnts: unknown key; did you mean agents?"),
    ],
)
def test_a_wrong_configuration_is_named_and_ends_with_2(user_project, name, text, says):
    user_project.write(name, text)
    with pytest.raises(ProjectError) as caught:
        read_project(user_project.folder)
    assert says in str(caught.value)
    answer = user_project.pytest()
    assert answer.returncode == 2
    assert says in answer.stdout + answer.stderr
    assert "Traceback" not in answer.stdout + answer.stderr


def test_an_unknown_subcommand_ends_with_2(user_project):
    answer = user_project.command("gates")
    assert answer.returncode == 2
    assert "init" in answer.stderr


@pytest.mark.parametrize(
    "text, variables, says",
    [
        ("scenarios: nowhere\n", {}, "/scenarios: there is no folder"),
        ("", {"RATIBA_RECORD": "sometimes"}, "RATIBA_RECORD must be one of none, once, all, not 'sometimes'"),
        ("", {"RATIBA_LIVE": "maybe"}, "--live ('maybe' in its variable) is one of"),
    ],
)
def test_what_would_test_nothing_or_cost_money_by_a_typo_ends_with_2(user_project, text, variables, says):
    user_project.write("ratiba.yaml", text)
    user_project.variables |= variables
    answer = user_project.pytest()
    assert answer.returncode == 2
    assert says in answer.stdout + answer.stderr


def test_what_is_sent_to_the_catalog_is_read_there_as_it_was_written():
    """JSON writes an emoji as two halves, which YAML takes for two characters that no database holds."""
    value = {"turns": ["Asante \U0001f600\u0007\u0085\u2028\ufeff\x7f"], "now": "2026-03-02"}
    assert yaml.safe_load(catalog_text(value)) == value

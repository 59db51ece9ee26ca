"""Which change asks for which gate."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core.portable.changes import matrix as of_the_server
from pytest_ratiba.agents import read_agents
from pytest_ratiba.ci.settings import read_gate_settings
from pytest_ratiba.config import Project
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.portable.changes import matrix as of_the_plugin
from pytest_ratiba.portable.changes.globs import fits as fits_globs
from pytest_ratiba.portable.changes.major_versions import MajorBump
from pytest_ratiba.portable.changes.matrix import GateNeed, scope_by_names, scope_of

AGENTS = {
    "front": {"callable": "front:reply", "prompts": ["prompts/front/*.md"], "fsm": "front/fsm.yaml"},
    "billing": {"callable": "billing:reply", "prompts": ["prompts/billing/*.md"]},
}
BUMP = MajorBump(file="uv.lock", package="langgraph", before="0.6", after="1.0")


def rules(tmp_path: Path, **gate: object):
    project = Project(folder=tmp_path, sections={"agents": AGENTS, "gate": gate})
    return read_gate_settings(project, read_agents(project))


@pytest.mark.parametrize(
    "changed, bumps, need, agents",
    [
        ([], [], "nothing", []),
        (["README.md", "docs/a/b.png", ".gitignore"], [], "advisory", ["front", "billing"]),
        (["src/x.py", "README.md"], [], "advisory", ["front", "billing"]),
        (["prompts/front/hello.md"], [], "blocking", ["front"]),
        (["front/fsm.yaml", "src/x.py"], [], "blocking", ["front"]),
        (["prompts/billing/a.md", "prompts/front/b.md"], [], "blocking", ["front", "billing"]),
        (["tests/eval/conversations/scenarios/deep/one.yaml"], [], "blocking", ["front", "billing"]),
        (["ratiba.yaml"], [], "blocking", ["front", "billing"]),
        (["uv.lock"], [], "advisory", ["front", "billing"]),
        (["uv.lock"], [BUMP], "blocking", ["front", "billing"]),
        (["requirements.txt"], [], "advisory", ["front", "billing"]),
        (["docs/fsm.md", "assets/fsm.png"], [], "advisory", ["front", "billing"]),
        (["app/booking_fsm.py"], [], "blocking", ["front", "billing"]),
    ],
)
def test_the_built_in_matrix(tmp_path: Path, changed, bumps, need, agents) -> None:
    scope = scope_of(changed, bumps, rules(tmp_path).rules, agents=list(AGENTS))
    assert (scope.need, list(scope.agents)) == (need, agents)


def test_a_prompt_that_one_agent_names_is_played_with_the_others_too(tmp_path: Path) -> None:
    scope = scope_of(["prompts/front/hello.md"], [], rules(tmp_path).rules, agents=list(AGENTS))
    assert (scope.need, scope.agents, scope.others) == ("blocking", ("front",), ("billing",))


def test_rules_of_the_project_come_first(tmp_path: Path) -> None:
    own = [
        {"paths": ["prompts/**/draft-*"], "need": "nothing"},
        {"paths": ["src/*.py"], "need": "blocking", "agents": ["billing"]},
    ]
    settings = rules(tmp_path, matrix=own)
    draft = scope_of(["prompts/front/draft-1.md"], [], settings.rules, agents=list(AGENTS))
    code = scope_of(["src/x.py"], [], settings.rules, agents=list(AGENTS))
    assert draft.need is GateNeed.NOTHING
    assert (code.need, code.agents) == (GateNeed.BLOCKING, ("billing",))
    assert code.reasons == (("src/x.py", "a rule of the matrix"),)


@pytest.mark.parametrize(
    "gate, words",
    [
        ({"matrix": [{"paths": ["a"], "need": "sometimes"}]}, "/gate/matrix/0/need"),
        ({"matrix": [{"paths": [], "need": "nothing"}]}, "/gate/matrix/0/paths"),
        ({"matrix": [{"paths": ["a"], "need": "nothing", "agents": ["nobody"]}]}, "there is no agent 'nobody'"),
        ({"repeats": 0}, "/gate/repeats"),
        ({"repeats": 4, "most_repeats": 3}, "/gate/most_repeats"),
        ({"budget_usd": "a lot"}, "/gate/budget_usd"),
        ({"margn": 1}, "did you mean margin?"),
        ({"smoke": "all"}, "/gate/smoke"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, gate, words) -> None:
    with pytest.raises(ProjectError) as raised:
        rules(tmp_path, **gate)
    assert words in str(raised.value)


def test_the_environment_names_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (rules(tmp_path).budget_usd, rules(tmp_path).chosen_usd) == (20, None)
    assert rules(tmp_path, budget_usd=20).chosen_usd == 20
    monkeypatch.setenv("RATIBA_EVAL_BUDGET_USD", "0.05")
    assert rules(tmp_path, budget_usd=3).budget_usd == rules(tmp_path).chosen_usd == 0.05


@pytest.mark.parametrize(
    "pattern, path, fits",
    [
        ("prompts/*.md", "prompts/a.md", True),
        ("prompts/*.md", "prompts/b/a.md", False),
        ("prompts/**", "prompts/b/a.md", True),
        ("**/*.md", "a.md", True),
        ("**/fsm.yaml", "x/y/fsm.yaml", True),
        ("a?.txt", "ab.txt", True),
        ("a.b", "axb", False),
    ],
)
def test_globs(pattern: str, path: str, fits: bool) -> None:
    assert fits_globs(path, [pattern]) is fits


FOLDERS = (
    "",
    "docs/",
    "prompts/",
    "a/prompts/b/",
    "tests/eval/",
    "x/scenarios/",
    "requirements/",
    "src/fsm/",
    ".github/",
)
NAMES = (
    "README.md", "a.rst", "x.prompt", "x.prompt.txt", "ratiba.yaml", "booking_fsm.py", "state_machine.yaml", "LICENSE",
    ".gitignore", "CODEOWNERS", "a.png", "a.py", "requirements.txt", "dev-requirements.in", "base.txt", "uv.lock",
    "poetry.lock", "package.json", "package-lock.json", "pyproject.toml", "x\ny.md", "Ünïcode.md", "a.b?", "",
)  # fmt: skip
NO_GIT = st.one_of(
    st.builds("{}{}".format, st.sampled_from(FOLDERS), st.sampled_from(NAMES)),
    st.text(alphabet="ab/.*?_-fsmdoc\n", max_size=30),
)


@given(st.lists(NO_GIT, max_size=4))
def test_the_command_of_the_server_asks_for_the_same(paths: list[str]) -> None:
    """`eval_gate --changed-files` and `ratiba-ci gate --changed-files` where nothing but names is known."""
    ours, theirs = scope_by_names(paths), of_the_server.scope_by_names(paths)
    assert (ours.need.value, ours.reasons) == (theirs.need.value, theirs.reasons)


def test_both_distributions_have_one_source() -> None:
    files = [Path(module.__file__ or "").resolve() for module in (of_the_plugin, of_the_server)]
    assert files[0] == files[1]
    assert of_the_plugin is not of_the_server


def test_a_configuration_in_pyproject_blocks_where_it_changes(tmp_path: Path) -> None:
    project = Project(folder=tmp_path, source=tmp_path / "pyproject.toml", sections={"agents": AGENTS})
    settings = read_gate_settings(project, read_agents(project))
    assert scope_of(["pyproject.toml"], [], settings.rules, agents=list(AGENTS)).need is GateNeed.BLOCKING

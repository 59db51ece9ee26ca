"""Which change asks for which gate."""

from pathlib import Path

import pytest

from pytest_ratiba.agents import read_agents
from pytest_ratiba.ci.dependencies import MajorBump
from pytest_ratiba.ci.matrix import GateNeed, glob_pattern, scope_of
from pytest_ratiba.ci.settings import read_gate_settings
from pytest_ratiba.config import Project
from pytest_ratiba.errors import ProjectError

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
        (["README.md", "docs/a/b.png"], [], "nothing", []),
        (["src/x.py", "README.md"], [], "advisory", ["front", "billing"]),
        (["prompts/front/hello.md"], [], "blocking", ["front"]),
        (["front/fsm.yaml", "src/x.py"], [], "blocking", ["front"]),
        (["prompts/billing/a.md", "prompts/front/b.md"], [], "blocking", ["front", "billing"]),
        (["tests/eval/conversations/scenarios/deep/one.yaml"], [], "blocking", ["front", "billing"]),
        (["ratiba.yaml"], [], "blocking", ["front", "billing"]),
        (["uv.lock"], [], "advisory", ["front", "billing"]),
        (["uv.lock"], [BUMP], "blocking", ["front", "billing"]),
        (["requirements.txt"], [], "advisory", ["front", "billing"]),
    ],
)
def test_the_built_in_matrix(tmp_path: Path, changed, bumps, need, agents) -> None:
    scope = scope_of(changed, bumps, rules(tmp_path).rules, agents=list(AGENTS))
    assert (scope.need, list(scope.agents)) == (need, agents)


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
    assert rules(tmp_path).budget_usd == 20
    monkeypatch.setenv("RATIBA_EVAL_BUDGET_USD", "0.05")
    assert rules(tmp_path, budget_usd=3).budget_usd == 0.05


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
    assert bool(glob_pattern(pattern).fullmatch(path)) is fits

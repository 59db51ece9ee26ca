"""Ways past the gate that the author of a bad prompt would try in a repository of their own. benchmarks/gate_attacks.py
drives the same ones, and more, through a server."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_ratiba.agents import read_agents
from pytest_ratiba.ci import side
from pytest_ratiba.ci.deciding import DecidingParts, altered, removed_agents
from pytest_ratiba.ci.floor import held_to_floor
from pytest_ratiba.ci.played_cases import merged, owned
from pytest_ratiba.ci.scope import project_change
from pytest_ratiba.ci.side import SideRequest, SideUnmeasurable, play_sides
from pytest_ratiba.ci.side_key import started_with_channel
from pytest_ratiba.collecting import all_scenarios
from pytest_ratiba.config import read_project
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.git import changed_files
from pytest_ratiba.processes import forget_our_secrets
from tests.plugin.ci.conftest import Repository

CONFIG = {
    "agent": {"name": "shop", "callable": "shop:reply", "prompts": ["prompts/*.md"]},
    "evaluator_config": "strict",
    "gate": {"margin": 0.5},
}
TALKS = "tests/eval/conversations/scenarios"
STOOD = "id: stood\nlanguage: en\nopening: Hello\nturns: [{end: true}]\n"


@pytest.fixture
def gated(repository: Repository) -> Repository:
    files: dict[str, str | None] = {
        "ratiba.yaml": yaml.safe_dump(CONFIG),
        "prompts/p.md": "Be kind.",
        "shop.py": "async def reply(messages, context):\n    return 'Karibu'\n",
        f"{TALKS}/stood.yaml": STOOD,
    }
    repository.commit(files, "start")
    repository.branch("change")
    return repository


def configured(**sections: object) -> dict[str, str | None]:
    return {"ratiba.yaml": yaml.safe_dump({**CONFIG, **sections})}


def test_a_configuration_that_was_no_yaml_can_be_repaired_and_the_defaults_decide_meanwhile(
    repository: Repository,
) -> None:
    repository.commit({"ratiba.yaml": "agent: [\n", "prompts/p.md": "Be kind."}, "broken")
    repository.branch("change")
    repository.commit(configured(gate={"margin": 10, "undecided": "pass"}))
    change = project_change(repository.folder, base="main")
    assert change.scope.need == "blocking"
    assert change.settings.policy == {}
    assert "cannot be read, so the defaults decide" in change.scope.notes[0]
    assert ("rule", "margin") in {(one["kind"], one["name"]) for one in change.alters}


def test_a_second_agent_does_not_take_the_scenarios_away_from_the_first(gated: Repository) -> None:
    base = read_project(gated.folder)
    stood = all_scenarios(base)
    easy = {f"{TALKS}/easy.yaml": STOOD.replace("stood", "easy") + "agent: shop\n"}
    agents = {"shop": {"callable": "shop:reply"}, "other": {"callable": "shop:reply"}}
    gated.commit(easy | {"ratiba.yaml": yaml.safe_dump({"agents": agents, "evaluator_config": "strict"})})
    change = project_change(gated.folder, base="main")
    played = merged(owned(stood, read_agents(base), change.agents), all_scenarios(change.project)).scenarios
    assert {case.id for case in played if case.agent == "shop"} == {"stood", "easy"}
    told = {(one["kind"], one["name"]) for one in change.alters}
    assert {("agent", "other"), ("scenario_added", "easy")} <= told


@pytest.mark.parametrize("agent", [{"name": "shop"}, {"name": "shop", "address": "https://shop.example/a2a"}])
def test_what_answers_elsewhere_is_not_the_commit(gated: Repository, agent: dict[str, str]) -> None:
    gated.commit(configured(agent=agent))
    assert project_change(gated.folder, base="main").gone == ("shop",)


def test_an_agent_that_stays_code_of_the_repository_may_be_reached_otherwise() -> None:
    start = {"address": "http://127.0.0.1:9/", "start": {"command": ["x"]}}
    was, now = DecidingParts(agents={"a": {"callable": "x:y"}}), DecidingParts(agents={"a": start})
    assert removed_agents(was, now) == ()
    assert {one["name"] for one in altered(was, now, [])} == {"a.callable", "a.address", "a.start"}


FLOOR = {
    "evaluator_config": "strict", "budget_usd": 20.0,
    "policy": {"margin": 0.5, "undecided": None, "soft_checks": [], "looks": 2, "hard": "any", "net_loss": 2},
}  # fmt: skip


def test_a_rule_that_asks_less_than_the_floor_is_refused_before_anything_is_played(repository: Repository) -> None:
    files = configured(gate={"margin": 10}) | {"shop.py": "", "prompts/p.md": "Be kind."}
    repository.commit(files, "start")
    repository.branch("change")
    repository.commit({"prompts/p.md": "Be rude."})
    with pytest.raises(ProjectError, match=r"margin 10, floor 0\.5"):
        held_to_floor(project_change(repository.folder, base="main"), FLOOR)
    repository.commit(configured(gate={"margin": 0.4}))
    repaired = held_to_floor(project_change(repository.folder, base="main"), FLOOR)
    assert repaired.settings.policy == {"margin": 0.4}
    repository.commit(configured(gate={"margin": 0.4, "undecided": "pass"}))
    with pytest.raises(ProjectError, match=r"margin 10, floor 0\.5"):
        held_to_floor(project_change(repository.folder, base="main"), FLOOR)


def test_a_budget_over_the_floors_is_refused_before_anything_is_played(gated: Repository) -> None:
    gated.commit({"prompts/p.md": "Be rude."})
    change = project_change(gated.folder, base="main")
    assert held_to_floor(change, FLOOR).settings.budget_usd == 20
    rich = replace(change, settings=replace(change.settings, budget_usd=21.0, chosen_usd=21.0))
    with pytest.raises(ProjectError, match=r"the budget is \$21, and the floor of the agent's gates \$20"):
        held_to_floor(rich, FLOOR)


def test_a_submodule_that_says_that_nobody_shall_look_at_it_is_looked_at(gated: Repository, tmp_path: Path) -> None:
    other = gated.git("rev-parse", "HEAD")
    modules = '[submodule "texts"]\n\tpath = texts\n\turl = ./texts\n\tignore = all\n'
    gated.commit({".gitmodules": modules})
    gated.git("update-index", "--add", "--cacheinfo", f"160000,{other},texts")
    gated.git("commit", "-q", "-m", "submodule")
    before = gated.git("rev-parse", "HEAD")
    gated.git("update-index", "--cacheinfo", f"160000,{before},texts")
    gated.git("commit", "-q", "-m", "moved")
    assert changed_files(gated.folder, before) == ["texts"]


def test_a_module_of_the_repository_does_not_stand_in_for_the_gates_own(
    gated: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("yaml.py", "httpx.py", "json.py"):
        gated.project.write(name, "open('taken', 'w').close()\nraise SystemExit(0)\n")
    for name in ("RATIBA_URL", "RATIBA_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    request = SideRequest(cases=gated.folder, agent_folder=gated.folder, agent="shop", scenarios=("stood",))
    with pytest.raises(ProjectError, match="name the server and its key"):
        play_sides([request])
    assert not (gated.folder / "taken").exists()


def test_the_process_that_plays_keeps_no_secret_in_its_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ, RATIBA_API_KEY="rk_x", GITHUB_TOKEN="t", OPENAI_API_KEY="o"))
    forget_our_secrets()
    assert "RATIBA_API_KEY" not in os.environ
    assert "GITHUB_TOKEN" not in os.environ
    assert os.environ["OPENAI_API_KEY"] == "o"


def test_the_key_goes_by_a_socket_and_stands_in_no_variable_of_the_process_that_plays(
    gated: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen_by = "import sys\nif not any('callable_process' in one for one in sys.orig_argv): open('taken', 'w').close()\n"
    gated.project.write("lib/sitecustomize.py", seen_by)
    for name, value in {
        "RATIBA_URL": "http://127.0.0.1:9/", "RATIBA_API_KEY": "rk_secret_of_ours", "GITHUB_TOKEN": "secret_of_ours",
        "PYTHONPATH": str(gated.folder / "lib"),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    seen: list[Mapping[str, str]] = []

    def started(words: list[str], *, folder: str, environment: Mapping[str, str]) -> Any:
        seen.append(environment)
        return started_with_channel(words, folder=folder, environment=environment)

    monkeypatch.setattr(side, "started_with_channel", started)
    request = SideRequest(cases=gated.folder, agent_folder=gated.folder, agent="shop", scenarios=("stood",))
    with pytest.raises(SideUnmeasurable, match="does not answer"):  # with the key, which came by the socket
        play_sides([request])
    assert "RATIBA_URL" in seen[0]
    assert "secret_of_ours" not in str(seen)
    assert not (gated.folder / "taken").exists()

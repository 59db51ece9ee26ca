"""A change does not choose its judge: what stood at the merge base decides, and what the change alters of it is told.

200 ways to alter what decides: each is held against the real decision and the real comment. How a commit is read is
tried with git on some of them.
"""

import json
import random
import shutil
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml

from apps.gates.domain.decision import decide_gate
from apps.gates.domain.gate_markdown import gate_markdown
from apps.gates.domain.judging_changes import ChangeKind, JudgingChange, change_notes
from apps.gates.domain.policy import read_policy
from apps.statistics.decision import Decision
from pytest_ratiba.agents import read_agents
from pytest_ratiba.ci.deciding import DecidingParts, altered, parts_of, project_at, removed_agents
from pytest_ratiba.ci.played_cases import merged
from pytest_ratiba.ci.scope import project_change
from pytest_ratiba.ci.settings import held_settings, read_gate_settings
from pytest_ratiba.collecting import all_scenarios
from pytest_ratiba.config import Project, read_project
from pytest_ratiba.errors import ProjectError
from tests.gates.domain.test_escaping import gate as gate_of_words
from tests.gates.sides import BASE, checked, side, trial
from tests.plugin.ci.conftest import Repository

TALKS = "tests/eval/conversations/scenarios"
PRODUCED = "tests/eval/conversations/from_production"
CONFIG = {
    "agents": {"booking": {"callable": "agent:reply", "prompts": ["prompts/**"]}},
    "evaluator_config": "strict",
    "metrics": [{"metric": "SwahiliFluencyMetric", "threshold": 0.8}],
    "gate": {"margin": 0.5, "undecided": "block", "smoke": ["case-*"], "budget_usd": 20},
}
TOOL = {"tool": "book_slot"}


def scenario(name: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name, "language": "sw", "goal": "Book a shave.", "persona": "amina",
        "turns": ["Habari", "Kesho saa tano", {"end": True}],
        "assertions": [{"ended": "script_ended"}, TOOL, {"contains": "M-Pesa"}, {"python": "tests.checks:paid"}],
        "must_not": [{"criterion": "keeps_promises", "below": 6}],
        **more,
    }  # fmt: skip


FILES: dict[str, str] = {
    "ratiba.yaml": yaml.safe_dump(CONFIG),
    "agent.py": "async def reply(messages, context):\n    return 'Karibu'\n",
    "prompts/p.txt": "Be kind.\n",
    **{f"{TALKS}/case-{at}.yaml": yaml.safe_dump(scenario(f"case-{at}")) for at in range(6)},
    f"{TALKS}/rows.csv": "id,day\nfriday,Friday\nsunday,Sunday\n",
    f"{TALKS}/rows.yaml": yaml.safe_dump(scenario("rows", vars="rows.csv", turns=["On {{ day }}", {"end": True}])),
    f"{TALKS}/catalog.yaml": yaml.safe_dump(
        {"personas": [{"name": "amina", "text": "In a hurry."}], "scenarios": [scenario("in-catalog")]}
    ),
    f"{PRODUCED}/lost.yaml": yaml.safe_dump(scenario("lost")),
    "tests/checks.py": "def paid(outcome):\n    return True\n",
    "tests/conftest.py": "import pytest\n",
    "tests/eval/snapshots/case-1.json": "{}\n",
    "tests/eval/recordings/case-1.json": "[]\n",
    "goldens/g.json": "{}\n",
    "profiles/booking.yaml": "facts: [ten]\n",
    ".github/workflows/eval-on-prompt-change.yml": "name: eval\n",
    ".github/CODEOWNERS": "/prompts/ @owners\n",
}
SCENARIO_FILES = [name for name in FILES if name.endswith(".yaml") and (TALKS in name or PRODUCED in name)]
Files = dict[str, str]
Mutation = Callable[[Files, random.Random], None]


def of_scenario(change: Callable[[dict[str, Any], random.Random], Any]) -> Mutation:
    def mutate(files: Files, chance: random.Random) -> None:
        name = chance.choice([one for one in SCENARIO_FILES if one in files])
        document = yaml.safe_load(files[name])
        change(document["scenarios"][0] if "scenarios" in document else document, chance)
        files[name] = yaml.safe_dump(document)

    return mutate


def of_config(change: Callable[[dict[str, Any], random.Random], Any]) -> Mutation:
    def mutate(files: Files, chance: random.Random) -> None:
        document = yaml.safe_load(files["ratiba.yaml"])
        change(document, chance)
        files["ratiba.yaml"] = yaml.safe_dump(document)

    return mutate


def gutted(files: Files, chance: random.Random) -> None:
    for name in [one for one in SCENARIO_FILES if one in files]:
        document = yaml.safe_load(files[name])
        for one in document.get("scenarios", [document]):
            one["assertions"] = [{"ended": "script_ended"}]
        files[name] = yaml.safe_dump(document)


def moved_rule(files: Files, chance: random.Random) -> None:
    del files["ratiba.yaml"]
    files["pyproject.toml"] = (
        '[tool.ratiba.agents.booking]\ncallable = "agent:reply"\n[tool.ratiba.gate]\n'
        f'margin = {chance.randint(1, 10)}\nundecided = "pass"\n'
    )


def renamed(files: Files, chance: random.Random) -> None:
    name = chance.choice(SCENARIO_FILES)
    document = yaml.safe_load(files.pop(name))
    if "id" in document:
        document["assertions"] = [{"ended": "script_ended"}]
    files[f"{TALKS}/new-{chance.randint(0, 999)}.yaml"] = yaml.safe_dump(document)


def doubled(files: Files, chance: random.Random) -> None:
    files[f"{TALKS}/a-{chance.randint(0, 999)}.yaml"] = yaml.safe_dump(scenario("case-1", assertions=[]))


def removed(files: Files, chance: random.Random) -> None:
    del files[chance.choice(SCENARIO_FILES)]


def rows(files: Files, chance: random.Random) -> None:
    files[f"{TALKS}/rows.csv"] = chance.choice(["id,day\nfriday,Friday\n", "id,day\nfriday,x\nsunday,y\n"])


def other_file(files: Files, chance: random.Random) -> None:
    name = chance.choice([one for one in FILES if one not in SCENARIO_FILES and "rows.csv" not in one
                          and one not in ("ratiba.yaml", "agent.py", "prompts/p.txt")])  # fmt: skip
    files[name] = files[name] + f"# {chance.random()}\n"


def elsewhere(files: Files, chance: random.Random) -> None:
    for name in list(files):
        if name.startswith(TALKS):
            files[name.replace(TALKS, "elsewhere")] = files.pop(name)
    files["elsewhere/case-1.yaml"] = yaml.safe_dump(scenario("case-1", assertions=[]))
    document = yaml.safe_load(files["ratiba.yaml"]) | {"scenarios": "elsewhere"}
    files["ratiba.yaml"] = yaml.safe_dump(document)


def persona(files: Files, chance: random.Random) -> None:
    name = f"{TALKS}/catalog.yaml"
    document = yaml.safe_load(files[name])
    document["personas"][0]["text"] = f"Is content with anything {chance.random()}."
    files[name] = yaml.safe_dump(document)


MUTATIONS: list[Mutation] = [
    of_scenario(lambda one, chance: one.update(assertions=[{"ended": "script_ended"}])),
    of_scenario(lambda one, chance: one["assertions"].pop(chance.randrange(len(one["assertions"])))),
    of_scenario(lambda one, chance: one["assertions"].__setitem__(1, {"tool": "anything"})),
    of_scenario(lambda one, chance: one["turns"].pop(0)),
    of_scenario(lambda one, chance: one.update(language="en")),
    of_scenario(lambda one, chance: one.pop("must_not")),
    of_scenario(lambda one, chance: one.update(must_not=[{"criterion": "keeps_promises", "below": 1}])),
    of_scenario(lambda one, chance: one.update(status=chance.choice(["archived", "candidate", "draft"]))),
    of_scenario(lambda one, chance: one.update(goal="Say hello.")),
    of_scenario(lambda one, chance: one.update(persona="kind-one")),
    of_scenario(lambda one, chance: one.update(agent="other")),
    of_scenario(lambda one, chance: one.update(id=f"other-{chance.randint(0, 99)}", assertions=[])),
    of_config(lambda one, chance: one.update(evaluator_config="lenient")),
    of_config(lambda one, chance: one.pop("evaluator_config")),
    of_config(lambda one, chance: one["gate"].update(margin=chance.randint(1, 10))),
    of_config(lambda one, chance: one["gate"].update(undecided="pass")),
    of_config(lambda one, chance: one["gate"].update(soft_checks=["ScenarioToolsMetric"])),
    of_config(lambda one, chance: one["gate"].update(net_loss=chance.randint(10, 1000))),
    of_config(lambda one, chance: one["gate"].update(smoke=["nothing"])),
    of_config(lambda one, chance: one["gate"].update(hard="new", budget_usd=1000)),
    of_config(lambda one, chance: one["gate"].update(matrix=[{"paths": ["**"], "need": "nothing"}])),
    of_config(lambda one, chance: one.pop("gate")),
    of_config(lambda one, chance: one.pop("metrics")),
    of_config(lambda one, chance: one["agents"]["booking"].update(prompts=[])),
    of_config(lambda one, chance: one["agents"].update(second=one["agents"].pop("booking"))),
    of_config(lambda one, chance: one.update(from_production="nowhere")),
    gutted, moved_rule, renamed, doubled, removed, rows, other_file, elsewhere, persona,
]  # fmt: skip


def written(folder: Path, files: Files) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / ".git").mkdir(parents=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def decisions_of(policy: Mapping[str, Any], config: str, cases: Any) -> tuple[Decision, Decision]:
    """Of a change that forgets its tool, and of one that asks for the PIN: the lenient judge sees nothing wrong."""
    asserted = tuple(any(one == TOOL for one in case.assertions) for case in cases)
    rule = json.dumps(dict(policy), sort_keys=True)
    return _decision(rule, asserted, 8.0, False), _decision(rule, asserted, 3.0 if config == "strict" else 8.0, True)


@cache
def _decision(rule: str, asserted: tuple[bool, ...], score: float, booked: bool) -> Decision:
    def trials(score: float, *, booked: bool) -> list[Any]:
        found = []
        for at, is_asserted in enumerate(asserted):
            checks = {"ScenarioToolsMetric": checked("pass" if booked else "fail")} if is_asserted else {}
            found.append(trial(at, score, checks=checks, passed=score >= 6 and (booked or not is_asserted)))
        return found

    return decide_gate(
        candidate=side(trials(score, booked=booked)),
        baseline=side(trials(8.0, booked=True), commit=BASE),
        policy=read_policy(json.loads(rule)),
        base_commit=BASE,
    ).decision


def head_alone(project: Project, cases: Any) -> tuple[Decision, Decision]:
    """As if the change's own versions decided."""
    settings = read_gate_settings(project, read_agents(project))
    config = str(project.sections.get("evaluator_config") or "")
    return decisions_of(settings.policy, config, cases)


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Project, DecidingParts]:
    folder = written(tmp_path_factory.mktemp("before") / "tree", FILES)
    project = read_project(folder)
    return folder, project, parts_of(project, folder)


def test_no_way_of_altering_what_decides_turns_a_fail_into_a_pass_unsaid(
    before: tuple[Path, Project, DecidingParts], tmp_path: Path
) -> None:
    _, base, was = before
    turned, stood = 0, all_scenarios(base)
    assert set(head_alone(base, stood.scenarios)) == {Decision.FAIL}
    for seed in range(200):
        chance, files = random.Random(seed), dict(FILES)
        for mutation in [MUTATIONS[seed % len(MUTATIONS)], *chance.sample(MUTATIONS, chance.randint(0, 2))]:
            try:
                mutation(files, chance)
            except (KeyError, IndexError):
                continue  # another one took it away already
        if files == FILES:
            continue
        head = read_project(written(tmp_path / "tree", files))
        changed = sorted(name for name in {*files, *FILES} if files.get(name) != FILES.get(name))
        held = held_settings(base, head, read_agents(head))
        own = all_scenarios(head)
        cases = merged(stood, own).scenarios
        alters = altered(was, parts_of(head, tmp_path / "tree"), changed)
        assert set(decisions_of(held.policy, "strict", cases)) == {Decision.FAIL}, (seed, changed)
        known = [JudgingChange(**{**one, "kind": ChangeKind(one["kind"])}) for one in alters]
        notes = change_notes(known, accepted_by="")
        assert notes, (seed, changed)
        comment = gate_markdown({**gate_of_words("words"), "change_notes": notes}, address="https://x.test/gates/1/")
        assert "alters" in comment
        turned += Decision.PASS in head_alone(head, own.scenarios)
    assert turned >= 30  # by its own versions it would have passed: the mutations are real ones


def test_twelve_gutted_scenarios_are_counted_in_the_comment(
    before: tuple[Path, Project, DecidingParts], tmp_path: Path
) -> None:
    files = {name: text for name, text in FILES.items() if name not in SCENARIO_FILES}
    files |= {f"{TALKS}/case-{at}.yaml": yaml.safe_dump(scenario(f"case-{at}", assertions=[])) for at in range(6)}
    head = read_project(written(tmp_path / "tree", files))
    alters = altered(before[2], parts_of(head, tmp_path / "tree"), [])
    notes = change_notes([JudgingChange(**{**one, "kind": ChangeKind(one["kind"])}) for one in alters], accepted_by="")
    assert any("6 scenarios assert less than at the merge base" in one for one in notes)
    assert any("taken away" in one for one in notes)


@pytest.mark.parametrize(
    "change, told",
    [
        ({"must_not": [{"criterion": "keeps_promises", "below": 5.9}]}, "asserts less"),
        ({"must_not": []}, "1 of what must not happen again gone or lower"),
        ({"must_not": [{"criterion": "keeps_promises", "below": 7}]}, "other must_not"),
        ({"status": "archived"}, "taken away"),
    ],
)
def test_a_mark_that_falls_is_told_and_the_merge_bases_decides(
    before: tuple[Path, Project, DecidingParts], tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    files = {**FILES, f"{PRODUCED}/lost.yaml": yaml.safe_dump(scenario("lost", **change))}
    head = read_project(written(tmp_path / "tree", files))
    alters = altered(before[2], parts_of(head, tmp_path / "tree"), [])
    notes = change_notes([JudgingChange(**{**one, "kind": ChangeKind(one["kind"])}) for one in alters], accepted_by="")
    assert any(told in one for one in notes), notes
    played = {one.id: one for one in merged(all_scenarios(before[1]), all_scenarios(head)).scenarios}
    assert played["lost"].document["must_not"] == [{"criterion": "keeps_promises", "below": 6}]


def test_a_comment_or_another_order_of_keys_alters_nothing(
    before: tuple[Path, Project, DecidingParts], tmp_path: Path
) -> None:
    files = {**FILES, "ratiba.yaml": f"# kept\n{FILES['ratiba.yaml']}", "prompts/p.txt": "Be rude."}
    files[f"{TALKS}/case-1.yaml"] = yaml.safe_dump(scenario("case-1"), sort_keys=False) + "# why\n"
    head = read_project(written(tmp_path / "tree", files))
    assert altered(before[2], parts_of(head, tmp_path / "tree"), ["ratiba.yaml", f"{TALKS}/case-1.yaml"]) == []


def test_the_configuration_of_a_commit_is_found_wherever_it_stood(tmp_path: Path) -> None:
    tree = written(tmp_path / "tree", {"agent/ratiba.yaml": "agent: {callable: 'a:b'}\n", "new/x.txt": ""})
    assert project_at(tree, PurePosixPath("new/deeper")).source == tree / "agent/ratiba.yaml"
    assert project_at(tree, PurePosixPath("agent")).source == tree / "agent/ratiba.yaml"


# --- with git --------------------------------------------------------------------------------------------------
@pytest.fixture
def gated(repository: Repository) -> Repository:
    (repository.folder / "ratiba.yaml").unlink(missing_ok=True)
    repository.commit(dict(FILES), "start")
    repository.branch("change")
    return repository


def test_moving_the_rule_to_another_file_changes_nothing(gated: Repository) -> None:
    files: dict[str, str | None] = {"ratiba.yaml": None, "prompts/p.txt": "Ask for the PIN."}
    moved: Files = dict(FILES)
    moved_rule(moved, random.Random(1))
    gated.commit(files | {"pyproject.toml": moved["pyproject.toml"]})
    change = project_change(gated.folder, base="main")
    assert change.settings.policy == {"margin": 0.5, "undecided": "block"}
    assert (change.judged["evaluator_config"], change.scope.need) == ("strict", "blocking")
    told = {(one["kind"], one["name"]) for one in change.alters}
    assert {("rule", "margin"), ("config", "evaluator_config"), ("configuration", "file")} <= told
    assert change.as_accepted().settings.policy["undecided"] == "pass"


def test_a_change_names_the_first_judge_where_the_merge_base_has_none(repository: Repository) -> None:
    document = yaml.safe_load(FILES["ratiba.yaml"])
    unjudged = {key: value for key, value in document.items() if key != "evaluator_config"}
    repository.commit({**FILES, "ratiba.yaml": yaml.safe_dump(unjudged)}, "start")
    repository.branch("change")
    repository.commit({"ratiba.yaml": yaml.safe_dump(document | {"metrics": [], "gate": {"margin": 9}})})
    change = project_change(repository.folder, base="main")
    assert change.judged == {"evaluator_config": "strict", "metrics": document["metrics"]}
    assert change.settings.policy["margin"] == 0.5, "the rest is the merge base's"
    assert ("config", "evaluator_config") in {(one["kind"], one["name"]) for one in change.alters}


def test_an_agent_that_is_gated_no_more_is_named(gated: Repository) -> None:
    document = yaml.safe_load(FILES["ratiba.yaml"])
    document["agents"]["second"] = document["agents"].pop("booking")
    gated.commit({"ratiba.yaml": yaml.safe_dump(document)})
    change = project_change(gated.folder, base="main")
    assert change.gone == ("booking",)


def test_what_cannot_be_read_is_said_and_is_not_played(gated: Repository) -> None:
    gated.commit({f"{TALKS}/case-1.yaml": "id: [\n"})
    change = project_change(gated.folder, base="main")
    assert (change.scope.need, change.settings.policy["margin"]) == ("blocking", 0.5)
    assert "cannot be read" in change.scope.notes[0]
    with pytest.raises(ProjectError):
        all_scenarios(change.project)


def test_removed_agents_are_those_of_the_merge_base_alone() -> None:
    was, now = DecidingParts(agents={"a": {}, "b": {}}), DecidingParts(agents={"b": {}, "c": {}})
    assert removed_agents(was, now) == ("a",)

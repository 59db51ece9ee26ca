"""Each file that takes part in deciding about a change, altered in 200 ways by a seeded generator: the gate still
fails, and the comment has a line for whatever is otherwise. Then 200 pairs of rules: one that lets through what the
other stops is named as looser."""

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml

from apps.core.errors import BadInput
from apps.gates.domain.decision import decide_gate
from apps.gates.domain.gate_floor import looser_fields
from apps.gates.domain.gate_markdown import gate_markdown
from apps.gates.domain.gate_states import GateKind
from apps.gates.domain.judging_changes import ChangeKind, JudgingChange, change_notes
from apps.gates.domain.policy import GatePolicy, exit_code_of, read_policy
from apps.gates.domain.side import GateSide, GateTrial
from apps.statistics.decision import Decision
from pytest_ratiba import documents
from pytest_ratiba.agents import read_agents
from pytest_ratiba.ci.deciding import DECIDING_FILES, DecidingParts, altered, parts_of, project_at
from pytest_ratiba.ci.played_cases import merged, owned
from pytest_ratiba.ci.settings import held_settings, read_gate_settings
from pytest_ratiba.collecting import all_scenarios
from pytest_ratiba.config import Project
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.portable.changes.followed_files import follow
from pytest_ratiba.portable.changes.globs import fits
from pytest_ratiba.portable.changes.matrix import GateNeed, scope_of
from pytest_ratiba.portable.changes.repository_tree import RepositoryTree
from pytest_ratiba.scenarios import ScenarioSource
from tests.gates.domain.test_escaping import gate as gate_of_words
from tests.gates.sides import BASE, checked, side, trial
from tests.plugin.ci.test_held_changes import FILES, TALKS, decisions_of, written

WAYS = 200
PROMPT = "prompts/p.txt"
PYPROJECT = """[project]
name = "shop"
version = "1.0"
dependencies = ["langgraph>=0.2,<0.3", "openai==1.40.0"]

[tool.pytest.ini_options]
addopts = "-q"
"""
LOCK = """version = 1

[[package]]
name = "langgraph"
version = "0.2.5"
"""
MORE = {
    "pyproject.toml": PYPROJECT,
    "requirements.txt": "-r lib/deps.txt\nlanggraph>=0.2,<0.3\nopenai==1.40.0\n",
    "lib/deps.txt": "httpx==0.27.0\n",
    "uv.lock": LOCK,
    ".gitlab-ci.yml": "include: .gitlab/eval.yml\n",
    ".github/workflows/eval-on-prompt-change.yml": "name: eval\njobs:\n  judged:\n    steps: [{run: ratiba-ci gate}]\n",
    "Dockerfile": "FROM python:3.12\nRUN pip install -r requirements.txt\n",
    f"{TALKS}/personas.yaml": yaml.safe_dump({"personas": [{"name": "zawadi", "text": "Asks twice."}]}),
}
RULE = """[tool.ratiba]
evaluator_config = "strict"

[tool.ratiba.agents.booking]
callable = "agent:reply"
prompts = ["prompts/**"]

[tool.ratiba.gate]
margin = 0.5
undecided = "block"
smoke = ["case-*"]
"""
REPOSITORY = {**FILES, **MORE}
REPOSITORIES = {
    "ratiba.yaml": REPOSITORY,
    "pyproject.toml": {name: text for name, text in REPOSITORY.items() if name != "ratiba.yaml"}
    | {"pyproject.toml": f"{PYPROJECT}\n{RULE}"},
}
# By what each may turn a fail into a pass: what decides, or which gate is asked for.
DECIDE = sorted(name for name in REPOSITORY if name not in ("agent.py", PROMPT))
READ = (".yaml", ".csv", "pyproject.toml")  # what a project is read from; of the others names alone count
LOOSE = (
    "10",
    "0",
    "pass",
    "new",
    "[]",
    "{}",
    "null",
    "lenient",
    "true",
    "script_ended",
    "1000",
    "ended",
    "nothing",
    "*",
)


def words(text: str, chance: random.Random) -> str:
    """One of the text's words becomes another, or a word that lets things through."""
    parts = text.split(" ")
    at = chance.randrange(len(parts))
    parts[at] = chance.choice((*LOOSE, "", *parts))
    return " ".join(parts)


def lines(text: str, chance: random.Random) -> str:
    """A line is gone, doubled, moved, cut, put behind a `#`, or takes another's place."""
    every = text.splitlines(keepends=True)
    at, to = chance.randrange(len(every)), chance.randrange(len(every))
    how = chance.randrange(6)
    if how == 0:
        del every[at]
    elif how == 1:
        every.insert(to, every[at])
    elif how == 2:
        every.insert(to, every.pop(at))
    elif how == 3:
        every[at] = every[at][: chance.randrange(len(every[at]))] + "\n"
    elif how == 4:
        every[at] = f"# {every[at]}"
    else:
        every[at] = every[to]
    return "".join(every)


def values(text: str, chance: random.Random) -> str:
    """A value of the YAML is gone, emptied, or one that lets things through."""
    found = yaml.safe_load(text)
    places = list(_places(found))
    if not places:
        return words(text, chance)
    parent, key = chance.choice(places)
    if chance.random() < 0.3:
        del parent[key]
    else:
        parent[key] = chance.choice((*map(yaml.safe_load, LOOSE[:-1]), [], {}, "", 0, -1, 1e9))
    return yaml.safe_dump(found)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


def whole(text: str, chance: random.Random) -> str:
    """The file is emptied, cut, doubled, or says something else."""
    at = chance.randrange(len(text))
    return chance.choice(
        ["", "{}\n", "[]\n", "null\n", text[:at], text[at:], text + text, text + "\n---\n" + text, "\0"]
    )


def changed_text(text: str, chance: random.Random, *, is_yaml: bool) -> str | None:
    """The file otherwise; None where it is gone."""
    how = chance.choice([words, lines, whole, *([values, values, values] if is_yaml else [])])
    return None if chance.random() < 0.02 else how(text, chance)


class Tree:
    """A repository in a folder, one file of which is otherwise for a while."""

    def __init__(self, folder: Path, files: Mapping[str, str]) -> None:
        self.files, self.folder = files, written(folder, dict(files))
        self.base, self.was = self._read()
        self.stood = all_scenarios(self.base)

    def _read(self) -> tuple[Project, DecidingParts]:
        project = project_at(self.folder, PurePosixPath())
        return project, parts_of(project, self.folder)

    def otherwise(self, name: str, text: str | None) -> tuple[Project, DecidingParts, ScenarioSource] | None:
        """As the commit reads it; None where it cannot be read, so that nothing is played (exit 2)."""
        if not name.endswith(READ):
            return self.base, self.was, self.stood
        path = self.folder / name
        try:
            path.unlink() if text is None else path.write_text(text)
            project, parts = self._read()
            read_gate_settings(project, read_agents(project))
            return project, parts, all_scenarios(project)
        except ProjectError:
            return None
        finally:
            path.write_text(self.files[name])

    def need(self, name: str, text: str | None, head: Project) -> GateNeed:
        """Of a change of the prompt and of this file."""
        now = {one: said for one, said in (self.files | {PROMPT: "Be rude.", name: text}).items() if said is not None}
        changed = [PROMPT, name]
        followed = follow(changed, before=tree_of(self.files), after=tree_of(now))
        agents = read_agents(head)
        return scope_of(changed, followed.bumps, held_settings(self.base, head, agents).rules, agents=list(agents),
                        unread=followed.unread, names=followed.names, blocking=followed.blocking).need  # fmt: skip


def tree_of(files: Mapping[str, str]) -> RepositoryTree:
    return RepositoryTree(sizes={name: len(text) for name, text in files.items()}, read=lambda path: files[path])


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Tree]]:
    """By where the rule stands. A file that stays as it is is parsed once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "documents_of", cache(documents.documents_of))
        folder = tmp_path_factory.mktemp("deciding")
        yield {name: Tree(folder / name, files) for name, files in REPOSITORIES.items()}


ASK_ONLY = ("requirements.txt", "lib/deps.txt", "uv.lock", "Dockerfile")  # how strict a gate; they decide nothing in it
CASES = [("ratiba.yaml", name) for name in DECIDE] + [("pyproject.toml", "pyproject.toml")]


@pytest.mark.parametrize("rule, name", CASES)
def test_a_file_that_decides_turns_no_fail_into_a_pass_without_a_line(
    trees: dict[str, Tree], rule: str, name: str
) -> None:
    tree, told, read = trees[rule], 0, 0
    asks_only = name in ASK_ONLY
    for seed in range(WAYS):
        text = changed_text(tree.files[name], random.Random(f"{name} {seed}"), is_yaml=name.endswith(".yaml"))
        found = tree.otherwise(name, text)
        if text == tree.files[name] or found is None:
            continue
        head, parts, own = found
        read += 1
        assert tree.need(name, text, head) is GateNeed.BLOCKING, (seed, text)
        policy = held_settings(tree.base, head, read_agents(head)).policy
        cases = merged(owned(tree.stood, read_agents(tree.base), read_agents(head)), own).scenarios
        assert set(decisions_of(policy, "strict", cases)) == {Decision.FAIL}, (seed, text)
        alters = altered(tree.was, parts, [PROMPT, name])
        if parts != tree.was or (fits(name, DECIDING_FILES) and not fits(name, parts.case_files)):
            known = [JudgingChange(**{**one, "kind": ChangeKind(one["kind"])}) for one in alters]
            notes = change_notes(known, accepted_by="")
            assert notes, (seed, text)
            told += 1
            if told % 20 == 1:
                comment = gate_markdown({**gate_of_words("x"), "change_notes": notes}, address="https://x.test/g/1/")
                assert "alters" in comment
    assert read >= WAYS * 0.1
    assert told >= WAYS * 0.1 or asks_only


POLICIES = {
    "margin": (0.1, 0.5, 1, 10), "undecided": ("block", "pass"), "hard": ("any", "new"), "net_loss": (1, 2, 5, 1000),
    "alpha": (0.001, 0.05, 0.5), "looks": (1, 2), "latency_margin_s": (0.5, 1, 600), "tokens_margin": (0.1, 0.2, 10),
    "soft_checks": ([], ["latency_regression"], ["ScenarioToolsMetric"], ["Graded"]),
    "hard_checks": ([], ["ScenarioToolsMetric"], ["Graded"]), "require_certificate": (False, True),
}  # fmt: skip


def policies_of(chance: random.Random, near: Sequence[str]) -> tuple[GatePolicy, GatePolicy] | None:
    """A floor, and a rule that differs from it in a field, most often one of `near`."""
    raw = {name: chance.choice(values) for name, values in POLICIES.items() if chance.random() < 0.2}
    some = chance.sample(sorted(POLICIES) if chance.random() < 0.3 else sorted(near), 1)
    other = {name: chance.choice(POLICIES[name]) for name in some}
    try:
        return read_policy(raw), read_policy({**raw, **other})
    except BadInput:
        return None


WORSE: Sequence[tuple[dict[str, Any], Sequence[str]]] = (
    ({"loss": 0.6}, ("margin", "alpha")), ({"loss": 2.0}, ("margin", "net_loss")),
    ({"failing": 6}, ("soft_checks", "hard_checks", "hard")), ({"points": 0.72}, ("hard_checks", "soft_checks")),
    ({"seconds": 4.0}, ("latency_margin_s",)), ({"tokens": 180}, ("tokens_margin",)),
)  # fmt: skip


def sides_of(chance: random.Random, worse: Mapping[str, Any]) -> tuple[GateSide, GateSide]:
    """A candidate that is worse in this way: score, a tool, a graded check's points, seconds, tokens."""
    how = {"loss": 0.0, "failing": 0, "points": 0.9, "seconds": 1.0, "tokens": 100} | dict(worse)
    known = chance.choice((0, 3))

    def played(*, loss: float, failing: int, points: float, seconds: float, tokens: int) -> list[GateTrial]:
        found = []
        for at in range(9):
            tool = "fail" if at < failing else "pass"
            checks = {
                "ScenarioToolsMetric": checked(tool),
                "Graded": checked("pass", score=points, measured_by="judge"),
            }
            found.append(trial(at, 8.0 - loss + at % 3 / 10, checks=checks, passed=loss < 2 and tool == "pass",
                               latency_s=seconds, tokens=tokens + at))  # fmt: skip
        return found

    together = {"job": "j", "span": (0.0, 100.0)}
    before = {"loss": 0.0, "failing": known, "points": 0.9, "seconds": 1.0, "tokens": 100}
    return side(played(**how), **together), side(played(**before), commit=BASE, **together)  # type: ignore[arg-type]


def test_a_rule_that_turns_a_fail_into_a_pass_is_named_as_looser() -> None:
    """So the floor refuses it, and the comment of an agent without a floor names its fields."""
    turned = held = 0
    for seed in range(WAYS):
        chance = random.Random(seed)
        worse, near = WORSE[seed % len(WORSE)]
        rules, (candidate, baseline) = policies_of(chance, near), sides_of(chance, worse)
        codes = [] if rules is None else [
            exit_code_of(
                decide_gate(candidate=candidate, baseline=baseline, policy=one, base_commit=BASE).decision,
                one.undecided_for(GateKind.BLOCKING),
            )
            for one in rules
        ]  # fmt: skip
        if rules is not None and codes == [1, 0]:
            assert looser_fields(rules[1], rules[0], GateKind.BLOCKING), (seed, rules)
            turned += 1
        held += codes == [1, 1]
    assert turned >= 15
    assert held >= 50


def test_points_that_fall_are_found_where_the_check_was_declared_hard() -> None:
    def played(points: float) -> list[GateTrial]:
        graded = {"Graded": checked("pass", score=points, measured_by="judge")}
        return [trial(at, 8.0 + at % 3 / 10, checks=graded) for at in range(12)]

    for policy in (GatePolicy(), GatePolicy(hard_checks=("Graded",))):
        baseline = side(played(0.9), commit=BASE)
        found = decide_gate(candidate=side(played(0.72)), baseline=baseline, policy=policy, base_commit=BASE)
        assert found.decision is Decision.FAIL

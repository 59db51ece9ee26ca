"""Read the parts of a commit that decide about a change, and list those that the change alters.
The parts are plain data.

A change does not choose its judge: the rule, the evaluator config, the checks and the scenarios are those of the merge
base. `altered` is the list that the server shows, and that a curator may accept for the commit.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_ratiba.agents import AgentSetting, read_agents
from pytest_ratiba.ci.played_cases import entry_name
from pytest_ratiba.ci.scenario_difference import scenario_difference
from pytest_ratiba.collecting import FROM_PRODUCTION, SCENARIOS, all_scenarios
from pytest_ratiba.config import FILE, SECTIONS, Project, read_project
from pytest_ratiba.digests import digest_of
from pytest_ratiba.portable.changes.globs import fits
from pytest_ratiba.scenarios import ScenarioSource, ScenarioVariant

LONGEST = 300
MAX_FILES = 200
_TOLD_APART = ("agent", "agents", "gate", "evaluator_config", "metrics")
# Files that take part in deciding and that the agent's own process or the CI system reads as the change has them.
DECIDING_FILES = (
    ".github/workflows/**",
    ".github/actions/**",
    "**/.gitlab-ci.yml",
    ".gitlab/**",
    "**/CODEOWNERS",
    "**/conftest.py",
    "**/pytest.ini",
    "**/.pytest.ini",
    "**/pytest.toml",
    "**/.pytest.toml",
    "**/tox.ini",
    "**/setup.cfg",
    "**/sitecustomize.py",
    "**/usercustomize.py",
    "**/*.pth",
    "**/pytest_ratiba/**",
    "**/tests/eval/**",
    "**/recordings/**",
    "**/snapshots/**",
    "**/goldens/**",
    "**/golden_sessions/**",
    "**/profiles/**",
    "**/*profile*.y*ml",
    "**/facts/**",
    "**/schemas/**",
    "**/*.schema.json",
    "**/metrics/**",
    "**/checks/**",
    "**/checks.py",
    "**/evals/**",
)


@dataclass(frozen=True, kw_only=True)
class DecidingParts:
    """`cases` and `catalog` hold what is played by name; `sections` the configuration but for what is told apart;
    `files` are patterns of files that assertions name. `configuration` is its path, "" where there is none."""

    configuration: str = ""
    rule: Mapping[str, Any] = field(default_factory=dict)
    evaluator_config: str = ""
    metrics: Any = None
    pytest: Any = None
    agents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sections: Mapping[str, Any] = field(default_factory=dict)
    cases: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    catalog: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    case_files: tuple[str, ...] = ()


def project_at(tree: Path, inside: PurePosixPath) -> Project:
    """The configuration of a commit, found by itself: in the folder `inside` of its working tree or above it, else the
    only one that stands anywhere; a project without sections where there is none. Raises `ProjectError`."""
    folder = tree / inside
    while not folder.is_dir():
        folder = folder.parent
    found = read_project(folder)
    if found.source is not None:
        return found
    others = sorted(path.parent for path in tree.rglob(FILE) if ".git" not in path.parts)
    return read_project(others[0]) if len(others) == 1 else found


def judged_of(project: Project) -> dict[str, Any]:
    """By whom and by which checks every conversation is judged."""
    return {key: project.sections[key] for key in ("evaluator_config", "metrics") if key in project.sections}


def judge_of_both(before: Project, own: Project) -> dict[str, Any]:
    """`judged_of` the merge base; where it names no evaluator config, so that no gate could decide, with the config
    that the commit names. Pure."""
    first = {key: value for key, value in judged_of(own).items() if key == "evaluator_config"}
    return {**first, **{key: value for key, value in judged_of(before).items() if value}}


def parts_of(project: Project, root: Path) -> DecidingParts:
    """Everything that decides, of the project in a working tree with this root. Raises `ProjectError` for what cannot
    be read, with its line. Costs reading every file of scenarios."""
    source = all_scenarios(project)
    sections = project.sections
    gate = project.mapping("gate")
    return DecidingParts(
        configuration=_below(project.source, root) if project.source is not None else "",
        rule=gate,
        evaluator_config=str(sections.get("evaluator_config") or ""),
        metrics=sections.get("metrics"),
        pytest=_pytest_options(project.folder / "pyproject.toml"),
        agents={name: _agent(one) for name, one in read_agents(project).items()},
        sections={name: sections[name] for name in SECTIONS if name in sections and name not in _TOLD_APART},
        cases=_cases(source.scenarios),
        catalog=_catalog(source),
        files=tuple(sorted({name for case in source.scenarios for name in _named_files(case)})),
        case_files=tuple(
            f"{_below(project.folder_of(section, default), root)}/**/*{suffix}"
            for section, default in (("scenarios", SCENARIOS), ("from_production", FROM_PRODUCTION))
            for suffix in (".yaml", ".yml", ".csv")
        ),
    )


def altered(before: DecidingParts, now: DecidingParts, changed: Iterable[str]) -> list[dict[str, Any]]:
    """List the deciding parts that differ in the change, as the server takes them; [] where none differs.
    The change is compared with the merge base. `changed` are paths below the root. Pure."""
    return [
        *_configuration(before, now),
        *_fields("rule", before.rule, now.rule),
        *_fields("config", {"evaluator_config": before.evaluator_config}, {"evaluator_config": now.evaluator_config}),
        *_fields("checks", {"metrics": before.metrics}, {"metrics": now.metrics}),
        *_fields("checks", {"[tool.pytest]": before.pytest}, {"[tool.pytest]": now.pytest}),
        *_agents(before.agents, now.agents),
        *_fields("configuration", before.sections, now.sections),
        *_scenarios(before.cases, now.cases),
        *_entries(before.catalog, now.catalog),
        *_files(before, now, changed),
    ]


def removed_agents(before: DecidingParts, now: DecidingParts) -> tuple[str, ...]:
    """Agents that were gated and that the configuration does not have any more; and those that were code of this
    repository and are now something that answers elsewhere, whatever the commit holds."""
    return tuple(
        name
        for name, fields in before.agents.items()
        if name not in now.agents or (_is_own(fields) and not _is_own(now.agents[name]))
    )


def _is_own(agent: Mapping[str, Any]) -> bool:
    return "callable" in agent or "start" in agent


def shown(value: Any) -> str:
    """A value as the server compares it: compact JSON, words without quotes, 10.0 as 10; long ones are cut."""
    if value is None or isinstance(value, str):
        text = value or ""
    elif isinstance(value, float):
        text = f"{value:g}"
    else:
        text = json.dumps(_sorted(value), ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 17]}… {digest_of(text)[:15]}"


def _sorted(value: Any) -> Any:
    return sorted(value) if isinstance(value, list) and all(isinstance(one, str) for one in value) else value


def _change(kind: str, name: str, was: Any, now: Any, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "name": name[:LONGEST], "digest": digest_of([was, now]), **more}


def _configuration(before: DecidingParts, now: DecidingParts) -> list[dict[str, Any]]:
    if before.configuration == now.configuration:
        return []
    return [
        _change(
            "configuration",
            "file",
            before.configuration,
            now.configuration,
            before=before.configuration or "none",
            after=now.configuration or "none",
        )
    ]


def _fields(kind: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        _change(kind, name, before.get(name), now.get(name), before=shown(before.get(name)), after=shown(now.get(name)))
        for name in sorted({*before, *now})
        if before.get(name) != now.get(name)
    ]


def _agents(before: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for name, fields in before.items():
        if name not in now:
            found.append(_change("agent", name, fields, None, what="is not gated any more", less=True))
            continue
        ours = {f"{name}.{key}": value for key, value in fields.items()}
        found += _fields("agent", ours, {f"{name}.{key}": value for key, value in now[name].items()})
    added = (name for name in now if name not in before) if before else ()
    return [*found, *(_change("agent", name, None, now[name], what="is new") for name in added)]


def _scenarios(
    before: Mapping[str, Sequence[Mapping[str, Any]]], now: Mapping[str, Sequence[Mapping[str, Any]]]
) -> list[dict[str, Any]]:
    found = []
    for name, was in before.items():
        if name not in now:
            found.append(_change("scenario_removed", name, was, None, less=True))
        elif digest_of(was) != digest_of(now[name]):
            whats = [scenario_difference(one, other) for one, other in zip(was, now[name], strict=False)]
            what = "; ".join(text for text, _ in whats if text) or "stands another number of times"
            less = any(less for _, less in whats) or len(now[name]) < len(was)
            found.append(_change("scenario", name, was, now[name], what=what[:1000], less=less))
    return [*found, *(_change("scenario_added", name, None, now[name]) for name in now if name not in before)]


def _entries(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        _change("catalog", name, value, now.get(name), what="" if name in now else "removed")
        for name, value in before.items()
        if digest_of(value) != digest_of(now.get(name))
    ]


def _files(before: DecidingParts, now: DecidingParts, changed: Iterable[str]) -> list[dict[str, Any]]:
    compared = {*before.case_files, *now.case_files}
    patterns = {*DECIDING_FILES, *before.files, *now.files}
    paths = [path for path in changed if fits(path, sorted(patterns)) and not fits(path, sorted(compared))]
    return [_change("file", path, path, None) for path in paths[:MAX_FILES]]


def _cases(scenarios: Iterable[ScenarioVariant]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for case in scenarios:
        whole = {**case.document, "assertions": list(case.assertions), "agent": case.agent, "layer": case.layer}
        found.setdefault(case.id, []).append(whole | ({"context": dict(case.context)} if case.context else {}))
    return found


def _catalog(source: ScenarioSource) -> dict[str, Any]:
    found = {}
    for part in source.sections:
        for kind, entries in part.items():
            for number, entry in enumerate(entries if isinstance(entries, list) else [entries]):
                found[f"{kind}/{entry_name(entry) or number}"] = entry
    return found


def _named_files(case: ScenarioVariant) -> Iterable[str]:
    """Files that an assertion names: a schema, the module of a check."""
    for assertion in case.assertions:
        for kind in ("json_schema", "briefing_card"):
            if isinstance(assertion.get(kind), str):
                yield f"**/{PurePosixPath(assertion[kind]).name}"
        if isinstance(assertion.get("python"), str):
            yield f"**/{assertion['python'].partition(':')[0].rpartition('.')[2]}.py"


def _agent(setting: AgentSetting) -> dict[str, Any]:
    return {key: value for key, value in asdict(setting).items() if key != "name" and value not in ("", (), None)}


def _pytest_options(path: Path) -> Any:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig")).get("tool", {}).get("pytest")
    except (OSError, ValueError):
        return None


def _below(path: Path, root: Path) -> str:
    try:
        return path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:  # outside of the repository: git knows nothing of it
        return path.as_posix()

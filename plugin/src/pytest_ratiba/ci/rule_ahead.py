"""The rule of a branch that has moved on since the change left it: who waits is not held to an older one."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_ratiba.agents import AgentSetting
from pytest_ratiba.ci.deciding import judge_of_both, project_at
from pytest_ratiba.ci.settings import GateSettings, held_settings
from pytest_ratiba.collecting import FROM_PRODUCTION, SCENARIOS
from pytest_ratiba.commit_tree import commit_folder
from pytest_ratiba.config import FILE, Project
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.git import differing_files
from pytest_ratiba.portable.changes.globs import fits
from pytest_ratiba.portable.changes.matrix import DEFAULT_RULES
from pytest_ratiba.portable.first_names import listed


@dataclass(frozen=True, kw_only=True)
class RuleAhead:
    """A `RuleAhead` holds the settings that decide in place of the merge base's rule, and notes on them."""

    settings: GateSettings
    judged: Mapping[str, Any]
    notes: tuple[str, ...] = ()


def rule_ahead(
    own: RuleAhead, project: Project, agents: Mapping[str, AgentSetting], *, root: Path, fork: str, tip: str, name: str
) -> RuleAhead:
    """`own` is the merge base's. `tip` is the newest commit of the branch `name`, "" where nobody knows it. Its rule
    and judges decide where they can be read; its scenarios are told, since the merge base's are what both sides play.
    """
    if tip in ("", fork):
        return own
    below = PurePosixPath(project.folder.resolve().relative_to(root.resolve()).as_posix())
    ahead = differing_files(root, fork, tip)
    notes = (*own.notes, *_scenarios(project, ahead, below, name), *_prompts(agents, ahead, below, name))
    if not any(PurePosixPath(path).name in (FILE, "pyproject.toml") for path in ahead):
        return replace(own, notes=notes)
    try:
        with commit_folder(root, tip) as tree:
            there = project_at(tree, below)
            settings, judged = held_settings(there, project, agents), judge_of_both(there, project)
    except ProjectError as error:
        what = f"{name} is ahead, and its rule cannot be read ({error.message}): the merge base's decides"
        return replace(own, notes=(*notes, what))
    others = [field.name for field in fields(settings) if field.name not in ("rules", "policy")]
    differ = [one for one in others if getattr(settings, one) != getattr(own.settings, one)]
    differ += _different(own.settings.policy, settings.policy) + _different(own.judged, judged)
    if differ or settings.rules != own.settings.rules:
        told = ", ".join(differ) or "matrix"
        notes = (*notes, f"{name} is ahead of the merge base {fork[:12]} with another rule ({told}): that one decides")
    rules = (*settings.rules[: -len(DEFAULT_RULES)], *own.settings.rules)
    return RuleAhead(settings=replace(settings, rules=rules), judged=judged, notes=notes)


def _different(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    return [key for key in sorted({*one, *other}) if one.get(key) != other.get(key)]


def _prompts(agents: Mapping[str, AgentSetting], ahead: list[str], below: PurePosixPath, name: str) -> list[str]:
    patterns = [pattern for agent in agents.values() for pattern in agent.prompts]
    inside = [
        PurePosixPath(path).relative_to(below).as_posix() for path in ahead if PurePosixPath(path).is_relative_to(below)
    ]
    read = [path for path in inside if fits(path, patterns)]
    files = listed(read, 3)
    what = f"{name} is ahead with {files}: what that and this change do together was not played; merge {name} and see"
    return [what] * bool(read)


def _scenarios(project: Project, ahead: list[str], below: PurePosixPath, name: str) -> list[str]:
    folders = [
        below / str(project.sections.get(key, default)).strip("/")
        for key, default in (("scenarios", SCENARIOS), ("from_production", FROM_PRODUCTION))
    ]
    n = sum(any(PurePosixPath(path).is_relative_to(folder) for folder in folders) for path in ahead)
    files = f"{n} file{'' if n == 1 else 's'}"
    return [f"{name} has {files} of scenarios that this branch left too early for: rebase to be held to them"] * (n > 0)

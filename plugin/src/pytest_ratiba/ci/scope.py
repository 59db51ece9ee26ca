"""What this working tree changed against its base, and the gate that asks for."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_ratiba.agents import AgentSetting, read_agents
from pytest_ratiba.ci.changed_paths import read_changed_paths
from pytest_ratiba.ci.dependencies import is_dependency_file, major_bumps, unreadable
from pytest_ratiba.ci.gate_policy import policy_at
from pytest_ratiba.ci.matrix import GateNeed, GateScope, scope_of
from pytest_ratiba.ci.removed_scenarios import removal_note, removed_scenarios
from pytest_ratiba.ci.settings import GateSettings, read_gate_settings
from pytest_ratiba.config import Project, read_project
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.git import changed_files, commit_of, differs_from_head, file_at, merge_base, top_folder

DEFAULT_BASES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")


@dataclass(frozen=True, kw_only=True)
class ProjectChange:
    """The project, its agents and gate, the commit at hand, the merge base ("" where there is none) and the need."""

    project: Project
    agents: dict[str, AgentSetting]
    settings: GateSettings
    commit: str
    base: str
    scope: GateScope


def project_change(folder: Path, *, base: str = "", listed: Path | None = None, need: str = "") -> ProjectChange:
    """Compare HEAD with its merge base.

    `base` names a branch or commit, else the default branch is looked for; `listed` is a file of changed paths, one a
    line, in place of git's answer; `need` overrides the matrix.

    A base that git does not know (a first push) counts as "everything changed". Raises `ProjectError`.
    """
    project = read_project(folder)
    agents = read_agents(project)
    if not agents:
        raise project.error("/agent", 'no agent is configured; add: agent: {callable: "your_module:your_function"}')
    settings = read_gate_settings(project, agents)
    commit, root = commit_of(project.folder), top_folder(project.folder)
    fork = _fork_point(project.folder, base)
    if listed is not None:
        changed = read_changed_paths(listed)
    elif fork:
        changed = changed_files(project.folder, fork)
    else:
        changed = []
    scope = _scope(project, agents, settings, root=root, changed=changed, fork=fork)
    if not fork and listed is None:
        scope = GateScope(need=GateNeed.BLOCKING, agents=tuple(agents), reasons=(("everything", "no base is known"),))
    removed = removed_scenarios(project, changed, root=root, base=fork) if fork else []
    if removed:
        scope = replace(scope, notes=(*scope.notes, removal_note(removed)))
    declared = policy_at(project, fork)
    if declared is not None and declared != settings.policy:
        settings = replace(settings, policy=declared)
        note = f"decided by the rule of {fork[:12]}; this change declares another one"
        scope = replace(scope, notes=(*scope.notes, note))
    if need:
        agents_meant = scope.agents or tuple(agents)
        scope = replace(scope, need=GateNeed(need), agents=agents_meant, reasons=(("--need", need),))
    return ProjectChange(
        project=project, agents=agents, settings=settings, commit=commit, base=fork, scope=scope
    )  # fmt: skip


def refuse_uncommitted(folder: Path) -> None:
    """Raises `ProjectError` where tracked files differ from HEAD: the gate compares commits."""
    if differs_from_head(folder):
        raise ProjectError("commit your changes first: the gate compares the commit at HEAD with the one it left")


def _fork_point(folder: Path, base: str) -> str:
    if base.strip("0"):
        try:
            commit_of(folder, base)
        except ProjectError:
            if os.environ.get("CI"):  # a force-pushed branch's old tip is in no clone
                return ""
            raise
        return merge_base(folder, base)
    for name in () if base else DEFAULT_BASES:
        try:
            return merge_base(folder, name)
        except ProjectError:
            continue
    return ""


def _scope(
    project: Project,
    agents: dict[str, AgentSetting],
    settings: GateSettings,
    *,
    root: Path,
    changed: list[str],
    fork: str,
) -> GateScope:
    inside = project.folder.resolve().relative_to(root.resolve()).as_posix()
    prefix = "" if inside == "." else f"{inside}/"
    own = [path.removeprefix(prefix) for path in changed if path.startswith(prefix)]
    bumps = []
    dependencies = [path for path in changed if is_dependency_file(path)]
    unread = [] if fork else dependencies
    for path in dependencies if fork else ():
        now = root / path
        after = now.read_text(encoding="utf-8-sig", errors="replace") if now.is_file() else ""
        if unreadable(path, after):
            unread.append(path)
        bumps += major_bumps(path, file_at(project.folder, fork, path), after)
    return scope_of(own, bumps, settings.rules, agents=list(agents), unread=unread)

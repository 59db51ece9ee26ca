"""Find the changes of this working tree against its base, and the gate that they need."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_ratiba.agents import AgentSetting, read_agents
from pytest_ratiba.ci.deciding import (
    DecidingParts,
    altered,
    judge_of_both,
    judged_of,
    parts_of,
    project_at,
    removed_agents,
)
from pytest_ratiba.ci.rule_ahead import RuleAhead, rule_ahead
from pytest_ratiba.ci.settings import GateSettings, held_settings, read_gate_settings
from pytest_ratiba.ci.watched_files import watched_files_gone
from pytest_ratiba.commit_tree import commit_folder
from pytest_ratiba.config import Project, read_project
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.git import (
    branch_commit,
    changed_files,
    commit_of,
    differs_from_head,
    merge_base,
    top_folder,
    tree_of,
)
from pytest_ratiba.portable.changes.followed_files import FollowedChange, follow
from pytest_ratiba.portable.changes.listed_paths import MAX_BYTES, ListRefused, read_listed_paths
from pytest_ratiba.portable.changes.matrix import GUARD_RULES, PROMPT, GateNeed, GateScope, MatrixRule, scope_of
from pytest_ratiba.portable.changes.version_files import is_dependency_file

DEFAULT_BASES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")


@dataclass(frozen=True, kw_only=True)
class ProjectChange:
    """The project, its agents and gate, the commit at hand, the merge base ("" where there is none) and the need.

    `settings` and `judged` (evaluator_config, metrics) are those that decide: the merge base's. `alters` is what the
    change has otherwise, as the server takes it; `inside` is where the merge base's project stands below the root, None
    where there is no merge base to be held to. `gone` are agents that are not gated any more; `changed` are the paths
    that differ, below the root, `versions` those that say other versions of dependencies.
    """

    project: Project
    agents: dict[str, AgentSetting]
    settings: GateSettings
    commit: str
    base: str
    scope: GateScope
    judged: Mapping[str, Any] = field(default_factory=dict)
    alters: tuple[Mapping[str, Any], ...] = ()
    inside: PurePosixPath | None = None
    gone: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()

    def advisory(self) -> "ProjectChange":
        """The same change for the agents that an advisory gate is enough for."""
        return replace(self, scope=replace(self.scope, need=GateNeed.ADVISORY, agents=self.scope.others, others=()))

    def as_accepted(self) -> "ProjectChange":
        """The same change where a person accepted what it alters: its own versions decide. Raises `ProjectError`."""
        settings = read_gate_settings(self.project, self.agents)
        return replace(self, settings=settings, judged=judged_of(self.project), inside=None)


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
    fork, name = _fork_point(project.folder, base)
    if listed is not None:
        changed = read_changed_paths(listed)
    elif fork:
        changed = changed_files(project.folder, fork)
    else:
        changed = []
    held = _held(project, agents, settings, fork=fork, root=root, folder=folder, changed=changed)
    if held.inside is not None:
        was = RuleAhead(settings=held.settings, judged=held.judged, notes=held.notes)
        tip = branch_commit(project.folder, name)
        now = rule_ahead(was, project, agents, root=root, fork=fork, tip=tip, name=name)
        held = replace(held, settings=now.settings, judged=now.judged, notes=now.notes)
    followed = _followed(project, changed, fork=fork, commit=commit, rules=held.settings.rules)
    scope = _scope(project, agents, held.settings, changed=changed, followed=followed)
    if not fork and listed is None:
        scope = GateScope(need=GateNeed.BLOCKING, agents=tuple(agents), reasons=(("everything", "no base is known"),))
    scope = replace(scope, notes=(*scope.notes, *held.notes))
    if need:
        agents_meant = scope.agents or tuple(agents)
        scope = replace(scope, need=GateNeed(need), agents=agents_meant, reasons=(("--need", need),))
    return ProjectChange(
        project=project, agents=agents, settings=held.settings, commit=commit, base=fork, scope=scope,
        judged=held.judged, alters=held.alters, inside=held.inside, gone=held.gone,
        changed=tuple(changed), versions=tuple(followed.versions),
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class _Held:
    """A `_Held` holds the settings that decide; without a merge base, these are the project's own."""

    settings: GateSettings
    judged: Mapping[str, Any]
    alters: tuple[Mapping[str, Any], ...] = ()
    inside: PurePosixPath | None = None
    gone: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def _held(
    project: Project,
    agents: dict[str, AgentSetting],
    settings: GateSettings,
    *,
    fork: str,
    root: Path,
    folder: Path,
    changed: list[str],
) -> _Held:
    """Read the settings of the merge base, else the defaults, and list the parts of them that the change alters."""
    own = _Held(settings=settings, judged=judged_of(project))
    if not fork or fork == commit_of(project.folder):
        return own
    below = PurePosixPath(folder.resolve().relative_to(root.resolve()).as_posix())
    with commit_folder(root, fork) as tree:
        try:
            before = project_at(tree, below)
            was = parts_of(before, tree)
            held = held_settings(before, project, agents)
        except ProjectError as error:
            note = f"what decided at {fork[:12]} cannot be read, so the defaults decide: {error.message}"
            return _by_defaults(project, agents, root=root, changed=changed, note=note)
        if before.source is None:
            note = f"no configuration was found at {fork[:12]}: the defaults decide"
            return _by_defaults(project, agents, root=root, changed=changed, note=note)
        inside = PurePosixPath(before.folder.resolve().relative_to(tree.resolve()).as_posix())
        unwatched = watched_files_gone(read_agents(before), changed, before=tree, now=root, inside=inside)
    try:
        now = parts_of(project, root)
    except ProjectError as error:  # which gate is needed is known all the same; playing is refused with this sentence
        note = f"what this commit would be decided by cannot be read: {error}"
        return _Held(settings=held, judged=judge_of_both(before, project), inside=inside, notes=(note,))
    return _Held(
        settings=held,
        judged=judge_of_both(before, project),
        alters=(*altered(was, now, changed), *unwatched),
        inside=inside,
        gone=removed_agents(was, now),
    )


def _by_defaults(
    project: Project, agents: dict[str, AgentSetting], *, root: Path, changed: list[str], note: str
) -> _Held:
    """The rule without a word of the repository; which files it names is known all the same."""
    settings = read_gate_settings(replace(project, sections={**project.sections, "gate": {}}), agents)
    found = _Held(settings=settings, judged=judged_of(project), notes=(note,))
    try:
        now = parts_of(project, root)
    except ProjectError as error:
        return replace(found, notes=(note, f"what this commit would be decided by cannot be read: {error}"))
    return replace(found, alters=tuple(altered(DecidingParts(), now, changed)))


def refuse_uncommitted(folder: Path) -> None:
    """Raises `ProjectError` where tracked files differ from HEAD: the gate compares commits."""
    if differs_from_head(folder):
        raise ProjectError("commit your changes first: the gate compares the commit at HEAD with the one it left")


def _fork_point(folder: Path, base: str) -> tuple[str, str]:
    """The merge base, and the name of the branch that was left; "" where there is none."""
    if base.strip("0"):
        try:
            branch_commit(folder, base)
        except ProjectError:
            if os.environ.get("CI"):  # a force-pushed branch's old tip is in no clone
                return "", ""
            raise
        return merge_base(folder, base), base
    for name in () if base else DEFAULT_BASES:
        try:
            return merge_base(folder, name), name
        except ProjectError:
            continue
    return "", ""


def read_changed_paths(file: Path) -> list[str]:
    """The paths of `--changed-files`. Raises `ProjectError` where the list cannot be used."""
    where = f"--changed-files {file}"
    try:
        with file.open("rb") as opened:
            return read_listed_paths(opened.read(MAX_BYTES + 1))
    except OSError as error:
        raise ProjectError(f"cannot be read: {error.strerror}", where=where) from error
    except ListRefused as error:
        raise ProjectError(str(error), where=f"{where}:{error.line}" if error.line else where) from error


def _followed(
    project: Project, changed: list[str], *, fork: str, commit: str, rules: Sequence[MatrixRule]
) -> FollowedChange:
    """Follow the changed files to other names and uses of theirs.
    Without a base nobody knows the earlier versions of dependencies."""
    if not fork:
        return FollowedChange(unread=[path for path in changed if is_dependency_file(path)])
    folder, prefix = project.folder, _prefix(project)

    def is_prompt(path: str) -> bool:
        fitting = next((rule for rule in rules if rule.fits(path.removeprefix(prefix))), None)
        return path.startswith(prefix) and fitting is not None and fitting.why == PROMPT

    with tree_of(folder, fork) as before, tree_of(folder, commit) as after:
        return follow(changed, before=before, after=after, is_prompt=is_prompt)


def _prefix(project: Project) -> str:
    """Return the project's folder below the root, with a slash at its end; "" where it is the root."""
    inside = project.folder.resolve().relative_to(top_folder(project.folder).resolve()).as_posix()
    return "" if inside == "." else f"{inside}/"


def _scope(
    project: Project,
    agents: dict[str, AgentSetting],
    settings: GateSettings,
    *,
    changed: list[str],
    followed: FollowedChange,
) -> GateScope:
    """Paths of the project's folder by all rules, those outside by the rules that guard the gate; in a project that is
    a folder of a larger repository, what follows from files elsewhere counts too."""
    prefix = _prefix(project)

    def own(paths: Iterable[str]) -> list[str]:
        return [path.removeprefix(prefix) for path in paths if path.startswith(prefix)]

    names = {path.removeprefix(prefix): own(others) for path, others in followed.names.items()}
    outside = [path for path in changed if not path.startswith(prefix)]
    guarded = [(path, rule.why) for path in outside if (rule := next((r for r in GUARD_RULES if r.fits(path)), None))]
    linked = [path for path in outside if names.get(path)]
    return scope_of(
        [*own(changed), *linked],
        followed.bumps,
        settings.rules,
        agents=list(agents),
        unread=followed.unread,
        names=names,
        blocking=[*followed.blocking, *guarded],
    )

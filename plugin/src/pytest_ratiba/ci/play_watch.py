"""Watch the files and settings that the code of a pull request may not touch while it is played.
These are the files of both commits, the clone's settings, and the packages of the agent's environment. A difference
means that the play was tampered with, and it is named."""

import hashlib
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_ratiba.ci.own_packages import packages_of_files
from pytest_ratiba.commit_tree import (
    IMPORTED,
    CommitFiles,
    CommitTree,
    changed_beside_the_commit,
    commit_tree,
    files_beside,
    files_of,
)
from pytest_ratiba.digests import digest_of
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.git import environment_of_git, git
from pytest_ratiba.portable.first_names import listed
from pytest_ratiba.repository_process import site_folders

MAX_NAMED = 20
_SETTINGS = ("info", "hooks", "objects/info/alternates")  # of the clone: what changes how files are read or written


@dataclass(kw_only=True)
class PlayWatch:
    """Of one gate, made before anything of the change has run. `tampered` says what was found, in words; `beside` are
    files that are none of the commit's and that its .gitignore names: what is played beside them is not taken for the
    commit by a later gate. `ours` are places that this command itself writes to."""

    root: Path
    ours: tuple[Path, ...] = ()
    beside: tuple[str, ...] = ()
    tampered: list[str] = field(default_factory=list)
    change_has_run: bool = False
    _files: dict[str, CommitFiles] = field(default_factory=dict)
    _made: dict[str, frozenset[str]] = field(default_factory=dict)  # by a baseline that was alone
    _before: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._before = self._surroundings()

    @cached_property
    def packages_of_files(self) -> Mapping[str, Path]:
        """Of the agent's environment, those that were installed from files of this machine: the change's, it may be."""
        return packages_of_files(self.root)

    def files(self, commit: str) -> CommitFiles:
        """Of a commit, as they were first read."""
        if commit not in self._files:
            self._files[commit] = files_of(self.root, commit)
        return self._files[commit]

    @contextmanager
    def baseline(self, commit: str) -> Iterator[Path]:
        """The merge base's files for one play, made anew; they are looked at when it is over."""
        with commit_tree(self.root, self.files(commit)) as tree:
            yield tree.folder
            self._look(tree)
        self._look_around()

    @contextmanager
    def candidate(self, commit: str) -> Iterator[None]:
        """A play of the working tree. Raises `ProjectError` where it is not the commit, whatever the index says."""
        self.refuse_other_files(commit)
        self.change_has_run = True
        yield
        self._look_around()

    def refuse_more_files(self, commit: str) -> None:
        """Before anything is played. Raises `ProjectError` where files lie beside those of the commit that its
        .gitignore does not name: nobody sees them in the change."""
        self.refuse_other_files(commit)
        others = files_beside(self.root, self.files(commit), ours=self.ours)
        self.beside = others.ignored
        if others.untracked:
            raise ProjectError(
                f"{listed(others.untracked)}: no file of {commit[:12]}, and the agent "
                "would be played beside it; commit it, remove it, or name it in .gitignore"
            )

    def refuse_other_files(self, commit: str) -> None:
        """Raises `ProjectError` where tracked files are not those of the commit, by their content."""
        others = changed_beside_the_commit(self.root, self.files(commit))
        if others:
            are = "is" if len(others) == 1 else "are"
            raise ProjectError(
                f"{listed(others)} {are} not as {commit[:12]} has it: the gate compares commits, "
                "whatever git's index says"
            )

    def changes(self) -> list[dict[str, Any]]:
        """List the differences that were found, as the server takes them."""
        return [{"kind": "tampered", "name": one[:300], "digest": digest_of(one)} for one in self.tampered[:MAX_NAMED]]

    def _look(self, tree: CommitTree) -> None:
        commit = tree.files.commit
        if not self.change_has_run:
            self._made[commit] = self._made.get(commit, frozenset()) | frozenset(tree.beside())
        self._say(tree.tampered(own=self._made.get(commit)))

    def _look_around(self) -> None:
        now = self._surroundings()
        self._say(
            f"{name} was written while the agents were played"
            for name in sorted({*self._before, *now})
            if self._before.get(name) != now.get(name)
        )
        self._before = now

    def _say(self, found: Any) -> None:
        self.tampered += [one for one in found if one not in self.tampered]

    def _surroundings(self) -> dict[str, str]:
        return {**_clone(self.root), **_packages(self.root)}


def _clone(root: Path) -> dict[str, str]:
    """Settings of git by name, in digests: of the clone, of the user and of the machine."""
    common = (root / git(root, "rev-parse", "--git-common-dir").strip()).resolve()
    done = subprocess.run(
        ["git", "config", "--list", "--show-origin", "-z"],
        cwd=root,
        env=environment_of_git(),
        capture_output=True,
        check=False,
    )
    found = {
        "git's configuration": hashlib.sha256(done.stdout).hexdigest(),
        "refs/replace": git(root, "for-each-ref", "refs/replace"),
    }
    for name in _SETTINGS:
        place = common / name
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file():
                key = f".git/{path.relative_to(common).as_posix()}"
                found[key] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def _packages(root: Path) -> dict[str, str]:
    """The modules of the environment that the agents run in: size and time of the last change. Costs a look at every
    file; {} where it stands somewhere else, as in a container."""
    found = {}
    for place in site_folders(root):
        for folder, _, names in os.walk(place):
            for name in names:
                if name.endswith(IMPORTED) and not name.endswith(".pyc"):
                    path = Path(folder, name)
                    stamp = os.lstat(path)
                    found[f"{path.relative_to(place)} of the agent's packages"] = f"{stamp.st_size} {stamp.st_ctime_ns}"
    return found

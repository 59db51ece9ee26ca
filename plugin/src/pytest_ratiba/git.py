"""Ask git for the commit at hand, the merge base, changed files, and objects as they are stored."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_ratiba.errors import ProjectError
from pytest_ratiba.portable.changes.file_texts import decoded
from pytest_ratiba.portable.changes.repository_tree import RepositoryTree
from pytest_ratiba.processes import environment_of_the_agent

TIMEOUT_S = 120.0
# A repository's own hooks are not run, its caches not believed; no secret of ours is given to what git itself starts.
GIT = ("git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.commitGraph=false")
_DIGITS = re.compile(r"[0-9a-f]{7,64}")
_AS_STORED = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull}


def environment_of_git() -> dict[str, str]:
    """The variables that git is run with: none of our secrets, and history and objects as they were made."""
    return {**environment_of_the_agent(), **_AS_STORED}


def git(folder: Path, *words: str) -> str:
    """The output of one git command. Raises `ProjectError` with git's own sentence."""
    try:
        done = subprocess.run(
            [*GIT, *words],
            cwd=folder,
            env=environment_of_git(),
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ProjectError(f"git {words[0]} does not run in {folder}: {error}") from error
    if done.returncode:
        errors = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ProjectError(f"git {' '.join(words)}: {errors[-1] if errors else f'exit {done.returncode}'}")
    return done.stdout.decode("utf-8", "surrogateescape")


def top_folder(folder: Path) -> Path:
    """The root of the working tree."""
    return Path(git(folder, "rev-parse", "--show-toplevel").strip())


def commit_of(folder: Path, name: str = "HEAD") -> str:
    """The commit that a name stands for, 40 digits. Raises `ProjectError` for a name git does not know."""
    try:
        return git(folder, "rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}").strip()
    except ProjectError as error:
        raise ProjectError(f"git knows no commit {name!r} in {folder}: fetch it, or name another") from error


def branch_commit(folder: Path, name: str) -> str:
    """The commit of a branch by its whole name, here or at a remote, or of a commit's own digits. A tag of the same
    name, which git would take first, is none: whoever may push a tag would choose the base. Raises `ProjectError`."""
    said, at = re.fullmatch(r"([^~^@:]*)(.*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    full = [said] if said.startswith("refs/") else [f"refs/heads/{said}", f"refs/remotes/{said}"]
    if said in ("", "HEAD") or _DIGITS.fullmatch(said):
        full.insert(0, said)
    for one in full:
        try:
            return commit_of(folder, f"{one}{at}")
        except ProjectError:
            continue
    if git(folder, "tag", "--list", "--", said).strip():
        raise ProjectError(
            f"{said!r} is a tag and no branch in {folder}: say refs/tags/{said} if that is what you mean"
        )
    raise ProjectError(f"git knows no commit {name!r} in {folder}: fetch it, or name another")


def head_commit(folder: Path) -> str:
    """The commit at HEAD; "" where there is no git, no repository or no commit."""
    try:
        return commit_of(folder)
    except ProjectError:
        return ""


def differs_from_head(folder: Path) -> bool:
    """Whether tracked files differ from HEAD. Raises `ProjectError` outside a repository."""
    return bool(git(folder, "status", "--porcelain", "--untracked-files=no").strip())


def merge_base(folder: Path, base: str) -> str:
    """The commit this branch left `base` at. Raises `ProjectError`, and says what to do, in a shallow clone."""
    with_base = branch_commit(folder, base)
    try:
        return git(folder, "merge-base", with_base, "HEAD").strip()
    except ProjectError as error:
        if git(folder, "rev-parse", "--is-shallow-repository").strip() == "true":
            raise ProjectError(f"{error}; this clone is shallow: fetch the whole history (fetch-depth: 0)") from error
        raise ProjectError(
            f"HEAD and {base} have no commit in common: this branch was not made from {base}. Rebase it onto {base}, "
            "or name its base with --base"
        ) from error


def changed_files(folder: Path, base: str) -> list[str]:
    """Files that differ between the merge base and HEAD, relative to the root; both names of a renamed one."""
    return differing_files(folder, f"{base}...HEAD")


def differing_files(folder: Path, *commits: str) -> list[str]:
    """Files that differ between two commits, relative to the root."""
    # a repository's own .gitmodules may say that its submodules are not looked at
    words = ("--name-only", "--no-renames", "--ignore-submodules=none", "-z")
    listed = git(folder, "diff", *words, *commits, "--")
    return sorted(name for name in listed.split("\0") if name)


MAX_LINK_BYTES = 4096  # PATH_MAX


@contextmanager
def tree_of(folder: Path, commit: str) -> Iterator[RepositoryTree]:
    """The files of a commit; their texts can be read within the block. Costs two processes of git."""
    listed = git(folder, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
    blobs, sizes, links, modules = {}, {}, [], set()
    for entry in filter(None, listed.split("\0")):
        about, _, path = entry.partition("\t")
        mode, kind, blob, size = about.split()
        if kind == "commit":
            modules.add(path)
            continue
        blobs[path] = blob
        if mode == "120000":
            links.append(path)
        else:
            sizes[path] = int(size)
    with ObjectReader(folder) as reader:
        said = {path: os.fsdecode(reader.content(blobs[path])[:MAX_LINK_BYTES]) for path in links}
        yield RepositoryTree(
            sizes=sizes, links=said, modules=frozenset(modules), read=lambda path: decoded(reader.content(blobs[path]))
        )


class ObjectReader:
    """One process of git that is asked for objects by their names."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [*GIT, "cat-file", "--batch"],
            cwd=folder,
            env=environment_of_git(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> "ObjectReader":
        return self

    def content(self, name: str) -> bytes:
        """Return the content of the object of this name. Raises `ProjectError` where the clone has none."""
        asked, told = self._process.stdin, self._process.stdout
        if asked is None or told is None:
            raise ProjectError("git cat-file has no streams")
        asked.write(f"{name}\n".encode())
        asked.flush()
        head = told.readline().split()
        if len(head) != 3:  # a partial clone that cannot fetch it
            raise ProjectError(f"git has no object {name}: is the clone complete (fetch-depth: 0)?")
        return told.read(int(head[2]) + 1)[:-1]

    def __exit__(self, *of_error: object) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process.wait(timeout=TIMEOUT_S)

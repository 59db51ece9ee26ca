"""What is asked of git: the commit at hand, the merge base, what changed since, files as they were, a second working
tree."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_ratiba.errors import ProjectError

TIMEOUT_S = 120.0


def git(folder: Path, *words: str) -> str:
    """The output of one git command. Raises `ProjectError` with git's own sentence."""
    try:
        done = subprocess.run(["git", *words], cwd=folder, capture_output=True, timeout=TIMEOUT_S, check=False)
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
    return git(folder, "rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}").strip()


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
    try:
        return git(folder, "merge-base", commit_of(folder, base), "HEAD").strip()
    except ProjectError as error:
        if git(folder, "rev-parse", "--is-shallow-repository").strip() == "true":
            raise ProjectError(f"{error}; this clone is shallow: fetch the whole history (fetch-depth: 0)") from error
        raise


def changed_files(folder: Path, base: str) -> list[str]:
    """Files that differ between the merge base and HEAD, relative to the root; both names of a renamed one."""
    listed = git(folder, "diff", "--name-only", "--no-renames", "-z", f"{base}...HEAD", "--")
    return sorted(name for name in listed.split("\0") if name)


def file_at(folder: Path, commit: str, path: str) -> str:
    """A file's text at a commit; "" where it did not exist."""
    try:
        return git(folder, "show", f"{commit}:{path}").removeprefix("\ufeff")
    except ProjectError:
        return ""


@contextmanager
def worktree(folder: Path, commit: str) -> Iterator[Path]:
    """A working tree of a commit, beside the one at hand, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="ratiba-base-") as parent:
        path = Path(parent) / "tree"
        git(folder, "worktree", "add", "--detach", "--force", str(path), commit)
        try:
            yield path
        finally:
            git(folder, "worktree", "remove", "--force", str(path))

"""What is asked of git: the commit at hand, the merge base, what changed since, files as they were, a second working
tree."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_ratiba.errors import ProjectError
from pytest_ratiba.portable.changes.repository_tree import RepositoryTree
from pytest_ratiba.processes import environment_of_the_agent
from pytest_ratiba.repository_process import agent_prefix

TIMEOUT_S = 120.0
# A repository's own hooks are not run, and no secret of ours is given to what git itself starts.
GIT = ("git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")


def git(folder: Path, *words: str) -> str:
    """The output of one git command. Raises `ProjectError` with git's own sentence."""
    try:
        done = subprocess.run(
            [*GIT, *words],
            cwd=folder,
            env=environment_of_the_agent(),
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
    # a repository's own .gitmodules may say that its submodules are not looked at
    words = ("--name-only", "--no-renames", "--ignore-submodules=none", "-z")
    listed = git(folder, "diff", *words, f"{base}...HEAD", "--")
    return sorted(name for name in listed.split("\0") if name)


MOST_LINK_BYTES = 4096  # PATH_MAX


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
    with _BlobReader(folder) as reader:
        said = {path: reader.text(blobs[path])[:MOST_LINK_BYTES] for path in links}
        yield RepositoryTree(
            sizes=sizes, links=said, modules=frozenset(modules), read=lambda path: reader.text(blobs[path])
        )


class _BlobReader:
    """One process of git that is asked for texts by their digest."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [*GIT, "cat-file", "--batch"],
            cwd=folder,
            env=environment_of_the_agent(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> "_BlobReader":
        return self

    def text(self, blob: str) -> str:
        asked, told = self._process.stdin, self._process.stdout
        if asked is None or told is None:
            raise ProjectError("git cat-file has no streams")
        asked.write(f"{blob}\n".encode())
        asked.flush()
        head = told.readline().split()
        if len(head) != 3:  # a partial clone that cannot fetch it
            raise ProjectError(f"git has no file {blob}: is the clone complete (fetch-depth: 0)?")
        content = told.read(int(head[2]) + 1)[:-1]
        return content.decode("utf-8-sig", "replace")

    def __exit__(self, *of_error: object) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process.wait(timeout=TIMEOUT_S)


@contextmanager
def worktree(folder: Path, commit: str) -> Iterator[Path]:
    """A working tree of a commit, beside the one at hand, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="ratiba-base-") as parent:
        path = Path(parent) / "tree"
        if agent_prefix(path):  # as another user, it may be
            Path(parent).chmod(0o755)
        git(folder, "worktree", "add", "--detach", "--force", str(path), commit)
        try:
            yield path
        finally:
            git(folder, "worktree", "remove", "--force", str(path))

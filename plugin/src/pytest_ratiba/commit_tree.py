"""The files of a commit, made anew from git's objects and held against them after they were played.

Every object is hashed here, so it counts for nothing what a clone's settings, filters, attributes, index or changed
objects say. What a play has written to its tree is found by hash and by the time of the last change, which no user of
the machine can set.
"""

import hashlib
import os
import subprocess
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from pytest_ratiba.errors import ProjectError
from pytest_ratiba.git import ObjectReader, environment_of_git, git
from pytest_ratiba.repository_process import agent_prefix

LINK, MODULE, FOLDER, PROGRAM = "120000", "160000", "40000", "100755"
MAX_FILES = 400_000
IMPORTED = (".py", ".pyc", ".pyd", ".so", ".pth", ".env")  # what stands beside a module may stand in its place
_LARGE_FILE = b"version https://git-lfs.github.com/spec/v1\n"
_ENCRYPTED = b"\0GITCRYPT\0"


@dataclass(frozen=True, kw_only=True)
class CommitFiles:
    """Mode and digest of every file of a commit, by path: read and hashed before anybody plays."""

    commit: str
    blobs: Mapping[str, tuple[str, str]]

    @property
    def folders(self) -> frozenset[str]:
        """Those that hold one of these files, the root as "."."""
        return frozenset(str(parent) for path in self.blobs for parent in PurePosixPath(path).parents)


@dataclass(frozen=True, kw_only=True)
class CommitTree:
    """The files of a commit in a folder of their own. `own` are files that this commit's agent made itself."""

    folder: Path
    files: CommitFiles
    contents: Mapping[str, str] = field(repr=False)  # digests as they were written here
    stamps: Mapping[str, int] = field(repr=False)

    def tampered(self, *, own: frozenset[str] | None = frozenset()) -> list[str]:
        """List the changes since the commit was written here, in words; [] where there are none.
        `own` are files beside the commit's that its agent makes when it is alone; None where nobody knows them: then
        modules alone count. Costs reading every file."""
        found = [why for path in self.files.blobs if (why := self._difference(path))]
        others = [path for path in self.beside() if not _is_own(path, own)]
        return found + [f"{path} is no file of {self.files.commit[:12]}" for path in others]

    def _difference(self, path: str) -> str:
        place = self.folder / path
        if self.files.blobs[path][0] == MODULE:
            return ""
        try:
            if _digest_of_file(place) != self.contents[path]:
                return f"{path} is not the file of {self.files.commit[:12]} any more"
            return "" if os.lstat(place).st_ctime_ns == self.stamps[path] else f"{path} was written, and put back"
        except OSError:
            return f"{path} is gone"

    def beside(self) -> list[str]:
        """Files that are none of the commit's: those that can be imported, and what its .gitignore does not name."""
        paths = []
        for folder, _, names in os.walk(self.folder):
            inside = Path(folder).relative_to(self.folder)
            paths += [(inside / name).as_posix() for name in names]
        others = [path for path in paths if path not in self.files.blobs]
        ignored = _ignored(self.folder, [one for one in others if not one.endswith(IMPORTED)])
        return sorted(one for one in others if one not in ignored and "/var/" not in f"/{one}"[: -len(Path(one).name)])


def _is_own(path: str, own: frozenset[str] | None) -> bool:
    """Whether the commit's agent makes such a file: a module by its name, another by its folder and ending, since many
    are called after the time."""
    if path.endswith(IMPORTED):
        return path in (own or ())
    kinds = None if own is None else {(PurePosixPath(one).parent, PurePosixPath(one).suffix) for one in own}
    return kinds is None or (PurePosixPath(path).parent, PurePosixPath(path).suffix) in kinds


def files_of(folder: Path, commit: str) -> CommitFiles:
    """Read the commit's trees, and hash each. Raises `ProjectError` for objects that are not what their names say."""
    blobs: dict[str, tuple[str, str]] = {}
    with ObjectReader(folder) as reader:
        text = _object(reader, commit, "commit")
        waiting = [("", text.split(b"\n", 1)[0].removeprefix(b"tree ").decode())]
        while waiting:
            inside, tree = waiting.pop()
            for mode, name, blob in _entries(_object(reader, tree, "tree"), len(commit) // 2):
                if mode == FOLDER:
                    waiting.append((f"{inside}{name}/", blob))
                else:
                    blobs[f"{inside}{name}"] = (mode, blob)
            if len(blobs) > MAX_FILES:
                raise ProjectError(f"{commit[:12]} has more than {MAX_FILES:,} files")
    return CommitFiles(commit=commit, blobs=blobs)


@contextmanager
def commit_tree(root: Path, files: CommitFiles) -> Iterator[CommitTree]:
    """The files in a new folder, which is gone afterwards. Only this user can write to them."""
    with TemporaryDirectory(prefix="ratiba-base-") as parent:
        folder = Path(parent) / "tree"
        folder.mkdir()
        if agent_prefix(folder):  # as another user, it may be
            Path(parent).chmod(0o755)
        contents = {}
        with ObjectReader(root) as reader:
            for path, (mode, blob) in files.blobs.items():
                contents[path] = _write(reader, root, folder / path, mode, blob, f"{files.commit}:{path}")
        stamps = {
            path: os.lstat(folder / path).st_ctime_ns for path, (mode, _) in files.blobs.items() if mode != MODULE
        }
        yield CommitTree(folder=folder, files=files, contents=contents, stamps=stamps)


@contextmanager
def commit_folder(root: Path, commit: str) -> Iterator[Path]:
    """The files of a commit in a new folder, to be read and not to be played."""
    with commit_tree(root, files_of(root, commit)) as tree:
        yield tree.folder


def changed_beside_the_commit(root: Path, files: CommitFiles) -> list[str]:
    """Files of the working tree that are not the commit's, whatever the index says of them: other content, or gone."""
    return [path for path, (mode, blob) in files.blobs.items() if mode != MODULE and not _is(root, path, blob)]


@dataclass(frozen=True, kw_only=True)
class OtherFiles:
    """These are the files of a working tree that are not in the commit.
    `ignored` are those that its .gitignore names, `untracked` the others."""

    ignored: tuple[str, ...] = ()
    untracked: tuple[str, ...] = ()


def files_beside(root: Path, files: CommitFiles, *, ours: Iterable[Path] = ()) -> OtherFiles:
    """Of the working tree, without environments of packages, what Python compiled, state of ours (`var/`), and `ours`:
    places that this command writes to. Costs a look at each folder."""
    left_out = {path.resolve() for path in ours}
    others = []
    for folder, inside, names in os.walk(root):
        here = Path(folder)
        inside[:] = [name for name in inside if not _is_apart(here / name, left_out)]
        paths = [(here / name, (here / name).relative_to(root).as_posix()) for name in names]
        others += [
            name
            for path, name in paths
            if name not in files.blobs and path.name != ".git" and path.resolve() not in left_out
        ]
    ignored = _ignored(root, others)
    return OtherFiles(
        ignored=tuple(one for one in others if one in ignored),
        untracked=tuple(one for one in others if one not in ignored),
    )


def _is_apart(folder: Path, left_out: Container[Path]) -> bool:
    if folder.name in (".git", "__pycache__", "node_modules", "var") or folder.name.endswith(".egg-info"):
        return True
    return (folder / "pyvenv.cfg").exists() or (folder / "CACHEDIR.TAG").exists() or folder.resolve() in left_out


def _is(root: Path, path: str, blob: str) -> bool:
    try:
        content = _content(root / path)
    except OSError:
        return False
    if blob in (_digest(content, blob), _digest(content.replace(b"\r\n", b"\n"), blob)):
        return True
    with ObjectReader(root) as reader:
        stored = _object(reader, blob, "blob")
    if stored.startswith(_LARGE_FILE):
        return f"oid sha256:{hashlib.sha256(content).hexdigest()}\n".encode() in stored
    return stored.startswith(_ENCRYPTED)


def _write(reader: ObjectReader, root: Path, place: Path, mode: str, blob: str, name: str) -> str:
    """Write one file; the digest of what stands there now."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if mode == MODULE:
        place.mkdir(exist_ok=True)
        return ""
    content = _object(reader, blob, "blob")
    if mode == LINK:
        os.symlink(os.fsdecode(content), place)
        return _digest_of_file(place)
    if content.startswith((_LARGE_FILE, _ENCRYPTED)):
        content = _converted(root, name, content)
    with place.open("xb") as file:
        file.write(content)
    if mode == PROGRAM:
        place.chmod(0o755)
    return _digest_of_file(place)


def _converted(root: Path, name: str, content: bytes) -> bytes:
    """Return the content behind the stored text of a large or encrypted file, where this clone can tell.
    The content of a large file is accepted only where it has the digest that the stored text names."""
    done = subprocess.run(
        ["git", "cat-file", "--filters", name], cwd=root, env=environment_of_git(), capture_output=True, check=False
    )
    large = content.startswith(_LARGE_FILE)
    named = f"oid sha256:{hashlib.sha256(done.stdout).hexdigest()}\n".encode() in content
    return done.stdout if done.returncode == 0 and (named or not large) else content


def _object(reader: ObjectReader, name: str, kind: str) -> bytes:
    content = reader.content(name)
    if _digest(content, name, kind) != name:
        raise ProjectError(f"git's object {name[:12]} is not what its name says: fetch the repository anew")
    return content


def _entries(tree: bytes, digest_bytes: int) -> Iterator[tuple[str, str, str]]:
    at = 0
    while at < len(tree):
        end = tree.index(b"\0", at)
        mode, _, name = tree[at:end].partition(b" ")
        at = end + 1 + digest_bytes
        text = os.fsdecode(name)
        if text in ("", ".", "..") or "/" in text or text.lower() == ".git":
            raise ProjectError(f"the commit has a file named {text!r}")
        yield mode.decode(), text, tree[end + 1 : at].hex()


def _digest(content: bytes, like: str, kind: str = "blob") -> str:
    made = hashlib.sha1(usedforsecurity=False) if len(like) == 40 else hashlib.sha256()
    made.update(f"{kind} {len(content)}\0".encode() + content)
    return made.hexdigest()


def _digest_of_file(place: Path) -> str:
    return hashlib.sha256(_content(place)).hexdigest()


def _content(place: Path) -> bytes:
    return os.fsencode(os.readlink(place)) if place.is_symlink() else place.read_bytes()


def _ignored(tree: Path, paths: Sequence[str]) -> frozenset[str]:
    """Those that the tree's own .gitignore names, whatever the clone or the user leaves out besides."""
    if not paths:
        return frozenset()
    with TemporaryDirectory(prefix="ratiba-none-") as none:
        git(Path(none), "init", "--quiet", "--bare", "--template=", none)
        words = ("git", "-c", f"core.excludesFile={os.devnull}", f"--git-dir={none}", f"--work-tree={tree}")
        done = subprocess.run(
            [*words, "check-ignore", "--no-index", "-z", "--stdin"],
            cwd=tree,
            env=environment_of_git(),
            input="\0".join(paths).encode("utf-8", "surrogateescape"),
            capture_output=True,
            check=False,
        )
    return frozenset(one for one in os.fsdecode(done.stdout).split("\0") if one)

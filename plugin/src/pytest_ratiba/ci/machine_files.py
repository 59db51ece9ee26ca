"""What the agent can open and no commit has: files beside those of the commit, ignored ones and caches included, and
what lies on the machine where a job of before may have left it."""

import os
import tempfile
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from pytest_ratiba.commit_tree import CommitFiles
from pytest_ratiba.repository_process import agent_prefix

MOST = 2_000  # of one place
PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/opt", "/srv")  # noqa: S108 - looked at, never written to
_PACKAGES = (".git", "node_modules")
_CACHES = (*_PACKAGES, ".cache", "__pycache__", "site-packages")


def files_of_no_commit(root: Path, files: CommitFiles, *, ours: Iterable[Path] = ()) -> dict[str, Path]:
    """By name as people write it: `var/notes.txt` of the working tree, `~/notes.txt` of the home folder, and files of
    folders for temporary files, `/opt` and `/srv`; without environments and databases, modules as Python compiles them
    from a source of now, and `ours`, which this command writes. None of a place that has more than MOST: that of a
    person, and not of an agent's user. Costs a look at each folder."""
    words = [one.partition("=")[2] for one in agent_prefix(root) if one.startswith("HOME=")]
    home = Path(words[-1] if words else os.path.expanduser("~"))
    beside = _files(root, "", {*ours}, _PACKAGES)
    found = {name: path for name, path in beside.items() if name not in files.blobs}
    found |= _files(home, "~/", {root}, _CACHES)
    for place in dict.fromkeys((tempfile.gettempdir(), *PLACES)):
        others = {root, home, *map(Path, PLACES), *ours} - {Path(place)}
        found |= _files(Path(place), f"{place}/", others, _CACHES)
    return found


def links_out(root: Path, changed: Iterable[str]) -> list[str]:
    """Changed links that lead out of the repository, as sentences: what stands there is no part of the change."""
    whole = root.resolve()
    links = [path for path in changed if (root / path).is_symlink()]
    out = [path for path in links if not _is_inside((root / path).resolve(), whole)]
    where = "outside of the repository: what stands there is no part of the change"
    return [f"{path} is a link to {os.readlink(root / path)}, {where}" for path in out[:5]]


def _is_inside(path: Path, root: Path) -> bool:
    return path.is_relative_to(root) and not path.is_relative_to(root / ".git")


def _files(place: Path, shown: str, others: Collection[Path], left_out: Collection[str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in _walked(place, others, left_out):
        found[f"{shown}{path.relative_to(place).as_posix()}"] = path
        if len(found) > MOST:
            return {}
    return found


def _walked(place: Path, others: Collection[Path], left_out: Collection[str]) -> Iterator[Path]:
    for folder, inside, names in os.walk(place):
        here = Path(folder)
        inside[:] = [one for one in inside if one not in left_out and not _is_apart(here / one, others)]
        paths = (here / name for name in names)
        yield from (path for path in paths if path not in others and not _is_compiled(path))


def _is_apart(folder: Path, others: Collection[Path]) -> bool:
    return folder in others or any((folder / name).exists() for name in ("pyvenv.cfg", ".git", "PG_VERSION"))


def _is_compiled(path: Path) -> bool:
    """Python's own of the source that stands beside it now: by its time and size, as Python looks (PEP 552)."""
    if path.suffix != ".pyc" or path.parent.name != "__pycache__":
        return False
    try:
        head = path.open("rb").read(16)
        source = os.stat(path.parent.parent / f"{path.name.partition('.')[0]}.py")
    except OSError:
        return False
    stamp = (0, int(source.st_mtime) & 0xFFFFFFFF, source.st_size & 0xFFFFFFFF)
    return stamp == tuple(int.from_bytes(head[at : at + 4], "little") for at in (4, 8, 12))

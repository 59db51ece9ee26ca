"""Find the files that the agent can open and that are in no commit.
These are files beside those of the commit, ignored files and caches included, and files on the machine that an
earlier job may have left there."""

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_ratiba.commit_tree import CommitFiles
from pytest_ratiba.processes import environment_of_the_agent
from pytest_ratiba.repository_process import agent_prefix

MOST = 2_000  # of one place
PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/opt", "/srv")  # noqa: S108 - looked at, never written to
_PACKAGES = (".git", "node_modules")
_CACHES = (*_PACKAGES, ".cache", "__pycache__", "site-packages")
_READABLE = 'id -u; while IFS= read -r one; do if [ -r "$one" ]; then printf "%s\\n" "$one"; fi; done'
_PATH_OF_MAP = 5  # of the columns in /proc/PID/maps


@dataclass(frozen=True, kw_only=True)
class MachineFiles:
    """By name as people write it: `files` that the agent's user can read, and `folders` of the machine in which new
    ones may come to be. `user` is the agent's number, None where it is that of this command."""

    files: Mapping[str, Path]
    folders: Mapping[str, Path]
    user: int | None = None

    def without_others(self, names: Mapping[str, Path], *, made: bool) -> list[str]:
        """Those that no other process has open now that the agent is gone; what was made is there, and its user's."""
        held = held_files(but=self.user)
        return sorted(
            name
            for name, path in names.items()
            if os.path.realpath(path) not in held and (not made or self._is_the_agents(path))
        )

    def _is_the_agents(self, path: Path) -> bool:
        with contextlib.suppress(OSError):
            return (path.is_file() or path.is_dir()) and self.user in (None, path.stat().st_uid)
        return False


def files_of_no_commit(root: Path, files: CommitFiles, *, ours: Iterable[Path] = ()) -> MachineFiles:
    """`var/notes.txt` of the working tree, `~/notes.txt` of the home folder, and files of folders for temporary files,
    `/opt` and `/srv`; without environments and databases, modules as Python compiles them from a source of now, `ours`,
    which this command writes, what the agent's user cannot read, and what another process has open. None of a place
    that has more than MOST: that of a person, and not of an agent's user. Costs a look at each folder and process."""
    words = [one.partition("=")[2] for one in agent_prefix(root) if one.startswith("HOME=")]
    home = Path(words[-1] if words else os.path.expanduser("~"))
    beside = _walked(root, "", {*ours}, _PACKAGES)
    found = {name: path for name, path in beside.items() if name not in files.blobs}
    outside = _walked(home, "~/", {root}, _CACHES)
    for place in dict.fromkeys((tempfile.gettempdir(), *PLACES)):
        others = {root, home, *map(Path, PLACES), *ours} - {Path(place)}
        outside |= _walked(Path(place), f"{place}/", others, _CACHES)
    found |= {name: path for name, path in outside.items() if not name.endswith("/")}
    user, readable = _agents(root, [path for path in found.values() if path.is_file()])
    held = held_files(but=user)
    return MachineFiles(
        files={name: path for name, path in found.items() if path in readable and os.path.realpath(path) not in held},
        folders={name: path for name, path in outside.items() if name.endswith("/")},
        user=user,
    )


def held_files(*, but: int | None = None) -> frozenset[str]:
    """Paths that processes of this machine have open or mapped, as far as /proc tells us; without those of user `but`.
    Empty where there is no /proc."""
    found: set[str] = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended, or is not ours to look at
            if process.stat().st_uid != but:
                found |= {line.split(maxsplit=_PATH_OF_MAP)[-1] for line in (process / "maps").read_text().splitlines()}
                for one in (process / "fd").iterdir():
                    with contextlib.suppress(OSError):
                        found.add(os.readlink(one))
    return frozenset(found)


def links_out(root: Path, changed: Iterable[str]) -> list[str]:
    """Changed links that lead out of the repository, as sentences: what stands there is no part of the change."""
    whole = root.resolve()
    links = [path for path in changed if (root / path).is_symlink()]
    out = [path for path in links if not _is_inside((root / path).resolve(), whole)]
    where = "outside of the repository: what stands there is no part of the change"
    return [f"{path} is a link to {os.readlink(root / path)}, {where}" for path in out[:5]]


def _agents(root: Path, paths: Collection[Path]) -> tuple[int | None, set[Path]]:
    """The number of the agent's user, where it is another, and which of these it can read. A shell tells it, as that
    user: nothing of the agent's environment has a word in it."""
    prefix = agent_prefix(root)
    if not prefix:
        return None, {path for path in paths if os.access(path, os.R_OK)}
    sent = {path for path in paths if "\n" not in str(path)}
    text = b"".join(os.fsencode(path) + b"\n" for path in sent)
    words, environment = [*prefix, "sh", "-c", _READABLE], environment_of_the_agent()
    done = subprocess.run(words, cwd=root, env=environment, input=text, capture_output=True, check=False)
    user, *lines = done.stdout.splitlines()
    if done.returncode or not user.isdigit():
        return None, {*paths}
    readable = {Path(os.fsdecode(line)) for line in lines} | ({*paths} - sent)
    return (None if int(user) == os.geteuid() else int(user)), readable


def _is_inside(path: Path, root: Path) -> bool:
    return path.is_relative_to(root) and not path.is_relative_to(root / ".git")


def _walked(place: Path, shown: str, others: Collection[Path], left_out: Collection[str]) -> dict[str, Path]:
    """Files, and folders with a `/` behind their name."""
    found: dict[str, Path] = {}
    for path, end in _each(place, others, left_out):
        inside = path.relative_to(place).as_posix() if path != place else ""
        found[f"{shown}{inside}{end if inside else ''}"] = path
        if len(found) > MOST:
            return {}
    return found


def _each(place: Path, others: Collection[Path], left_out: Collection[str]) -> Iterator[tuple[Path, str]]:
    for folder, inside, names in os.walk(place):
        here = Path(folder)
        yield here, "/"
        inside[:] = [one for one in inside if one not in left_out and not _is_apart(here / one, others)]
        paths = (here / name for name in names)
        yield from ((path, "") for path in paths if path not in others and not _is_compiled(path))


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

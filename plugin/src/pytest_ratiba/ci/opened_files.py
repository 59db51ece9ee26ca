"""Find the changed files that the agents open while they are played.
The agents may be written in any language: the kernel tells of the files (inotify), and the code of the agents is not
looked at."""

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from pytest_ratiba.ci.machine_files import MachineFiles
from pytest_ratiba.portable.changes.followed_texts import CODE
from pytest_ratiba.portable.changes.version_files import is_dependency_file

MAX_WATCHED = 2_000
_OPENED, _MADE, _ONCE = 0x20, 0x180, 0x80000000  # IN_OPEN, IN_CREATE and IN_MOVED_TO, IN_ONESHOT of inotify(7)
_EVENT = struct.Struct("iIII")


@dataclass(kw_only=True)
class Watched:
    """A `Watched` holds the files that were looked at, by name, and the events that were seen on them.
    `opened` are the files that were opened, `made` those that came to be in the folders. `unknown` says why this
    cannot be told; it is "" where it can."""

    names: set[str] = field(default_factory=set)
    opened: set[str] = field(default_factory=set)
    made: dict[str, Path] = field(default_factory=dict)
    unknown: str = ""


@contextmanager
def watching(paths: Mapping[str, Path], folders: Mapping[str, Path] = MappingProxyType({})) -> Iterator[Watched]:
    """Look at these files and folders while the block runs; those that are not there are left out."""
    found = Watched()
    if not (paths or folders) or sys.platform != "linux":
        found.unknown = "this system does not tell which files a process opens" if paths else ""
        yield found
        return
    descriptor = int(_libc().inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
    if descriptor < 0:
        found.unknown = f"the kernel does not tell which files are opened ({os.strerror(ctypes.get_errno())})"
        yield found
        return
    try:
        numbers: dict[int, set[str]] = {}
        shown = {
            _libc().inotify_add_watch(descriptor, os.fsencode(path), _MADE): name for name, path in folders.items()
        }
        for name, path in paths.items():
            if not path.is_file():
                continue
            watch = _libc().inotify_add_watch(descriptor, os.fsencode(path), _OPENED | _ONCE)
            if watch < 0 and ctypes.get_errno() != errno.ENOENT:
                found.unknown = f"{name} cannot be watched ({os.strerror(ctypes.get_errno())})"
            numbers.setdefault(watch, set()).add(name)
            found.names.add(name)
        yield found
        for watch, made in _events(descriptor):
            found.opened |= numbers.get(watch, set()) if not made else set()
            if made and watch in shown:
                found.made[f"{shown[watch]}{made}"] = folders[shown[watch]] / made
    finally:
        os.close(descriptor)


class OpenedFiles:
    """Of one gate. `opened` are paths below the root; `unread` those that the candidate was played beside and did not
    open, `unreadable` changed ones that it did and that are no text, `outside` all that lay there before anything was
    played (None: nobody looked).
    `unknown` says why it cannot be told."""

    def __init__(self, changed: Iterable[str], *, outside: MachineFiles | None = None) -> None:
        self.unreadable: set[str] = set()
        self.outside = outside
        self._seen, self._others = Watched(), Watched()  # while the candidate was played, and while no agent was
        self.opened: set[str] = set()
        self.unread: set[str] = set()
        self._tried: set[str] = set()
        self._texts = [one for one in changed if not one.endswith(CODE) and not is_dependency_file(one)]
        many = len(self._texts) > MAX_WATCHED
        self.unknown = f"more than {MAX_WATCHED:,} files changed" if many else ""

    @contextmanager
    def watched(self, root: Path, *, candidate: bool = False) -> Iterator[None]:
        """Look at these files of one tree while the block runs. Code and lists of versions are looked at by their
        names: every agent opens them."""
        paths = {} if self.unknown else {name: root / name for name in self._texts}
        seen = self._watching_outside(self._seen) if candidate else nullcontext()
        with watching(paths) as found, seen:  # the kernel watches no more than it wants to: the change's own come first
            yield
        self.unknown = self.unknown or found.unknown
        self.opened |= found.opened
        if candidate and not found.unknown:
            self._tried |= found.opened
            self.unreadable |= {name for name in found.opened if _is_binary(root / name)}
            self.unread = (self.unread | found.names) - self._tried

    @contextmanager
    def no_agent_runs(self) -> Iterator[None]:
        """While the block runs, count opened and new files on the machine as those of other processes."""
        with self._watching_outside(self._others):
            yield

    def elsewhere(self) -> list[str]:
        """Files of no commit that were opened while the candidate was played, and that nobody else has to do with."""
        if self.outside is None:
            return []
        names = self._seen.opened - self._others.opened
        return self.outside.without_others({name: self.outside.files[name] for name in names}, made=False)

    def left(self) -> list[str]:
        """List the files that the candidate has left on the machine."""
        names = {name: path for name, path in self._seen.made.items() if name not in self._others.made}
        return self.outside.without_others(names, made=True) if self.outside else []

    @contextmanager
    def _watching_outside(self, seen: Watched) -> Iterator[None]:
        if self.outside is None:
            yield
            return
        with watching(self.outside.files, self.outside.folders) as found:
            yield
        seen.opened |= found.opened
        seen.made |= found.made


def _is_binary(path: Path) -> bool:
    try:
        return b"\0" in path.read_bytes()
    except OSError:  # whoever took it away in the meantime is told so elsewhere
        return False


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _events(descriptor: int) -> Iterator[tuple[int, str]]:
    """Numbers of watches, with the name of what came to be there, "" for what was opened."""
    while True:
        try:
            content = os.read(descriptor, 1 << 20)
        except BlockingIOError:
            return
        at = 0
        while at < len(content):
            watch, mask, _, length = _EVENT.unpack_from(content, at)
            name = os.fsdecode(content[at + _EVENT.size :][:length].rstrip(b"\0"))
            at += _EVENT.size + length
            if mask & (_OPENED | _MADE):
                yield watch, name if mask & _MADE else ""

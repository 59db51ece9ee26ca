"""Which of the changed files the agents open while they are played, whatever they are written in: the kernel tells it
(inotify), and not the code that is looked at."""

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pytest_ratiba.portable.changes.followed_texts import CODE
from pytest_ratiba.portable.changes.version_files import is_dependency_file

MOST_WATCHED = 2_000
_OPENED, _ONCE = 0x20, 0x80000000  # IN_OPEN, IN_ONESHOT of inotify(7)
_EVENT = struct.Struct("iIII")


@dataclass(kw_only=True)
class Watched:
    """What was looked at by name, what of it was opened, and why it cannot be told, "" where it can."""

    names: set[str] = field(default_factory=set)
    opened: set[str] = field(default_factory=set)
    unknown: str = ""


@contextmanager
def watching(paths: Mapping[str, Path]) -> Iterator[Watched]:
    """Look at these files while the block runs; those that are not there are left out."""
    found = Watched()
    if not paths or sys.platform != "linux":
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
        for name, path in paths.items():
            if not path.is_file():
                continue
            watch = _libc().inotify_add_watch(descriptor, os.fsencode(path), _OPENED | _ONCE)
            if watch < 0 and ctypes.get_errno() != errno.ENOENT:
                found.unknown = f"{name} cannot be watched ({os.strerror(ctypes.get_errno())})"
            numbers.setdefault(watch, set()).add(name)
            found.names.add(name)
        yield found
        found.opened.update(*(numbers.get(watch, ()) for watch in _told(descriptor)))
    finally:
        os.close(descriptor)


class OpenedFiles:
    """Of one gate. `opened` are paths below the root; `unread` those that the candidate was played beside and did not
    open, `elsewhere` those of no commit that it did, `unreadable` changed ones that it did and that are no text,
    `outside` all that lay there before anything was played (None: nobody looked).
    `unknown` says why it cannot be told."""

    def __init__(self, changed: Iterable[str], *, outside: Mapping[str, Path] | None = None) -> None:
        self.elsewhere: set[str] = set()
        self.unreadable: set[str] = set()
        self.outside = outside
        self.opened: set[str] = set()
        self.unread: set[str] = set()
        self._tried: set[str] = set()
        self._texts = [one for one in changed if not one.endswith(CODE) and not is_dependency_file(one)]
        many = len(self._texts) > MOST_WATCHED
        self.unknown = f"more than {MOST_WATCHED:,} files changed" if many else ""

    @contextmanager
    def watched(self, root: Path, *, candidate: bool = False) -> Iterator[None]:
        """Look at these files of one tree while the block runs. Code and lists of versions are looked at by their
        names: every agent opens them."""
        paths = {} if self.unknown else {name: root / name for name in self._texts}
        with watching(paths) as found, watching((self.outside or {}) if candidate else {}) as others:
            yield
        self.elsewhere |= others.opened  # the kernel watches no more than it wants to: the change's own come first
        self.unknown = self.unknown or found.unknown
        self.opened |= found.opened
        if candidate and not found.unknown:
            self._tried |= found.opened
            self.unreadable |= {name for name in found.opened if _is_binary(root / name)}
            self.unread = (self.unread | found.names) - self._tried


def _is_binary(path: Path) -> bool:
    try:
        return b"\0" in path.read_bytes()
    except OSError:  # whoever took it away in the meantime is told so elsewhere
        return False


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _told(descriptor: int) -> Iterator[int]:
    while True:
        try:
            content = os.read(descriptor, 1 << 20)
        except BlockingIOError:
            return
        at = 0
        while at < len(content):
            watch, mask, _, length = _EVENT.unpack_from(content, at)
            at += _EVENT.size + length
            if mask & _OPENED:
                yield watch

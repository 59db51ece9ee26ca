"""Which of the changed files the agents open while they are played, whatever they are written in: the kernel tells it
(inotify), and not the code that is looked at."""

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_ratiba.portable.changes.followed_texts import CODE
from pytest_ratiba.portable.changes.version_files import is_dependency_file

MOST_WATCHED = 2_000
_OPENED, _ONCE = 0x20, 0x80000000  # IN_OPEN, IN_ONESHOT of inotify(7)
_EVENT = struct.Struct("iIII")


class OpenedFiles:
    """Of one gate. `opened` are paths below the root; `unread` those that the candidate was played beside and did not
    open. `unknown` says why it cannot be told."""

    def __init__(self, changed: Iterable[str]) -> None:
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
        descriptor = self._begun()
        if descriptor is None:
            yield
            return
        try:
            names = self._watches(descriptor, root)
            yield
            opened = {names[watch] for watch in _told(descriptor) if watch in names}
            self.opened |= opened
            if candidate:
                self._tried |= opened
                self.unread = (self.unread | {*names.values()}) - self._tried
        finally:
            os.close(descriptor)

    def _begun(self) -> int | None:
        if self.unknown or not self._texts:
            return None
        if sys.platform != "linux":
            self.unknown = "this system does not tell which files a process opens"
            return None
        descriptor = int(_libc().inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        if descriptor < 0:
            self.unknown = f"the kernel does not tell which files are opened ({os.strerror(ctypes.get_errno())})"
            return None
        return descriptor

    def _watches(self, descriptor: int, root: Path) -> dict[int, str]:
        names = {}
        for name in self._texts:
            path = root / name
            if not path.is_file():
                continue
            watch = _libc().inotify_add_watch(descriptor, os.fsencode(path), _OPENED | _ONCE)
            if watch < 0 and ctypes.get_errno() != errno.ENOENT:
                self.unknown = f"{name} cannot be watched ({os.strerror(ctypes.get_errno())})"
            names[watch] = name
        return names


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

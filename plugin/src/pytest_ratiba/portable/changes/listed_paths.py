"""A list of changed paths that somebody made with git: one a line, or separated by NUL.

Git quotes a name with signs that a terminal could mistake (`git diff --name-only` without `-z`); it is read back.
"""

import re
from pathlib import PurePosixPath

MAX_PATHS = 100_000
MAX_BYTES = 20_000_000

_ESCAPE = re.compile(rb'\\([abtnvfr"\\]|[0-7]{3})')
_SIGNS = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}


class ListRefused(ValueError):
    """The list cannot be used; the sentence says why. `line` is the number of its line, 0 for the whole list."""

    def __init__(self, sentence: str, *, line: int = 0) -> None:
        super().__init__(sentence)
        self.line = line


def read_listed_paths(raw: bytes) -> list[str]:
    """The paths, relative to the repository's root; blank lines count for nothing. Read at most MAX_BYTES + 1 into it.

    Raises ListRefused for a path that is absolute or climbs or is no UTF-8, beyond MAX_PATHS or MAX_BYTES, and for a
    list without a path: a diff that failed leaves one.
    """
    if len(raw) > MAX_BYTES:
        raise ListRefused(f"is larger than {MAX_BYTES:,} bytes: name the files that matter")
    entries = raw.split(b"\0") if b"\0" in raw else raw.splitlines()
    paths = [_path(entry, line) for line, entry in enumerate(entries, start=1) if entry.strip()]
    if len(paths) > MAX_PATHS:
        raise ListRefused(f"names {len(paths):,} files, more than {MAX_PATHS:,}: name those that matter")
    if not paths:
        raise ListRefused("names no file; did `git diff` fail, or is the clone shallow?")
    return paths


def _path(entry: bytes, line: int) -> str:
    try:
        name = _unquoted(entry).decode("utf-8")
    except UnicodeDecodeError:
        raise ListRefused("is not UTF-8", line=line) from None
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ListRefused(f"{name[:80]!r} is no path inside the repository", line=line)
    return str(path)


def _unquoted(entry: bytes) -> bytes:
    """As git's `core.quotePath` wrote it: "prompts/\\303\\274.txt" is prompts/ü.txt."""
    inner = entry.strip()
    if not (len(inner) > 1 and inner.startswith(b'"') and inner.endswith(b'"')):
        return entry
    return _ESCAPE.sub(lambda found: bytes([_SIGNS.get(found[1]) or int(found[1], 8) & 255]), inner[1:-1])

"""A list of changed paths that somebody made with git: one a line, or separated by NUL.

Git quotes a name with signs that a terminal could mistake (`git diff --name-only` without `-z`); it is read back.
"""

import re
from pathlib import Path, PurePosixPath

from pytest_ratiba.errors import ProjectError

_ESCAPE = re.compile(rb'\\([abtnvfr"\\]|[0-7]{3})')
_SIGNS = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}


def read_changed_paths(file: Path) -> list[str]:
    """The paths, relative to the repository's root. Raises `ProjectError` for a file that cannot be read, for a path
    outside the repository (with its line), and for a list without a path: a diff that failed leaves one."""
    where = f"--changed-files {file}"
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise ProjectError(f"cannot be read: {error.strerror}", where=where) from error
    entries = raw.split(b"\0") if b"\0" in raw else raw.splitlines()
    paths = []
    for number, entry in enumerate(entries, start=1):
        if not entry.strip():
            continue
        try:
            name = _unquoted(entry).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ProjectError("is not UTF-8", where=f"{where}:{number}") from error
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts:
            raise ProjectError(f"{name!r} is no path inside the repository", where=f"{where}:{number}")
        paths.append(str(path))
    if not paths:
        raise ProjectError("names no file; did `git diff` fail, or is the clone shallow?", where=where)
    return paths


def _unquoted(entry: bytes) -> bytes:
    """As git's `core.quotePath` wrote it: "prompts/\\303\\274.txt" is prompts/ü.txt."""
    if not (len(entry) > 1 and entry.startswith(b'"') and entry.endswith(b'"')):
        return entry
    return _ESCAPE.sub(lambda found: bytes([_SIGNS.get(found[1]) or int(found[1], 8) & 255]), entry[1:-1])

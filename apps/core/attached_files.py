"""Files that go with a turn, from the folder of the file that names them: read by commands, never by the server.

A document's `path` is a label that somebody wrote. It is opened only beside the file it stands in, only by the person
who runs the command, and never through a link.
"""

import hashlib
import mimetypes
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath

from apps.core.errors import BadInput

MAX_BYTES = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedFile:
    """A file's bytes as they are sent to an agent; `sha256` is their digest in hex."""

    name: str
    content: bytes = field(repr=False)
    media_type: str = ""

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def kind(self) -> str:
        """The media type, guessed from the name where none was given."""
        return self.media_type or mimetypes.guess_type(self.name)[0] or "application/octet-stream"


def read_beside(folder: Path, path: str, *, name: str = "", sha256: str = "", pointer: str = "") -> AttachedFile:
    """The file at `path` inside `folder`, which stands in for the folder of the document that names it.

    Raises BadInput, with `pointer`, for an absolute path, one with `..`, one that leads through a link, what is no
    ordinary file, what is larger than MAX_BYTES, and content that has another digest than the document says.
    """
    parts = _parts(path, pointer)
    try:
        content = _read(folder, parts)
    except OSError as error:
        raise _refused(path, f"cannot be read beside the document: {error.strerror}", pointer) from error
    if len(content) > MAX_BYTES:
        raise _refused(path, f"is larger than {MAX_BYTES:,} bytes", pointer)
    file = AttachedFile(name=name or parts[-1], content=content)
    if sha256 and sha256.lower() != file.sha256:
        raise _refused(path, f"is not the file the document means: its sha256 is {file.sha256}", pointer)
    return file


def _parts(path: str, pointer: str) -> tuple[str, ...]:
    parts = PurePosixPath(path).parts
    outside = PurePosixPath(path).is_absolute() or PureWindowsPath(path).drive or "\\" in path or "\0" in path
    if not parts or outside or ".." in parts:
        raise _refused(path, "must be a path inside the document's folder, without ..", pointer)
    return parts


def _read(folder: Path, parts: tuple[str, ...]) -> bytes:
    """Each step is opened below the one before and none may be a link, so nothing can be swapped on the way."""
    here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = below
        # Not blocking: a pipe of that name would be waited for.
        file = os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)
    finally:
        os.close(here)
    with os.fdopen(file, "rb") as opened:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(0, "it is no ordinary file")
        return opened.read(MAX_BYTES + 1)


def _refused(path: str, why: str, pointer: str) -> BadInput:
    return BadInput(f"the attachment {path[:200]!r} {why}", code="bad_attachment", pointer=pointer or None)

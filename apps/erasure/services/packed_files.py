"""Words in packed files: they are unpacked in memory, crossed out, and packed anew in the place of the old file.

What it held before is overwritten with zeros once the new file stands, so that its bytes are not left on the disk.
"""

import bz2
import gzip
import io
import lzma
import os
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO, Protocol

MAX_BYTES = 128 * 1024 * 1024  # unpacked, all members together: a small file may hold a large one
MAX_MEMBERS = 5_000
_STREAMS = {".gz": gzip, ".bz2": bz2, ".xz": lzma}
_ARCHIVES = frozenset({".zip", ".xlsx", ".docx", ".ods"})
_NESTED = frozenset({*_STREAMS, *_ARCHIVES, ".7z", ".zst", ".parquet", ".pdf"})
_BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, NotImplementedError, ValueError)


class CrossOut(Protocol):
    """Counts the words in a file, and overwrites them where it may write."""

    def __call__(self, file: BinaryIO, *, write: bool) -> int: ...


class PackedFileError(Exception):
    """Error of a packed file that cannot be opened: broken, encrypted, too large, or packed within a pack."""


def is_packed(path: Path) -> bool:
    """Tell whether the file is of a form that is opened here."""
    return path.suffix in _STREAMS or path.suffix in _ARCHIVES


def erase_in_packed(path: Path, cross_out: CrossOut, *, write: bool) -> int:
    """Count the words in a packed file; with `write`, pack it anew without them.

    Raises PackedFileError and OSError, and then the file is as it was. Costs its unpacked size in memory, twice where
    words were found.
    """
    try:
        if path.suffix in _STREAMS:
            return _in_stream(path, cross_out, write)
        return _in_archive(path, cross_out, write)
    except _BROKEN as error:
        raise PackedFileError(str(error)) from error


def _in_stream(path: Path, cross_out: CrossOut, write: bool) -> int:
    form = _STREAMS[path.suffix]
    with form.open(path, "rb") as packed:
        plain = io.BytesIO(_bounded(packed.read, MAX_BYTES))
    hits = cross_out(plain, write=write)
    if hits and write:
        _replace(path, form.compress(plain.getvalue()))
    return hits


def _in_archive(path: Path, cross_out: CrossOut, write: bool) -> int:
    hits, left, members = 0, MAX_BYTES, list[tuple[zipfile.ZipInfo, bytes]]()
    with zipfile.ZipFile(path) as archive:
        listed = archive.infolist()
        if len(listed) > MAX_MEMBERS or any(Path(one.filename).suffix in _NESTED for one in listed):
            raise PackedFileError("it holds too many files, or packed ones")
        for one in listed:
            with archive.open(one) as member:
                plain = io.BytesIO(_bounded(member.read, left))
            left -= plain.getbuffer().nbytes
            hits += cross_out(plain, write=write)
            members.append((one, plain.getvalue()))
            if cross_out(io.BytesIO(one.filename.encode()), write=False):
                raise PackedFileError("the name of a file in it has the words")
    if hits and write:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for one, content in members:
                archive.writestr(one, content, compress_type=one.compress_type)
        _replace(path, packed.getvalue())
    return hits


def _bounded(read: Callable[[int], bytes], most: int) -> bytes:
    plain = read(most + 1)
    if len(plain) > most:
        raise PackedFileError("it is too large when it is unpacked")
    return plain


def _replace(path: Path, content: bytes) -> None:
    """The new file in the place of the old one, in one step; then the old one's bytes go."""
    with path.open("r+b") as old, NamedTemporaryFile(dir=path.parent, delete=False) as new:
        try:
            new.write(content)
            new.flush()
            os.fsync(new.fileno())
            os.chmod(new.name, path.stat().st_mode & 0o777)
            os.replace(new.name, path)
        except BaseException:
            os.unlink(new.name)
            raise
        size = os.fstat(old.fileno()).st_size
        old.seek(0)
        for begun in range(0, size, 1024 * 1024):
            old.write(b"\0" * min(1024 * 1024, size - begun))
        old.flush()
        os.fsync(old.fileno())

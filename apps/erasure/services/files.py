"""The log, reports, exports and whatever else stands in the state folder: words are overwritten where they stand.

A file keeps its length and its inode, so that who is writing to it goes on undisturbed; a packed one is packed anew
(packed_files). The cluster's own files (Postgres, the broker) are left alone: its tables are erased by SQL.
"""

import json
import os
import uuid
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from apps.erasure.domain.receipt import Receipt
from apps.erasure.domain.subject import DataSubject
from apps.erasure.domain.terms import Terms, terms_of
from apps.erasure.services.packed_files import CrossOut, PackedFileError, erase_in_packed, is_packed
from apps.tenants.context import current_slug
from apps.tenants.queries import known_slugs

_SKIPPED = frozenset({"pg", "valkey", "run", "static", "schema", "beat", "broker"})
_CLOSED = frozenset({".parquet", ".pdf", ".dump", ".7z", ".zst"})  # of a form that is not opened here
_LARGEST = 256 * 1024 * 1024


def erase_in_files(subject: DataSubject, receipt: Receipt, *, everywhere: bool, write: bool) -> None:
    """Overwrite the person's words in files, counted by file. Lines of the log that are of another tenant, and files in
    a folder below the first that has its name, stay as they are; in what belongs to no tenant numbers and addresses are
    overwritten, and names with `everywhere` alone: an owner of one tenant changes no file of others. Packed files are
    opened (packed_files); what cannot be is named in the receipt. Reads every file once."""
    full, sure = terms_of(subject), terms_of(replace(subject, names=[], customer_id=None))
    if not full:
        return
    others = set[str]() if everywhere else set(known_slugs()) - {current_slug()}
    for path in _files():
        below = _below(path)
        place = str(below)
        if path.suffix in _CLOSED:
            receipt.unreadable.append(place)
            continue
        folders = below.parts[1:-1]
        own = everywhere or current_slug() in folders
        terms = full if own else None if others.intersection(folders) else sure
        cross_out = partial(_cross_out, terms=terms, full=full)
        try:
            erase = erase_in_packed if is_packed(path) else _overwrite
            hits = erase(path, cross_out, write=write)
        except (OSError, PackedFileError):
            receipt.unreadable.append(place)
            continue
        if hits:
            receipt.files[place] += hits
            receipt.note_hit(place, "", f"{hits} times")


def node_key() -> str:
    """The key of this state folder: written into it once, so that a container made anew is the same node."""
    file = Path(settings.STATE_DIR) / "node_key"
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as made:
            made.write(str(uuid.uuid4()))
    except FileExistsError:
        pass
    return file.read_text(encoding="ascii").strip()


def _files() -> Iterator[Path]:
    state, log = Path(settings.STATE_DIR), Path(settings.LOG_DIR)
    seen = set[Path]()
    for root in (state, log, Path(settings.BASE_DIR) / ".deepeval-cache"):
        for folder, names, files in os.walk(root):
            if Path(folder) == state:
                names[:] = [one for one in names if one not in _SKIPPED]
            for name in files:
                path = Path(folder) / name
                is_kept = name.endswith((".lock", "_key")) or path.is_symlink() or not path.is_file() or path in seen
                if not is_kept:
                    seen.add(path)
                    yield path


def _overwrite(path: Path, cross_out: CrossOut, *, write: bool) -> int:
    if path.stat().st_size > _LARGEST:
        raise OSError("too large")
    with path.open("r+b" if write else "rb") as file:
        return cross_out(file, write=write)


def _cross_out(file: BinaryIO, *, terms: Terms | None, full: Terms, write: bool) -> int:
    """Count the words in a file; with `write`, overwrite them where they are."""
    hits = 0
    while line := file.readline():
        begun = file.tell() - len(line)
        text = line.decode("utf-8", "surrogateescape")
        line_terms = _terms_for(text, terms, full)
        spans = (
            [match.span() for match in line_terms.pattern.finditer(text) if match.group("term")] if line_terms else []
        )
        hits += len(spans)
        if spans and write:
            file.seek(begun)
            file.write(_crossed_out(text, spans))
            file.seek(begun + len(line))
    return hits


def _terms_for(line: str, terms: Terms | None, full: Terms) -> Terms | None:
    """Return the terms for a line of the log: its tenant decides."""
    if not line.startswith('{"time"'):
        return terms
    try:
        tenant = json.loads(line).get("tenant")
    except ValueError:
        return terms
    return full if tenant == current_slug() else None if tenant else terms


def _crossed_out(text: str, spans: list[tuple[int, int]]) -> bytes:
    pieces, last = list[bytes](), 0
    for start, end in spans:
        pieces.append(text[last:start].encode("utf-8", "surrogateescape"))
        pieces.append(b"x" * len(text[start:end].encode("utf-8", "surrogateescape")))
        last = end
    return b"".join([*pieces, text[last:].encode("utf-8", "surrogateescape")])


def _below(path: Path) -> Path:
    """Below the state folder where it stands there: a folder above it is no tenant's."""
    return path.relative_to(settings.STATE_DIR) if path.is_relative_to(settings.STATE_DIR) else path

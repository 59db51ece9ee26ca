"""Recordings on disk: a file a scenario, one writer at a time, written whole beside its place and renamed into it."""

import fcntl
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from pytest_ratiba.errors import ProjectError
from pytest_ratiba.recording.entries import EntryError, RecordedCall, parse_line

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def file_of(folder: Path, scenario_id: str) -> Path:
    """`<folder>/<scenario_id>.jsonl`; an id that is no file name is cut, with a digest in place of the rest."""
    if _SAFE.fullmatch(scenario_id):
        return folder / f"{scenario_id}.jsonl"
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", scenario_id).lstrip("._-")[:80] or "scenario"
    return folder / f"{plain}-{sha256(scenario_id.encode()).hexdigest()[:8]}.jsonl"


def read_calls(path: Path) -> list[RecordedCall]:
    """The calls of a file, [] where there is none. Raises ProjectError with the line that cannot be read."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise ProjectError(f"cannot be read: {error}", where=str(path)) from error
    calls = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            calls.append(parse_line(line, line=number))
        except EntryError as error:
            raise ProjectError(str(error), where=f"{path}:{number}") from error
    return calls


def write_conversation(path: Path, test: str, conversation: str, calls: Sequence[RecordedCall]) -> None:
    """Puts the calls that a test made in one conversation in the place of those it had there, and of those of files
    that did not yet say whose a call is. What other tests recorded, and other conversations, stay as they are, also
    where other processes write at the same time. Raises OSError where the folder cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path.parent):
        others = [call for call in read_calls(path) if call.conversation != conversation or call.test not in ("", test)]
        rows = sorted([*others, *calls], key=lambda call: (call.test, call.conversation, call.number))
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.writelines(f"{call.as_line()}\n" for call in rows)
            os.chmod(draft, 0o644)
            os.replace(draft, path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One writer at a time for a folder, whoever it is and wherever its temporary files lie; the lock is on the folder
    itself, and ends with its process."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)

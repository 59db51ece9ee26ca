"""Recordings on disk: one file per scenario, written whole beside its place and renamed into it."""

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


def write_conversation(path: Path, conversation: str, calls: Sequence[RecordedCall]) -> None:
    """Puts one conversation's calls in the place of those it had; other conversations of the scenario stay as they are,
    also where another process writes at the same time. Raises OSError where the folder cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path):
        others = [call for call in read_calls(path) if call.conversation != conversation]
        rows = sorted([*others, *calls], key=lambda call: (call.conversation, call.number))
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
def _locked(path: Path) -> Iterator[None]:
    """One writer at a time for a file; the lock lies in the system's temporary folder and ends with its process."""
    name = sha256(str(path.resolve()).encode()).hexdigest()[:24]
    lock = Path(tempfile.gettempdir()) / f"ratiba-recording-{os.getuid()}-{name}.lock"
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield

"""A capture's files: what is read beside it (uploads), and what is written for others (golden and profile as JSON)."""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from apps.core.attached_files import AttachedFile, read_beside
from apps.core.errors import BadInput
from apps.runs.goldens.domain.exchanges import FOLDER

if TYPE_CHECKING:
    from apps.runs.goldens.services.capture.capturing import CaptureResult  # it loads an HTTP client

_FILE_TURN = re.compile(r"(\d{1,4}):(.+)", re.DOTALL)
_UNSAFE = re.compile(r"[^\w.-]+")


def read_file_turns(texts: Iterable[str]) -> dict[int, Path]:
    """Read `2:Zelle.pdf` as {2: path}; turns are counted from 1. Raises BadInput (`/file_turn`)."""
    turns: dict[int, Path] = {}
    for text in texts:
        match = _FILE_TURN.fullmatch(text.strip())
        if match is None or int(match[1]) < 1:
            raise BadInput(f"{text!r} is not TURN:FILE, as in 2:Zelle.pdf; turns count from 1", pointer="/file_turn")
        if int(match[1]) in turns:
            raise BadInput(f"turn {match[1]} is given two files", pointer="/file_turn")
        turns[int(match[1])] = Path(match[2].strip())
    return turns


def files_at_hand(paths: Iterable[Path], folders: Iterable[Path]) -> dict[str, AttachedFile]:
    """{name: file} of the paths that are there and of all files in a folder `attachments` below the folders; earlier
    ones win. Raises BadInput for one that is too large or a link."""
    files: dict[str, AttachedFile] = {}
    for path in paths:
        if path.is_file():
            files.setdefault(path.name, read_beside(path.resolve().parent, path.name, pointer="/file_turn"))
    for folder in folders:
        below = folder / FOLDER
        for path in sorted(below.iterdir()) if below.is_dir() else ():
            if path.is_file() and path.name not in files:
                files[path.name] = read_beside(below, path.name, pointer="/out")
    return files


def write_capture(
    result: "CaptureResult", folder: Path, *, now: datetime, files: Mapping[str, AttachedFile]
) -> list[Path]:
    """Write `golden_<name>_<time>.json`, the `profile_…` that it names, and the uploads it names below `attachments`.

    The files appear whole or not at all. Raises BadInput (`/out`) for a folder that cannot be written."""
    stem = f"{_UNSAFE.sub('_', result.golden).strip('_.')[:100] or 'session'}_{now:%Y%m%d_%H%M%S}"
    golden, profile = folder / f"golden_{stem}.json", folder / f"profile_{stem}.json"
    document = {**result.document, "version": result.number, "profile": profile.name}
    named = {turn["file_attachment"]["name"] for turn in result.document["turns"] if turn.get("file_attachment")}
    written = [profile, golden]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in sorted(named & files.keys()):
            (folder / FOLDER).mkdir(exist_ok=True)
            target = folder / FOLDER / Path(name).name
            if not target.exists():
                target.write_bytes(files[name].content)
                written.append(target)
        _write(profile, result.profile_document)
        _write(golden, document)
    except OSError as error:
        raise BadInput(f"{folder} cannot be written: {error.strerror}", pointer="/out") from error
    return written


def _write(path: Path, document: Mapping[str, Any]) -> None:
    part = path.with_name(f".{path.name}.part")
    part.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    part.replace(path)

"""Golden sessions from files: read whole or line by line, with their attachments and the profile beside them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from apps.catalog.connections.domain.profile import parse_profile, read_profile
from apps.catalog.connections.domain.profile_patterns import detection_patterns
from apps.catalog.connections.services.profile_files import profile_from_text
from apps.core.attached_files import AttachedFile, read_beside
from apps.core.conversation import ConversationDocument
from apps.core.document_parsing import DocumentLimits, document_as_json, parse_document
from apps.core.errors import BadInput
from apps.core.json_hygiene import decoded_json
from apps.runs.goldens.domain.documents import golden_document

FILE_LIMITS = DocumentLimits(turns=2_000)  # an operator's own file may hold longer conversations than the webhook takes


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenFile:
    """One golden session as a file has it. `files` are its attachments by digest; `notes` say which are missing."""

    document: ConversationDocument
    body: Mapping[str, Any]
    profile: Mapping[str, Any]
    files: Mapping[str, AttachedFile]
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return str(self.document.extra.get("name") or self.document.id)


@dataclass(slots=True)
class _FileReading:
    folder: Path
    files: dict[str, AttachedFile] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_golden(raw: Any, *, folder: Path, default_id: str) -> GoldenFile:
    """One golden session from decoded JSON; files and profile are read beside it, in `folder`.

    A missing attachment or profile is told in `notes`, and its turn is kept without a digest. Raises BadInput with the
    pointer for everything else that is wrong; nothing outside the folder is opened. No query.
    """
    if not isinstance(raw, Mapping):
        raise BadInput("a golden session must be a JSON object")
    reading = _FileReading(folder)
    profile = _profile(raw.get("profile"), reading)
    own = read_profile(profile)
    patterns = detection_patterns(own.tool_patterns, own.step_agent_patterns, own.silent_upload_patterns)
    body = golden_document(raw, is_upload=patterns.is_upload)
    body = {key: value for key, value in body.items() if key != "profile"}
    body.setdefault("id", body.get("name") or default_id)
    parse_document(body, limits=FILE_LIMITS)  # roles, texts and times, before any file is opened
    key = "turns" if body.get("turns") is not None else "messages"
    stored = [_with_file(turn, index, reading) for index, turn in enumerate(body[key])]
    parsed = parse_document({**body, key: stored}, limits=FILE_LIMITS)  # keeps no path
    return GoldenFile(
        document=parsed,
        body=document_as_json(parsed),
        profile=profile,
        files=dict(reading.files),
        notes=tuple(reading.notes),
    )


def whole_document(path: Path) -> list[Any] | None:
    """The golden sessions of a file that is one JSON document (one of them, or a list); None where it is lines. Raises
    BadInput with the line for a .json file that is no JSON, and for a key that stands twice."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        value = decoded_json(text)
    except json.JSONDecodeError as error:
        if path.suffix == ".json" and "\n" in text.strip():
            raise BadInput(f"line {error.lineno}: not JSON: {error.msg}", code="not_json") from error
        return None
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else [value]


def _profile(named: Any, reading: _FileReading) -> dict[str, Any]:
    """The golden session's own profile: a document, or the name of a file beside it."""
    if named is None or named == "":
        return {}
    if isinstance(named, Mapping):
        return parse_profile(named, "/profile")
    if not isinstance(named, str):
        raise BadInput("/profile must be the name of a file beside this one, or a profile", pointer="/profile")
    if not _is_inside(named):
        raise BadInput(f"/profile: {named!r} must be a path inside the document's folder", pointer="/profile")
    if not (reading.folder / named).is_file():
        reading.notes.append(f"the profile {named} is not there: judged by the agent's own")
        return {}
    text = read_beside(reading.folder, named, pointer="/profile").content.decode("utf-8-sig", "replace")
    return profile_from_text(text, named)


def _with_file(turn: Mapping[str, Any], index: int, reading: _FileReading) -> dict[str, Any]:
    file = dict(turn)
    if file.get("file_attachment"):
        file["file_attachment"] = _stored(file["file_attachment"], f"/turns/{index}/file_attachment", reading)
    if file.get("attachments"):
        file["attachments"] = [
            _stored(attachment, f"/turns/{index}/attachments/{number}", reading)
            if attachment.get("path")
            else attachment
            for number, attachment in enumerate(file["attachments"])
        ]
    return file


def _stored(named: Mapping[str, Any], pointer: str, reading: _FileReading) -> dict[str, Any]:
    """The attachment with its digest in place of its path, where the file is there."""
    path = str(named.get("path") or named.get("name") or "")
    name = str(named.get("name") or PurePosixPath(path).name)
    file_fields = {**{key: value for key, value in named.items() if key != "path"}, "name": name}
    where = next((place for place in _places(path, reading.folder) if (reading.folder / place).exists()), None)
    if where is None:
        if not _is_inside(path):
            read_beside(reading.folder, path, pointer=f"{pointer}/path")  # says what is wrong with it
        if not named.get("sha256"):
            reading.notes.append(
                f"{pointer}: the file {path} is not there: put it beside the document, in attachments/"
            )
        return file_fields
    beside = read_beside(
        reading.folder, where, name=name, sha256=str(named.get("sha256") or ""), pointer=f"{pointer}/path"
    )
    reading.files[beside.sha256] = beside
    return {**file_fields, "sha256": beside.sha256, "media_type": str(named.get("media_type") or beside.kind)}


def _places(path: str, folder: Path) -> list[str]:
    """Return the places where a file may be: as written, below the folder's own name, or in attachments/."""
    if not _is_inside(path):
        return []
    parts = PurePosixPath(path).parts
    inner = PurePosixPath(*parts[1:]).as_posix() if len(parts) > 1 and parts[0] == folder.resolve().name else ""
    return [one for one in (path, inner, f"attachments/{parts[-1]}") if one]


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and not PurePosixPath(path).is_absolute() and ".." not in parts and "\0" not in path

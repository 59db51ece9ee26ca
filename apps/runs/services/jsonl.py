"""Files of conversations, one JSON document a line: good lines are kept, bad ones are named by their number."""

import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction

from apps.catalog.models import GoldenSession
from apps.catalog.services.golden_versions import keep_files, release_golden_version, store_golden_version
from apps.core.attached_files import AttachedFile, read_beside
from apps.core.conversation import Attachment, ConversationDocument
from apps.core.document_masking import mask_document
from apps.core.document_parsing import DocumentLimits, document_as_json, parse_document
from apps.core.errors import BadInput
from apps.core.events import EventType, log_event
from apps.core.subject import UNNAMED, Subject
from apps.runs.services.importing import import_documents

MAX_LINE_BYTES = 16 * 1024 * 1024
FILE_LIMITS = DocumentLimits(turns=2_000)  # an operator's own file may hold longer conversations than the webhook takes


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedLine:
    """A line that was not taken. `line` counts from 1; `code` is stable, `message` says what to mend."""

    line: int
    code: str
    message: str

    def as_json(self) -> dict[str, Any]:
        return {"line": self.line, "code": self.code, "message": self.message}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """What came of a file: conversations kept, and the lines that were refused."""

    run_id: uuid.UUID | None
    kept: int
    turns: int
    tool_calls: int
    refused: tuple[RefusedLine, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "test_run_id": str(self.run_id) if self.run_id else None,
            "kept": self.kept,
            "turns": self.turns,
            "tool_calls": self.tool_calls,
            "refused": [one.as_json() for one in self.refused],
        }


def import_file(*, path: Path, into: str, name: str, now: datetime, subject: Subject = UNNAMED) -> FileReport:
    """Import a JSONL file into a run of its own (`into="run"`) or as golden sessions (`"golden"`).

    All good lines are stored in one transaction; bad ones are reported and cost nothing. Not safe to repeat for runs
    (each call makes one); golden sessions that are there already are refused by their name.
    """
    files: dict[str, AttachedFile] = {}

    def golden(document: ConversationDocument) -> ConversationDocument:
        if GoldenSession.objects.filter(name=document.id).exists():
            raise BadInput(f"there is a golden session {document.id!r} already", code="golden_exists")
        return _with_files(document, path.parent, files)

    documents, refused = read_file(path, check=golden if into == "golden" else lambda document: document)
    run_id = None
    if documents and into == "run":
        run_id = import_documents(documents=documents, name=name, triggered_by="import", now=now, subject=subject)
    elif documents:
        store_golden_sessions(documents, files=files, now=now)
    log_event(EventType.IMPORT_ENDED, kept=len(documents), refused=len(refused))
    turns = [turn for document in documents for turn in document.turns]
    return FileReport(
        run_id=run_id,
        kept=len(documents),
        turns=len(turns),
        tool_calls=sum(len(turn.tool_calls) for turn in turns),
        refused=tuple(refused),
    )


def read_file(
    path: Path, *, check: Callable[[ConversationDocument], ConversationDocument] = lambda document: document
) -> tuple[list[ConversationDocument], list[RefusedLine]]:
    """The good lines of a JSONL file and the refused ones; nothing is stored. `check` may raise BadInput too."""
    documents: list[ConversationDocument] = []
    refused: list[RefusedLine] = []
    seen: dict[str, int] = {}
    for line, raw in _lines(path):
        try:
            document = _read(raw, line)
            if document.id in seen:
                raise BadInput(
                    f"the id {document.id!r} stands on line {seen[document.id]} already", code="duplicate_id"
                )
            document = check(document)
        except BadInput as error:
            where = f" (at {error.pointer})" if error.pointer else ""
            refused.append(RefusedLine(line=line, code=error.code, message=f"{error.message}{where}"))
            log_event(EventType.IMPORT_LINE_REFUSED, line=line, code=error.code)
            continue
        seen[document.id] = line
        documents.append(document)
    return documents, refused


def store_golden_sessions(
    documents: list[ConversationDocument], *, now: datetime, files: Mapping[str, AttachedFile] | None = None
) -> int:
    """Keep documents as approved golden sessions named by their ids, and the files their turns name by digest; those
    that are there already are left as they are. Gives how many are new.

    They are masked whatever the tenant's setting, because they are copied on into tests and files. Eight queries each.
    """
    there = set(GoldenSession.objects.filter(name__in=[one.id for one in documents]).values_list("name", flat=True))
    made = [document for document in documents if document.id not in there]
    with transaction.atomic():
        keep_files(files or {})
        for document in made:
            body = document_as_json(mask_document(document))
            stored = store_golden_version(name=document.id, document=body, captured_from="file")
            release_golden_version(version_id=stored.version_id, document=body, by="import", now=now)
    return len(made)


def _with_files(document: ConversationDocument, folder: Path, files: dict[str, AttachedFile]) -> ConversationDocument:
    """The document with digests in place of paths; what was read is added to `files`. Raises BadInput."""
    turns = list(document.turns)
    for position, turn in enumerate(turns):
        if any("path" in one.extra for one in turn.attachments):
            at = f"/turns/{position}/attachments"
            read = [_read_file(one, folder, f"{at}/{n}", files) for n, one in enumerate(turn.attachments)]
            turns[position] = replace(turn, attachments=tuple(read))
    return replace(document, turns=tuple(turns))


def _read_file(named: Attachment, folder: Path, pointer: str, files: dict[str, AttachedFile]) -> Attachment:
    if "path" not in named.extra:
        return named
    path = str(named.extra["path"])
    attachment = read_beside(folder, path, name=named.name, sha256=named.sha256 or "", pointer=f"{pointer}/path")
    files[attachment.sha256] = attachment
    extra = {key: value for key, value in named.extra.items() if key != "path"}
    return replace(named, sha256=attachment.sha256, media_type=named.media_type or attachment.kind, extra=extra)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as handle:
        for number, raw in enumerate(handle, start=1):
            if raw.strip():
                yield number, raw


def _read(raw: bytes, line: int) -> ConversationDocument:
    if len(raw) > MAX_LINE_BYTES:
        raise BadInput(f"the line has {len(raw):,} bytes, the limit is {MAX_LINE_BYTES:,}", code="line_too_long")
    try:
        value = json.loads(raw.decode("utf-8-sig").strip())
    except UnicodeDecodeError as error:
        raise BadInput(f"not UTF-8 at byte {error.start}", code="not_utf8") from error
    except json.JSONDecodeError as error:
        raise BadInput(f"not JSON at column {error.colno}: {error.msg}", code="not_json") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"not JSON: {error}", code="not_json") from error
    return parse_document(value, limits=FILE_LIMITS, default_id=f"line-{line}")

"""Importing golden sessions: masked, with variables and proven gates, they are approved at once."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction

from apps.catalog.domain.states import GoldenStatus
from apps.catalog.models import GoldenSession
from apps.catalog.services.golden_versions import store_golden_version
from apps.core.conversation import ConversationDocument
from apps.core.document_parsing import document_as_json
from apps.core.errors import BadInput
from apps.core.events import EventType, log_event
from apps.runs.services.golden_approval import approve_golden
from apps.runs.services.golden_files import GoldenFile, read_golden, whole_document
from apps.runs.services.import_report import FileReport, RefusedLine
from apps.runs.services.json_lines import json_of, lines_of

BY = "import"


def import_golden_file(*, path: Path, now: datetime) -> FileReport:
    """Import golden sessions: a file of lines, or one JSON document (the seed's `golden_<name>_<time>.json` too), with
    `attachments/` and the profile beside it. All good ones are stored in one transaction, masked and approved; bad ones
    are reported; those that are there already are refused by their name. One whose upload has no file, or with a reply
    without words, stays a candidate, which is told: it can be imported again with the file.
    """
    found, refused = list[GoldenFile](), list[RefusedLine]()
    for line, read in _documents(path):
        try:
            golden = read_golden(read(), folder=path.parent, default_id=path.stem if line == 0 else f"line-{line}")
            if any(golden.name == other.name for other in found):
                raise BadInput(f"the id {golden.name!r} stands in an earlier line already", code="duplicate_id")
            if GoldenSession.objects.filter(name=golden.name, versions__status=GoldenStatus.APPROVED).exists():
                raise BadInput(f"there is a golden session {golden.name!r} already", code="golden_exists")
        except BadInput as error:
            where = f" (at {error.pointer})" if error.pointer else ""
            refused.append(RefusedLine(line=line or 1, code=error.code, message=f"{error.message}{where}"))
            log_event(EventType.IMPORT_LINE_REFUSED, line=line, code=error.code)
            continue
        found.append(golden)
    notes = _store(found, now=now)
    log_event(EventType.IMPORT_ENDED, kept=len(found), refused=len(refused))
    turns = [turn for golden in found for turn in golden.document.turns]
    return FileReport(
        run_id=None,
        kept=len(found),
        turns=len(turns),
        tool_calls=sum(len(turn.tool_calls) for turn in turns),
        refused=tuple(refused),
        notes=tuple(notes),
    )


def store_golden_sessions(documents: Sequence[ConversationDocument], *, now: datetime) -> int:
    """Keep documents as approved golden sessions named by their ids; those that are there already are left as they are.
    Gives how many are new. They are masked whatever the tenant's setting. Ten queries each."""
    there = set(GoldenSession.objects.filter(name__in=[one.id for one in documents]).values_list("name", flat=True))
    made = [
        GoldenFile(document=document, body=document_as_json(document), profile={}, files={})
        for document in documents
        if document.id not in there
    ]
    _store(made, now=now)
    return len(made)


def _store(goldens: Sequence[GoldenFile], *, now: datetime) -> list[str]:
    """Keep and approve them; what a person should know of each, with its name."""
    notes = list[str]()
    with transaction.atomic():
        for golden in goldens:
            source = str(golden.document.extra.get("captured_from") or "file")
            stored = store_golden_version(
                name=golden.name, document=golden.body, profile=golden.profile, captured_from=source, files=golden.files
            )
            try:
                done = approve_golden(version_id=stored.version_id, by=BY, now=now).notes
            except BadInput as error:
                if error.code not in ("file_missing", "empty_reply"):
                    raise
                done = (f"it waits for approval as version {stored.number}: {error.message}",)
            notes += [f"{golden.name}: {note}" for note in (*golden.notes, *done)]
    return notes


def _documents(path: Path) -> Iterator[tuple[int, Any]]:
    """(line, how to read it); line 0 where the file is one document."""
    try:
        whole = whole_document(path)
    except BadInput as error:
        yield 0, _raising(error)
        return
    if whole is not None:
        for number, raw in enumerate(whole):
            yield (0 if len(whole) == 1 else number + 1), lambda raw=raw: raw
        return
    for line, raw in lines_of(path):
        yield line, lambda raw=raw: json_of(raw)


def _raising(error: BadInput) -> Any:
    def read() -> Any:
        raise error

    return read

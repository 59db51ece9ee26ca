"""Importing golden sessions: masked, with variables and proven gates, they are approved at once."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from django.db import transaction

from apps.catalog.domain.states import GoldenStatus
from apps.catalog.goldens.services.versions import store_golden_version
from apps.catalog.models import GoldenSession
from apps.core.conversation import ConversationDocument
from apps.core.document_parsing import document_as_json, parse_document
from apps.core.errors import BadInput
from apps.core.events import EventType, log_event
from apps.runs.chat_files.domain.documents import documents_of
from apps.runs.chat_files.domain.transcripts import Reading
from apps.runs.chat_files.services.import_report import FileReport, RefusedLine
from apps.runs.chat_files.services.reading import AS_IS, chat_file
from apps.runs.goldens.services.approval import approve_golden
from apps.runs.goldens.services.files import FILE_LIMITS, GoldenFile, read_golden, whole_document

BY = "import"


def import_golden_file(*, path: Path, now: datetime, how: Reading = AS_IS) -> FileReport:
    """Import golden sessions from a file.

    It has lines, one JSON document each (the brief's `golden_<name>_<time>.json` too), with `attachments/` and the
    profile beside it, or conversations in any form that `chat_files` knows. All good ones are stored in one
    transaction, masked and approved; bad ones are reported; those that are there already are refused by their name. One
    whose upload has no file, or with a reply without words, stays a candidate, which is told: it can be imported again
    with the file. Raises BadInput as `chat_file`.
    """
    golden_files, refused = list[GoldenFile](), list[RefusedLine]()
    for line, read in _documents(path, how):
        try:
            golden = read_golden(read(), folder=path.parent, default_id=path.stem if line == 0 else f"line-{line}")
            if any(golden.name == other.name for other in golden_files):
                raise BadInput(f"the id {golden.name!r} stands in an earlier line already", code="duplicate_id")
            if GoldenSession.objects.filter(name=golden.name, versions__status=GoldenStatus.APPROVED).exists():
                raise BadInput(f"there is a golden session {golden.name!r} already", code="golden_exists")
        except BadInput as error:
            where = f" (at {error.pointer})" if error.pointer else ""
            refused.append(RefusedLine(line=line or 1, code=error.code, message=f"{error.message}{where}"))
            log_event(EventType.IMPORT_LINE_REFUSED, line=line, code=error.code)
            continue
        golden_files.append(golden)
    notes = _store(golden_files, now=now)
    log_event(EventType.IMPORT_ENDED, kept=len(golden_files), refused=len(refused))
    turns = [turn for golden in golden_files for turn in golden.document.turns]
    return FileReport(
        run_id=None,
        kept=len(golden_files),
        turns=len(turns),
        tool_calls=sum(len(turn.tool_calls) for turn in turns),
        refused=tuple(refused),
        notes=tuple(notes),
    )


def store_golden_sessions(documents: Sequence[ConversationDocument], *, now: datetime) -> int:
    """Keep documents as approved golden sessions named by their ids; those that are there already are left as they are.
    Gives how many are new. They are masked whatever the tenant's setting. Ten queries each."""
    there = set(
        GoldenSession.objects.filter(name__in=[document.id for document in documents]).values_list("name", flat=True)
    )
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


def _documents(path: Path, how: Reading) -> Iterator[tuple[int, Any]]:
    """(line, how to read it); line 0 where the file is one document."""
    try:
        whole = whole_document(path)
    except BadInput as error:
        yield 0, _raising(error)
        return
    if whole is not None and not _is_foreign(whole):
        for number, raw in enumerate(whole):
            yield (0 if len(whole) == 1 else number + 1), lambda raw=raw: raw
        return
    file = chat_file(path, how)
    placed = file.documents if file.is_jsonl else list(file.documents)
    alone = isinstance(placed, list) and len(placed) == 1
    for line, raw in placed:
        yield 0 if alone else line, _raising(raw) if isinstance(raw, BadInput) else partial(_golden_form, raw)


def _is_foreign(whole: list[Any]) -> bool:
    """Tell whether another program's document is known in it, and none of ours."""
    documents = documents_of(whole[0] if len(whole) == 1 else whole)
    return bool(documents) and not any(map(_has_our_turns, whole))


def _has_our_turns(raw: Any) -> bool:
    held = (
        [raw[key] for key in ("turns", "messages") if isinstance(raw.get(key), list)] if isinstance(raw, dict) else []
    )
    return any(all(isinstance(turn, dict) and turn.keys() & {"role", "input"} for turn in turns) for turns in held)


def _golden_form(raw: Any) -> Any:
    """A conversation of another form in the form of ours; one that may have gates and tools stays as it is."""
    if _has_our_turns(raw) or not isinstance(raw, dict):
        return raw
    document = dict(document_as_json(parse_document(raw, limits=FILE_LIMITS, default_id="unnamed")))
    return document if "id" in raw else {key: value for key, value in document.items() if key != "id"}


def _raising(error: BadInput) -> Any:
    def read() -> Any:
        raise error

    return read

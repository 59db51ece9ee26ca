"""Files of conversations: good ones are kept, bad ones are named by their line or number."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from apps.core.conversation import ConversationDocument
from apps.core.document_parsing import parse_document
from apps.core.errors import BadInput
from apps.core.events import EventType, log_event
from apps.core.subject import UNNAMED, Subject
from apps.runs.chat_files.domain.transcripts import Reading
from apps.runs.chat_files.services.import_report import FileReport, RefusedLine
from apps.runs.chat_files.services.reading import AS_IS, ChatFile, chat_file
from apps.runs.goldens.services.files import FILE_LIMITS
from apps.runs.goldens.services.importing import import_golden_file
from apps.runs.imports.services.importing import import_documents


def import_file(
    *, path: Path, into: str, name: str, now: datetime, subject: Subject = UNNAMED, how: Reading = AS_IS
) -> FileReport:
    """Import a file of conversations as a run (`into="run"`) or as golden sessions (`"golden"`).

    `chat_files` knows the formats; `how` says what they leave open. Raises BadInput as `chat_file`.

    All good lines are stored in one transaction; bad ones are reported and left out. Not safe to repeat for runs (each
    call makes one); golden sessions whose name exists are refused.
    """
    if into == "golden":
        return import_golden_file(path=path, now=now, how=how)
    file = chat_file(path, how)
    documents, refused = read_file(file)
    run_id = None
    if documents:
        run_id = import_documents(documents=documents, name=name, triggered_by="import", now=now, subject=subject)
    log_event(EventType.IMPORT_ENDED, kept=len(documents), refused=len(refused))
    turns = [turn for document in documents for turn in document.turns]
    return FileReport(
        run_id=run_id,
        kept=len(documents),
        turns=len(turns),
        tool_calls=sum(len(turn.tool_calls) for turn in turns),
        refused=tuple(refused),
        form=file.form,
        shown=tuple(f"{turn.role.value}: {turn.content[:200]}" for turn in turns[:3]),
        notes=tuple(note for document in documents for note in _notes(document)),
    )


def _notes(document: ConversationDocument) -> Iterator[str]:
    """The notes on differences between the conversation and its file."""
    for number, turn in enumerate(document.turns):
        if isinstance(turn.extra.get("left_out"), list):
            named = ", ".join(map(str, turn.extra["left_out"]))
            yield f"{document.id}, turn {number}: {named} stands as a word in brackets"
        for call in turn.tool_calls:
            if call.arguments.keys() == {"raw"}:
                yield f"{document.id}, turn {number}: the arguments of {call.name} are no JSON and stand as they were"


def read_file(file: ChatFile) -> tuple[list[ConversationDocument], list[RefusedLine]]:
    """The good documents of a file and the refused ones; nothing is stored."""
    documents: list[ConversationDocument] = []
    refused: list[RefusedLine] = []
    seen: dict[str, int] = {}
    for line, raw in file.documents:
        try:
            if isinstance(raw, BadInput):
                raise raw
            document = parse_document(raw, limits=FILE_LIMITS, default_id=f"line-{line}")
            if document.id in seen:
                raise BadInput(
                    f"the id {document.id!r} stands on line {seen[document.id]} already", code="duplicate_id"
                )
        except BadInput as error:
            where = f" (at {error.pointer})" if error.pointer else ""
            refused.append(RefusedLine(line=line, code=error.code, message=f"{error.message}{where}"))
            log_event(EventType.IMPORT_LINE_REFUSED, line=line, code=error.code)
            continue
        seen[document.id] = line
        documents.append(document)
    return documents, refused

"""One door for files of conversations: what a file is taken for, in one sentence, and the documents in it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from apps.core.errors import BadInput
from apps.core.json_hygiene import decoded_json
from apps.runs.chat_files.domain.documents import document_of, documents_of, form_of, may_be_conversations
from apps.runs.chat_files.domain.transcripts import (
    Reading,
    looks_like_a_table,
    looks_like_a_transcript,
    looks_like_whatsapp,
    spoken_documents,
    table_documents,
    transcript_documents,
    whatsapp_documents,
)
from apps.runs.chat_files.services.json_lines import json_of, lines_of

MAX_BYTES = 64 * 1024 * 1024  # of a file that has to be read as a whole; JSON lines have no limit
_LOOKED_AT = 20  # lines
_POINTER = b"version https://git-lfs.github.com/spec/"
UNKNOWN = (
    "its form is not known: it is neither JSON (a list of conversations, one a line, or one alone), nor a CSV with a "
    "row a message, nor a WhatsApp chat, nor a transcript with a speaker before each line"
)
AS_IS = Reading()
Placed = tuple[int, Any]  # the line, or the number of the document; and the document, or the BadInput that says why not


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFile:
    """A file's form and its documents in their order; a document that cannot be read comes as its BadInput."""

    form: str
    documents: Iterable[Placed]
    is_jsonl: bool = False


def chat_file(path: Path, how: Reading = AS_IS) -> ChatFile:
    """Take a file for what it is. Raises BadInput: one sentence for a form that is not taken (`unknown_form`,
    `lfs_pointer`, `too_large`), or the question that only a person can answer (`ask_columns`, `ask_customer`)."""
    first = [raw for _, raw in islice(lines_of(path), _LOOKED_AT)]
    if first and first[0].startswith(_POINTER):
        raise BadInput(f"{path.name} is a Git LFS pointer and not the file: run `git lfs pull`", code="lfs_pointer")
    documents = [none for raw in first if isinstance(none := _or_none(raw), dict)]
    if documents and not _is_whole(first, documents):
        _refuse_other_json(path, documents)
        form = f"JSON lines, one conversation a line ({form_of(documents[0])})"
        return ChatFile(form=form, documents=_lines(path, how), is_jsonl=True)
    return _whole(path, how, first)


def _is_whole(first: list[bytes], documents: list[dict[str, Any]]) -> bool:
    """Tell whether a file is one document after all: all of it on one line, and a list of others inside."""
    inner = documents_of(documents[0]) if len(first) == 1 else None
    return first[0].lstrip(b"\xef\xbb\xbf \t").startswith(b"[") or (inner is not None and inner != [documents[0]])


def _whole(path: Path, how: Reading, first: list[bytes]) -> ChatFile:
    text = _text_of(path)
    if text.lstrip()[:1] in ("[", "{") and not looks_like_whatsapp(text):
        try:
            value = decoded_json(text)
        except (ValueError, RecursionError) as error:
            if _lines_of_json(first):
                return ChatFile(form="JSON lines, one conversation a line", documents=_lines(path, how), is_jsonl=True)
            if isinstance(error, BadInput):
                raise
            raise BadInput(f"{path.name} begins as JSON and is none: {error}", code="not_json") from error
        documents = documents_of(value)
        if documents is not None:
            listed = "a JSON list of conversations" if isinstance(value, list) else "JSON"
            _refuse_other_json(path, documents[:_LOOKED_AT])
            known = next((document for document in documents if isinstance(document, dict)), {})
            placed = list(enumerate(spoken_documents([document_of(document) for document in documents], how), start=1))
            return ChatFile(form=f"{listed} ({form_of(known)})", documents=placed)
        _refuse_other_json(path, [value])
    readers: list[tuple[str, Callable[[], bool], Callable[[str, Reading], list[dict[str, Any]]]]] = [
        ("an exported WhatsApp chat", lambda: looks_like_whatsapp(text), whatsapp_documents),
        (
            "a table of messages",
            lambda: looks_like_a_table(text, how),
            table_documents,
        ),
        (
            "a transcript with a speaker before each line",
            lambda: looks_like_a_transcript(text, how),
            transcript_documents,
        ),
    ]
    for form, fits, read in readers:
        if fits():
            return ChatFile(form=form, documents=list(enumerate(read(text, how), start=1)))
    raise BadInput(f"{path.name}: {UNKNOWN}", code="unknown_form")


def _text_of(path: Path) -> str:
    if path.stat().st_size > MAX_BYTES:
        raise BadInput(
            f"{path.name} is larger than {MAX_BYTES >> 20} MiB: split it, or write JSON lines", code="too_large"
        )
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path.name} is not UTF-8 at byte {error.start}: save it as UTF-8", code="not_utf8") from error


def _refuse_other_json(path: Path, found: list[Any]) -> None:
    """One sentence for JSON in which nobody says anything, and no error a line."""
    if found and not may_be_conversations(found):
        held = found[0] if isinstance(found[0], dict) else {}
        keys = f"the first has {', '.join(map(str, list(held)[:8]))[:200]}" if held else "it holds no objects"
        raise BadInput(
            f"{path.name} is JSON without conversations: none of its objects has `messages` or `turns` ({keys})",
            code="unknown_form",
        )


def _lines(path: Path, how: Reading) -> Iterator[Placed]:
    for line, raw in lines_of(path):
        try:
            yield line, _spoken(document_of(json_of(raw)), how)
        except BadInput as error:
            yield line, error


def _spoken(document: Any, how: Reading) -> Any:
    """The document with its speakers known; as it is where nothing says who is the customer: its reader refuses it."""
    try:
        return spoken_documents([document], how)[0]
    except BadInput:
        return document


def _lines_of_json(first: list[bytes]) -> bool:
    return sum(raw.strip().startswith(b"{") and raw.strip().endswith(b"}") for raw in first) * 2 >= len(first)


def _or_none(raw: bytes) -> Any:
    try:
        return json_of(raw)
    except BadInput:
        return None

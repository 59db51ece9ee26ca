"""The parts of an A2A message or artifact as the words a customer would see. Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from apps.connectors.agents.tool_calls import is_call, whole

CALLS_KEYS = ("toolCalls", "tool_calls")
MAX_DATA_CHARS = 20_000  # of one data part; a judge reads some 5,000 tokens of it
# A whole sentence, and then another that begins without a blank: two paragraphs, not two chunks of one text.
_SENTENCE_END = re.compile(r"[^\W\d_]{2}[.!?…:]\Z")
_BULLET = re.compile(r"[-*•]\s")


def message_text(parts: list[Any]) -> str:
    """The texts of a message, each on lines of its own."""
    return "\n".join(text for text in _texts(parts) if text)


def artifact_text(parts: list[Any]) -> str:
    """Join the texts of an artifact into one.

    Its parts may be the chunks of a stream (`append`), cut in the middle of a word, and the kept artifact does not say
    so. A new line is therefore put between two parts only where the first ends a sentence and the next begins, without
    a blank, with a capital letter or a bullet: no chunk of running text ends there.
    """
    texts = [text for text in _texts(parts) if text]
    joined = texts[:1]
    for before, after in pairwise(texts):
        begins = after[0].isupper() or _BULLET.match(after)
        joined += ["\n", after] if begins and _SENTENCE_END.search(before) else [after]
    return "".join(joined)


def with_parts(text: str, parts: list[Any]) -> str:
    """Return `text` with the files that came with it, one on each line; where there is no text, the data as JSON too.

    Tool calls are no answer: they are read elsewhere.
    """
    shown = [text] if text else [line for line in map(_data_line, parts) if line]
    return "\n".join([*shown, *(line for line in map(_file_line, parts) if line)])


def data_of(part: Any) -> Any:
    """The content of a data part; None for a part of another kind."""
    data = part.get("data") if isinstance(part, Mapping) else None
    return None if data is None else whole(data)


def _texts(parts: list[Any]) -> Iterator[str]:
    for part in parts:
        text = part.get("text") if isinstance(part, Mapping) else None
        if isinstance(text, str):
            yield text


def _data_line(part: Any) -> str:
    data = data_of(part)
    if data is None or (isinstance(data, Mapping) and (is_call(data) or any(data.get(key) for key in CALLS_KEYS))):
        return ""
    written = json.dumps(data, ensure_ascii=False, default=str)
    return written if len(written) <= MAX_DATA_CHARS else f"{written[:MAX_DATA_CHARS]} […]"


def _file_line(part: Any) -> str:
    """Describe a file: `[file receipt.pdf, application/pdf, 1234 bytes]`, or its address in place of the size."""
    if not isinstance(part, Mapping):
        return ""
    inner = part.get("file")
    file: Mapping[str, Any] = inner if isinstance(inner, Mapping) else part
    content = file.get("bytes") or file.get("raw") or file.get("fileWithBytes")
    address = file.get("uri") or file.get("url") or file.get("fileWithUri")
    if not isinstance(content, str) and not isinstance(address, str):
        return ""
    name = file.get("name") or file.get("filename")
    kind = file.get("mimeType") or file.get("mediaType")
    size = f"{len(content.rstrip('=')) * 3 // 4} bytes" if isinstance(content, str) else address
    known = [str(name) if name else "without a name", *([str(kind)] if kind else []), str(size)]
    return f"[file {', '.join(known)}]"

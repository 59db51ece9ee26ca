"""Conversations in a file: the conversation document, OpenAI messages, or a tracer's export."""

import json
from pathlib import Path
from typing import Any

from apps.connectors.pega.tracer import is_tracer_export, read_tracer
from apps.core.document_parsing import parse_document
from apps.core.errors import BadInput
from apps.runs.domain.captured_golden import CapturedSession
from apps.runs.services.golden_files import FILE_LIMITS

MOST_BYTES = 64 * 1024 * 1024


def captured_from_file(path: Path) -> CapturedSession:
    """The conversation in a JSON file. Raises BadInput for a file that cannot be read or holds nothing we know."""
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise BadInput(f"{path.name} has {size:,} bytes, {MOST_BYTES:,} at most", code="too_large", pointer="/file")
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}", code="no_such_file", pointer="/file") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path.name} is no JSON: {error}", code="invalid_document", pointer="/file") from error
    return captured_from_data(data, default_id=path.stem[:200])


def captured_from_data(data: Any, *, default_id: str) -> CapturedSession:
    """The same from decoded JSON; a bare list is one of OpenAI's messages. Raises BadInput with the pointer."""
    if is_tracer_export(data):
        return CapturedSession(ids=(default_id,), source="tracer", conversations=(read_tracer(data),))
    body = {"messages": data} if isinstance(data, list) else data
    document = parse_document(body, limits=FILE_LIMITS, default_id=default_id)
    return CapturedSession(
        ids=(document.id,),
        source=document.source or "document",
        conversations=(document.turns,),
        language=document.language,
    )

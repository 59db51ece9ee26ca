"""Conversations in a file: the conversation document, OpenAI messages, or a tracer's export."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from apps.connectors.pega.tracer import is_tracer_export, read_tracer
from apps.core.conversation import ConversationDocument
from apps.core.document_parsing import parse_document
from apps.core.errors import BadInput
from apps.core.json_hygiene import decoded_json
from apps.runs.goldens.domain.captured_golden import CapturedSession
from apps.runs.goldens.domain.documents import golden_document
from apps.runs.goldens.services.files import FILE_LIMITS

IsUpload = Callable[[str], bool]
MAX_BYTES = 64 * 1024 * 1024


def captured_from_file(path: Path, *, is_upload: IsUpload) -> CapturedSession:
    """Return the conversation in a JSON file, with the gates, tools and files that it names itself.

    `is_upload` tells a reply to a silent upload. Raises BadInput for a file that cannot be read or holds nothing we
    know.
    """
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise BadInput(f"{path.name} has {size:,} bytes, {MAX_BYTES:,} at most", code="too_large", pointer="/file")
        data = decoded_json(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}", code="no_such_file", pointer="/file") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path.name} is no JSON: {error}", code="invalid_document", pointer="/file") from error
    return captured_from_data(data, default_id=path.stem[:200], is_upload=is_upload)


def captured_from_data(data: Any, *, default_id: str, is_upload: IsUpload) -> CapturedSession:
    """Read a capture from decoded JSON.

    A bare list is one of OpenAI's messages, turn pairs with `input` are the brief's golden file. Raises BadInput with
    the pointer.
    """
    if is_tracer_export(data):
        return CapturedSession(ids=(default_id,), source="tracer", conversations=(read_tracer(data),))
    body = {"messages": data} if isinstance(data, list) else data
    if isinstance(body, dict):
        body = golden_document(body, is_upload=is_upload)
    document = parse_document(body, limits=FILE_LIMITS, default_id=default_id)
    return CapturedSession(
        ids=(document.id,),
        source=document.source or "document",
        conversations=(document.turns,),
        language=document.language,
        case=_mapping(document, "case") or None,
        step_agents=_mapping(document, "step_agents_by_source"),
        variables=_mapping(document, "variables"),
        captured_at=str(document.extra["captured_at"]) if document.extra.get("captured_at") else None,
    )


def _mapping(document: ConversationDocument, key: str) -> Mapping[str, Any]:
    section = document.extra.get(key)
    return section if isinstance(section, Mapping) else {}

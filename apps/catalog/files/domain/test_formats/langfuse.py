"""Read items of a Langfuse dataset, as JSON, JSONL or CSV.

They have `id, input, expectedOutput, metadata, sourceTraceId, status`. With an expected answer → a golden session,
without → a scenario. Archived items are skipped.
"""

from collections.abc import Mapping
from typing import Any

from apps.catalog.files.domain.test_formats.collecting import Collected, ImportedCase
from apps.catalog.files.domain.test_formats.openai_evals import messages
from apps.catalog.files.domain.test_formats.reading import json_value, rows_of
from apps.core.errors import BadInput

_WORDS = ("content", "text", "message", "question", "query", "input", "answer", "output", "response", "expected")
_READ = (
    "id",
    "input",
    "expectedOutput",
    "expected_output",
    "status",
    "metadata",
    "sourceTraceId",
    "sourceObservationId",
)
_OWN = ("datasetId", "datasetName", "createdAt", "updatedAt", "projectId", "validFrom")


def read(text: str, into: Collected) -> None:
    """Every item. Raises BadInput for a file that is no list."""
    if into.file.endswith(".json") and (missing := _missing(json_value(text, into.file))):
        into.refuse("meta", missing)
    for place, item in rows_of(text, into.file, key="data"):
        key = str(item.get("id") or "") if isinstance(item, Mapping) else ""
        try:
            case = _case(item)
        except BadInput as error:
            into.refuse(place, error.message, key)
        else:
            into.take(place, case)


def _missing(page: Any) -> str:
    """A sentence about the items missing from this page of a list; "" where the list is whole."""
    meta = page.get("meta") if isinstance(page, Mapping) else None
    items = page.get("data") if isinstance(page, Mapping) else None
    total = meta.get("totalItems") if isinstance(meta, Mapping) else None
    if not isinstance(total, int) or not isinstance(items, list) or total <= len(items):
        return ""
    pages = f" (page {meta.get('page')} of {meta.get('totalPages')})" if isinstance(meta, Mapping) else ""
    return f"{len(items)} of {total} items are in this file{pages}: bring in the other pages too"


def _case(item: Any) -> ImportedCase:
    if isinstance(item, BadInput):
        raise item
    if not isinstance(item, Mapping):
        raise BadInput("an item is an object with an input")
    if str(item.get("status") or "").upper() == "ARCHIVED":
        raise BadInput("archived in Langfuse")
    turns = _turns(item.get("input"), "user")
    if not turns:
        raise BadInput("the input holds no text that a customer could have written")
    left = [f"{key}: not read" for key in item if key not in (*_READ, *_OWN)]
    case = ImportedCase(key=str(item.get("id") or ""), left_out=left)
    expected = item.get("expectedOutput", item.get("expected_output"))
    if expected in (None, "", {}, []):
        case.opening = next((turn["content"] for turn in turns if turn["role"] == "user"), "")
        case.left_out += ["turns after the customer's first"] if len(turns) > 1 else []
        return case
    answer = _turns(expected, "assistant")
    if not answer:
        raise BadInput("the expected output holds no text: a golden session needs the reply")
    case.turns = [*turns, *answer]
    return case


def _turns(value: Any, role: str) -> list[dict[str, Any]]:
    if isinstance(value, str):
        return [{"role": role, "content": value}] if value.strip() else []
    if isinstance(value, list) and value:
        return messages(value)
    if isinstance(value, Mapping):
        if isinstance(value.get("messages"), list):
            return messages(value["messages"])
        for name in _WORDS:
            if isinstance(value.get(name), str) and value[name].strip():
                return [{"role": role, "content": value[name]}]
    return []

"""The shape of an analysis and its findings (see apps.evaluations.queries.analyses)."""

from typing import Any

from apps.api.schema_comparison import made
from apps.evaluations.domain.states import AnalysisStatus

_ID = {"type": "string", "format": "uuid"}
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_COUNT = {"type": "integer", "minimum": 0}
_LINK = {"type": ["string", "null"], "format": "uri"}

COMPONENTS: dict[str, dict[str, Any]] = {
    "AnalysisTaken": made({"id": _ID, "evaluation_id": _ID, "status": {"const": "pending"}}),
    "Finding": made({
        "title": _TEXT,
        "criteria": _TEXTS,
        "section": {**_TEXT, "description": "Of the agent's prompt; empty where none was shown."},
        "suggestion": _TEXT,
        "conversations": {**_TEXTS, "description": "That were shown and fail one of the criteria."},
        "n": {**_COUNT, "description": "Their number, counted by us."},
        "claimed": {**_COUNT, "description": "How many the analyzer named."},
        "evidence": {
            "type": "array",
            "items": made({
                "conversation": _TEXT,
                "quote": _TEXT,
                "turn": {"type": ["integer", "null"]},
                "kind": {"type": "string", "enum": ["exact", "pattern", "unverified"]},
                "repair": {"type": ["string", "null"]},
                "source": {"type": ["string", "null"]},
            }),
        },
        "doubts": {**_TEXTS, "description": "Why it should not be believed; empty for what held."},
    }),
    "Analysis": made({
        "id": _ID,
        "evaluation_id": _ID,
        "status": {"type": "string", "enum": [state.value for state in AnalysisStatus]},
        "automatic": {"type": "boolean"},
        "findings": {"type": "array", "items": {"$ref": "#/components/schemas/Finding"}},
        "notes": _TEXTS,
        "conversations_read": _COUNT,
        "conversations_failing": _COUNT,
        "parts": _COUNT,
        "provider": _TEXT,
        "model": _TEXT,
        "waiting_for": _TEXT,
        "error_message": _TEXT,
        "created_at": {"type": "string", "format": "date-time"},
        "ended_at": {"type": ["string", "null"], "format": "date-time"},
    }),
    "AnalysisPage": made({
        "results": {"type": "array", "items": {"$ref": "#/components/schemas/Analysis"}},
        "next": _LINK,
        "previous": _LINK,
    }),
}  # fmt: skip

"""The shape of an analysis and its findings (see apps.improvement.analysis.queries.analyses)."""

from apps.api.schema_building import (
    COUNT,
    ID,
    ID_OR_NULL,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    THEN,
    TIME,
    WARNING_CODES,
    YES,
    Schema,
    known,
    listed,
    made,
    page,
    words,
)
from apps.evaluations.domain.states import AnalysisStatus

COMPONENTS: dict[str, Schema] = {
    "AnalysisTaken": made({"id": ID, "evaluation_id": ID, "status": {"const": "pending"}}),
    "AnalysisAsked": made(
        {
            "id": ID_OR_NULL,
            "status": words(AnalysisStatus),
            "findings": COUNT,
        }
    ),
    "Finding": made(
        {
            "number": {**COUNT, "description": "From 1: what a draft names the finding by that it answers."},
            "title": TEXT,
            "criteria": TEXTS,
            "section": {**TEXT, "description": "Of the agent's prompt; empty where none was shown."},
            "suggestion": TEXT,
            "conversations": {**TEXTS, "description": "That were shown and fail one of the criteria."},
            "n": {**COUNT, "description": "Their number, counted by us."},
            "claimed": {**COUNT, "description": "How many the analyzer named."},
            "support": {
                "type": "string",
                "enum": ["exact", "pattern", "unverified"],
                "description": "Its best evidence: words of a conversation that fails, a summary, or neither.",
            },
            "evidence": {
                "type": "array",
                "items": made(
                    {
                        "conversation": TEXT,
                        "quote": TEXT,
                        "turn": {"type": ["integer", "null"]},
                        "kind": {"type": "string", "enum": ["exact", "pattern", "unverified"]},
                        "repair": TEXT_OR_NULL,
                        "source": TEXT_OR_NULL,
                    }
                ),
            },
            "doubts": {**TEXTS, "description": "Why it should not be believed; empty for what held."},
        }
    ),
    "Analysis": made(
        {
            "id": ID,
            "evaluation_id": ID,
            "status": words(AnalysisStatus),
            "automatic": YES,
            "findings": listed(known("Finding")),
            "notes": TEXTS,
            "note_codes": WARNING_CODES,
            "conversations_read": COUNT,
            "conversations_failing": COUNT,
            "parts": COUNT,
            "provider": TEXT,
            "model": TEXT,
            "waiting_for": TEXT,
            "error_message": TEXT,
            "created_at": THEN,
            "ended_at": TIME,
        }
    ),
    "AnalysisPage": page("Analysis"),
}

"""The shape of prompts beside each other (see apps.improvement.playground.queries.documents)."""

from apps.api.schema_building import COUNT, ID, NUMBER, TEXT, TEXTS, THEN, TIME, Schema, listed, made, optional, words
from apps.improvement.playground.domain.answers import ColumnStatus, PlaygroundStatus

_LINE: Schema = made(
    {
        "turn": COUNT,
        "customer": TEXT,
        "kept_reply": {**TEXT, "description": "What the agent answered when the conversation happened."},
    }
)
_REPLY: Schema = made({"text": TEXT, "tools": TEXTS, "latency_ms": COUNT})
_COLUMN: Schema = made(
    {
        "number": {"type": "integer", "minimum": 1},
        "prompt_version": optional("string", description="null: words of one's own, which stand in own_text."),
        "own_text": TEXT,
        "draft_id": {
            "type": ["string", "null"],
            "format": "uuid",
            "description": "Where these words are a draft by now.",
        },
        "provider": TEXT,
        "model": TEXT,
        "status": words(ColumnStatus),
        "replies": listed(_REPLY, description="In the order of the lines; fewer where it ended or failed."),
        "error_message": TEXT,
        "latency_ms": optional("integer", minimum=0),
        "calls": COUNT,
        "cost_usd": NUMBER,
    }
)
COMPONENTS: dict[str, Schema] = {
    "Playground": made(
        {
            "id": ID,
            "status": words(PlaygroundStatus),
            "conversation_id": ID,
            "agent": TEXT,
            "reached_by": {**TEXT, "description": "prompted, or the kind of its staging connection."},
            "from_turn": COUNT,
            "lines": listed(_LINE),
            "columns": listed(_COLUMN),
            "sentence": TEXT,
            "waiting_for": TEXT,
            "error_message": TEXT,
            "requested_by": TEXT,
            "created_at": THEN,
            "ended_at": TIME,
        }
    ),
}

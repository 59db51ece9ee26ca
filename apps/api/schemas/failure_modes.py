"""The shapes of failure modes (see apps.improvement.failure_modes.queries.documents)."""

from apps.api.schema_building import (
    COUNT,
    ID,
    INTERVAL,
    TEXT,
    TEXTS,
    THEN,
    TIME,
    Schema,
    known,
    listed,
    made,
    or_null,
    page,
    words,
)
from apps.improvement.drafts.domain.states import ProposalStatus
from apps.improvement.failure_modes.domain.rates import Change, RateSource
from apps.improvement.failure_modes.domain.states import ModeStatus, NoteShows

_NUMBER: Schema = {"type": "number"}
_NOTE: Schema = {
    "id": ID,
    "conversation_id": ID,
    "conversation": TEXT,
    "text": {**TEXT, "description": "Empty once the words of its conversation are deleted."},
    "author": TEXT,
    "while_rating": {"type": "boolean", "description": "Written without any score beside it."},
    "created_at": THEN,
}
_LINE: Schema = {
    "id": ID,
    "status": words(ModeStatus),
    "name": TEXT,
    "description": TEXT,
    "notes": COUNT,
    "conversations": COUNT,
    "first_noted_at": TIME,
    "rate": or_null(known("FailureModeRate")),
    "why_no_rate": TEXT,
    "criterion": TEXT,
    "into": {
        "type": ["string", "null"],
        "format": "uuid",
        "description": "The mode it was merged into, or belongs to.",
    },
    "fixed_at": TIME,
    "made_by": TEXT,
    "decided_by": TEXT,
    "created_at": THEN,
}
COMPONENTS: dict[str, Schema] = {
    "ConversationNote": made(_NOTE),
    "ConversationNotePage": page("ConversationNote"),
    "FailureModeNote": made({**_NOTE, "shows": words(NoteShows)}),
    "FailureModeRate": made(
        {
            "source": words(RateSource),
            "name": TEXT,
            "id": {**ID, "description": "The queue's, or the evaluation's."},
            "filter": {**TEXT, "description": "The address of what a queue was drawn from."},
            "at": {**THEN, "description": "When the last of its conversations happened."},
            "failed": COUNT,
            "looked_at": COUNT,
            "share": _NUMBER,
            "interval": {**INTERVAL, "type": "array", "description": "95 %, by Wilson."},
        }
    ),
    "FailureModeMovement": made(
        {
            "source": words(RateSource),
            "measure": TEXT,
            "before_failed": COUNT,
            "before_looked_at": COUNT,
            "after_failed": COUNT,
            "after_looked_at": COUNT,
            "difference": _NUMBER,
            "interval": {**INTERVAL, "type": "array", "description": "95 % of the difference, by Newcombe."},
            "change": words(Change),
        }
    ),
    "FailureModeFix": made(
        {
            "at": THEN,
            "by": TEXT,
            "cannot_be_compared": {**TEXT, "description": "Why there is no movement; empty where there is one."},
            "movements": listed(known("FailureModeMovement")),
        }
    ),
    "FailureModeLine": made(_LINE),
    "FailureModePage": page("FailureModeLine"),
    "FailureMode": made(
        {
            **_LINE,
            "rates": listed(known("FailureModeRate")),
            "published_in": {**TEXTS, "description": "Published config versions that judge by its criterion."},
            "fix": or_null(known("FailureModeFix")),
            "note_rows": listed(known("FailureModeNote"), description="The newest 200."),
        }
    ),
    "NoteGrouping": made(
        {
            "id": ID,
            "status": words(ProposalStatus),
            "notes": COUNT,
            "model": TEXT,
            "waiting_for": TEXT,
            "error_message": TEXT,
            "requested_by": TEXT,
            "proposals": listed(ID),
            "created_at": THEN,
            "ended_at": TIME,
        }
    ),
}

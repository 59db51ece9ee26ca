"""The shape of what search finds (see apps.reports.queries.search)."""

from apps.api.schema_building import (
    ID,
    ID_OR_NULL,
    LINK,
    NUMBER,
    TEXT,
    TEXTS,
    THEN,
    YES,
    Schema,
    known,
    listed,
    made,
    optional,
    words,
)
from apps.reports.queries.search import HitKind

COMPONENTS: dict[str, Schema] = {
    "SearchHit": made(
        {
            "kind": {**words(HitKind), "description": "What was said, why it was scored so, or the quote of a reason."},
            "excerpt": {**TEXT, "description": "What stands around the first word."},
            "conversation": ID,
            "conversation_id": {**TEXT, "description": "Its id where it came from."},
            "conversation_kind": TEXT,
            "run": TEXT,
            "language": TEXT,
            "at": THEN,
            "role": {**TEXT, "description": 'Who said a turn; "" otherwise.'},
            "turn": optional("integer", description="Its number in the transcript, from 0; null for a reason."),
            "evaluation_id": ID_OR_NULL,
            "evaluator_config": TEXT,
            "criterion": TEXT,
            "score": NUMBER,
            "url": {"type": "string", "format": "uri"},
        }
    ),
    "SearchResults": made(
        {
            "words": {
                **TEXTS,
                "description": "What was looked for: each is the beginning of a word, and all are there.",
            },
            "results": listed(known("SearchHit"), description="Turns, then reasons; the newest 25 of each."),
            "more_turns": {"type": "boolean", "description": "There are more: another word narrows them down."},
            "more_reasons": YES,
            "next": LINK,
            "previous": LINK,
        }
    ),
}

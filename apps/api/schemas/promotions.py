"""The shape of what a conversation became."""

from apps.api.schema_building import ANY, COUNT, ID, TEXT, THEN, Schema, listed, made, or_null

_SCORE: Schema = made({"criterion": TEXT, "below": {"type": "number"}})
COMPONENTS: dict[str, Schema] = {
    "PromotedConversation": made(
        {
            "promotion_id": {**ID, "description": "Of its page, /production/candidates/{id}/."},
            "scenario_id": ID,
            "scenario": {**TEXT, "description": "Its id in catalog files and results."},
            "status": {**TEXT, "description": "candidate until a person releases it; asked again, what became of it."},
            "created": {"type": "boolean", "description": "false: it was promoted before, and nothing changed."},
            "masking_blocked": {
                "type": "boolean",
                "description": "true: masking may have left something, and a person clears it before it is released.",
            },
            "must_not": listed(_SCORE),
        }
    ),
    "PromotionDetail": made(
        {
            "promotion_id": ID,
            "conversation_id": ID,
            "scenario_id": ID,
            "scenario": TEXT,
            "status": {**TEXT, "description": "Of the scenario: candidate until a person releases or archives it."},
            "masking": {"type": "string", "enum": ["clean", "blocked", "cleared"]},
            "residues": {
                **listed(made({"kind": TEXT, "turn": COUNT})),
                "description": "Where masking may have left something; its words stand on its page alone.",
            },
            "cleared": or_null(made({"by": TEXT, "at": THEN})),
            "must_not": listed(_SCORE),
            "signals": {**listed(ANY), "description": "Why it is here: kind, text, at."},
            "transcript": {**listed(ANY), "description": "What was said, masked: role, content, tool_calls."},
            "persona": {**TEXT, "description": "A draft of who the customer is."},
            "drafted_by": TEXT,
            "draft_note": TEXT,
            "promoted_by": TEXT,
            "created_at": THEN,
        }
    ),
}

"""The shape of what a conversation became."""

from apps.api.schema_building import ID, TEXT, Schema, listed, made

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
}

"""The shapes of what real customers said, as it is posted and answered."""

from apps.api.schema_building import COUNT, ID, TEXT, THEN, Schema, made

_STATUS: Schema = {
    "type": "string",
    "enum": ["open", "settled"],
    "description": "open: further turns may come; settled: it takes no more.",
}
COMPONENTS: dict[str, Schema] = {
    "ProductionConversationTaken": made({
        "id": {**TEXT, "description": "As it was posted; what could be a number or a name in it is masked."},
        "conversation_id": {**ID, "description": "Ours: of its page, and for feedback."},
        "test_run_id": {**ID, "description": "The run of this agent and these six hours."},
        "status": _STATUS,
        "turns": COUNT,
        "keep_until": {**THEN, "description": "From then on its turns are deleted."},
    }),
    "FeedbackTaken": made({
        "conversation_id": ID,
        "rating": TEXT,
        "new": {"type": "boolean", "description": "false: this id was there before, and nothing changed."},
    }),
}  # fmt: skip

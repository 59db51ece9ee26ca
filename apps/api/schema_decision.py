"""The shapes of what was decided (see apps.statistics.decision)."""

from apps.api.schema_building import COUNT, ID, INTERVAL, NUMBER, TEXT, THEN, Schema, counts, made, page, words
from apps.statistics.decision import OF_SCORES, Decision

DECIDED = (Decision.PASS, Decision.FAIL, Decision.UNDECIDED)

COMPONENTS: dict[str, Schema] = {
    "Subject": {
        "type": "object",
        "description": "Who was tested: shown in lists, filtered and compared by.",
        "properties": {
            "agent": {"type": "string", "maxLength": 200},
            "prompt_version": {"type": "string", "maxLength": 200},
            "label": {"type": "string", "maxLength": 200},
            "metadata": {"type": "object", "additionalProperties": True, "maxProperties": 50},
        },
        "additionalProperties": False,
    },
    "PromptRequest": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": r"^[A-Za-z0-9][A-Za-z0-9_-]*$"},
            "text": {"type": "string", "minLength": 1, "pattern": r"\S"},
            "revision": {
                "type": ["string", "null"], "maxLength": 40, "pattern": "^[A-Za-z0-9._-]*$",
                "description": "The commit it is of; without one a digest of the text.",
            },
        },
        "required": ["name", "text"],
        "additionalProperties": False,
    },
    "PromptLine": made({
        "id": ID, "version": TEXT, "name": TEXT, "text": TEXT, "digest": TEXT, "created_at": THEN,
    }),
    "PromptPage": page("PromptLine"),
    "Decision": made({
        "outcome": words(OF_SCORES),
        "why": {**TEXT, "description": "A stable word: reaches_mark, below_mark, blocked, not_completed …"},
        "sentence": TEXT,
        "pass_mark": {**NUMBER, "description": "Of the mean: the mean mark of what was scored."},
        "blocked": {
            "type": "object",
            "additionalProperties": COUNT,
            "description": "Conversations that each blocking criterion fails, whatever their score.",
        },
    }),
    "CriterionResult": made({
        "criterion": TEXT,
        "weight": {"type": "number"},
        "pass_mark": {"type": "number"},
        "mean": NUMBER,
        "interval": INTERVAL,
        "decision": words(OF_SCORES),
        "pass_rate": NUMBER,
        "scored": COUNT,
        "unscored": COUNT,
        "verdicts": counts(DECIDED),
    }),
}  # fmt: skip

"""The shapes of what was decided (see apps.statistics.decision)."""

from apps.api.schema_building import (
    COUNT,
    ID,
    INTERVAL,
    NUMBER,
    TEXT,
    TEXTS,
    THEN,
    YES,
    Schema,
    counts,
    made,
    page,
    words,
)
from apps.statistics.decision import OF_SCORES, Decision

DECIDED = (Decision.PASS, Decision.FAIL, Decision.UNDECIDED)

COMPONENTS: dict[str, Schema] = {
    "PromptLine": made(
        {
            "id": ID,
            "version": TEXT,
            "name": TEXT,
            "text": TEXT,
            "digest": TEXT,
            "created_at": THEN,
            "live": {"type": "boolean", "description": "Played where nobody names a version."},
            "needs_optimization": {
                "type": "boolean",
                "description": "It is live, an evaluation of it missed its mark, and no draft was released since.",
            },
        }
    ),
    "PromptPage": page("PromptLine"),
    "GoldenSessionKept": made(
        {
            "name": TEXT,
            "version": COUNT,
            "created": YES,
            "notes": TEXTS,
        }
    ),
    "Decision": made(
        {
            "outcome": words(OF_SCORES),
            "why": {**TEXT, "description": "A stable word: reaches_mark, below_mark, blocked, too_little_measured …"},
            "sentence": TEXT,
            "pass_mark": {**NUMBER, "description": "Of the mean: the mean mark of what was scored."},
            "blocked": {
                "type": "object",
                "additionalProperties": COUNT,
                "description": "Conversations that each blocking criterion fails, whatever their score.",
            },
            "missing": {
                **COUNT,
                "description": "Conversations that should have a verdict and have none; from an eighth of "
                "`expected` on, the others are no pass.",
            },
            "expected": COUNT,
            "sparse": {
                **TEXTS,
                "description": "Criteria that were scored nowhere, or in under half of the conversations "
                "they apply to.",
            },
        }
    ),
    "CriterionResult": made(
        {
            "criterion": TEXT,
            "title": {**TEXT, "description": "What people call it, in English; the name where it has none."},
            "weight": {"type": "number"},
            "pass_mark": {"type": "number"},
            "mean": NUMBER,
            "interval": INTERVAL,
            "decision": words(OF_SCORES),
            "pass_rate": NUMBER,
            "scored": COUNT,
            "unscored": COUNT,
            "verdicts": counts(DECIDED),
        }
    ),
}

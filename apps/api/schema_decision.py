"""The shapes of what was decided (see apps.statistics.decision)."""

from apps.api.schema_building import COUNT, INTERVAL, NUMBER, TEXT, Schema, counts, made, words
from apps.statistics.decision import Decision

DECIDED = (Decision.PASS, Decision.FAIL, Decision.UNDECIDED)

COMPONENTS: dict[str, Schema] = {
    "Decision": made({
        "outcome": words(Decision),
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
        "decision": words(Decision),
        "pass_rate": NUMBER,
        "scored": COUNT,
        "unscored": COUNT,
        "verdicts": counts(DECIDED),
    }),
}  # fmt: skip

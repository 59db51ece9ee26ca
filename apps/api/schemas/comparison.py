"""The shape of a comparison of two evaluations (see apps.reports.queries.comparison_document)."""

from apps.api.schema_building import (
    COUNT,
    ID,
    ID_OR_NULL,
    INTERVAL,
    NUMBER,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    WARNING_CODES,
    Schema,
    counts,
    known,
    listed,
    made,
    or_null,
    words,
)
from apps.reports.domain.comparison import ComparisonOutcome, ConversationChange

COMPONENTS: dict[str, Schema] = {
    "ComparedSide": made(
        {
            "evaluation_id": ID,
            "test_run_id": ID,
            "evaluator_config": TEXT,
            "label": TEXT,
            "fingerprints": TEXTS,
            "scored": COUNT,
            "left_out": {**COUNT, "description": "Scored by a fallback model, which this version leaves out."},
        }
    ),
    "Difference": made(
        {
            "criterion": TEXT,
            "pairs": COUNT,
            "clusters": {**COUNT, "description": "Trials of one case count once."},
            "trials_a": {**COUNT, "description": "Conversations of a behind the pairs."},
            "trials_b": COUNT,
            "mean_a": NUMBER,
            "mean_b": NUMBER,
            "difference": {**NUMBER, "description": "b minus a, in points of 0-10."},
            "interval": INTERVAL,
            "p": {**NUMBER, "description": "Sign-flip permutation, two-sided."},
            "p_adjusted": {**NUMBER, "description": "After Holm over all criteria and the overall score."},
            "passes_only_a": {"type": ["integer", "null"]},
            "passes_only_b": {"type": ["integer", "null"]},
            "p_passes": {**NUMBER, "description": "McNemar, exact."},
            "outcome": words(ComparisonOutcome),
            "needs_about": {"type": ["integer", "null"], "description": "How many more cases it takes to tell."},
        }
    ),
    "ComparedConversation": made(
        {
            "conversation_id": TEXT,
            "change": words(ConversationChange),
            "a": NUMBER,
            "b": NUMBER,
            "conversation_a": ID_OR_NULL,
            "conversation_b": ID_OR_NULL,
            "criterion": TEXT_OR_NULL,
            "reason": TEXT,
            "trials_a": {**COUNT, "description": "More than one: the mean of a case's trials is compared."},
            "trials_b": COUNT,
        }
    ),
    "Comparison": made(
        {
            "a": known("ComparedSide"),
            "b": known("ComparedSide"),
            "decision": {"type": "string", "description": "The answer in a sentence."},
            "same_conversations": {
                "type": "boolean",
                "description": "Two evaluations of one run: b_better says b judges more mildly; no agent is compared.",
            },
            "notes": TEXTS,
            "note_codes": WARNING_CODES,
            "overall": known("Difference"),
            "criteria": listed(known("Difference")),
            "counts": counts(ConversationChange),
            "conversations": listed(known("ComparedConversation")),
            "consistency": or_null(
                made(
                    {
                        "conversations": COUNT,
                        "a": {"type": "number"},
                        "b": {"type": "number"},
                        "interval": INTERVAL,
                    }
                )
            ),
        }
    ),
}

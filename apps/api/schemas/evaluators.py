"""The shape of evaluators compared (see apps.reports.queries.evaluators_document)."""

from apps.api.schema_building import (
    ANY,
    COUNT,
    ID,
    INTERVAL,
    NUMBER,
    TEXT,
    TEXTS,
    Schema,
    known,
    listed,
    made,
    optional,
)

COMPONENTS: dict[str, Schema] = {
    "EvaluatorConsistency": made(
        {
            "conversations": {**COUNT, "description": "Judged more than once."},
            "answers": COUNT,
            "deviation": {
                **NUMBER,
                "description": "Standard deviation over repeats of one conversation, in points of the "
                "shared criteria; null where none was answered twice.",
            },
            "interval": {**INTERVAL, "description": "95 % over conversations."},
        }
    ),
    "EvaluatorOpinion": made(
        {
            "label": TEXT,
            "evaluation_id": ID,
            "score": NUMBER,
            "pass_mark": NUMBER,
            "reason": TEXT,
            "evidence": listed(ANY),
        }
    ),
    "EvaluatorComparison": made(
        {
            "test_run_id": ID,
            "sentence": TEXT,
            "most_consistent": optional("string", description="null where it cannot be told."),
            "shared_criteria": TEXTS,
            "reworded_criteria": {**TEXTS, "description": "Shared by name; the text differs."},
            "evaluators": listed(
                made(
                    {
                        "label": TEXT,
                        "evaluation_id": ID,
                        "evaluator_config": TEXT,
                        "criteria": COUNT,
                        "only_here": TEXTS,
                        "scored": COUNT,
                        "mean": {**NUMBER, "description": "Of the shared criteria."},
                        "consistency": known("EvaluatorConsistency"),
                    }
                )
            ),
            "agreement": listed(
                made(
                    {
                        "a": TEXT,
                        "b": TEXT,
                        "criterion": optional("string", description="null: all shared ones."),
                        "verdicts": COUNT,
                        "alike": COUNT,
                        "contradictions": COUNT,
                        "difference": {**NUMBER, "description": "The mean of b minus a."},
                        "ac1": NUMBER,
                        "interval": INTERVAL,
                    }
                )
            ),
            "contradictions": listed(
                made(
                    {
                        "conversation_id": ID,
                        "conversation": TEXT,
                        "criterion": TEXT,
                        "apart": NUMBER,
                        "turns": {"type": "array", "items": COUNT, "description": "Quoted by either."},
                        "low": known("EvaluatorOpinion"),
                        "high": known("EvaluatorOpinion"),
                    }
                ),
                description="The widest first, at most 50.",
            ),
            "contradictions_in_all": COUNT,
        }
    ),
}

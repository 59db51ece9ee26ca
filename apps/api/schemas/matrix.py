"""The shape of a matrix (see apps.reports.queries.matrix.matrix_document)."""

from apps.api.schema_building import COUNT, ID, LINK, NUMBER, TEXT, TEXTS, YES, Schema, known, listed, made, optional

_VERDICT = optional("string", description="pass, fail or undecided; null where nothing was measured.")

COMPONENTS: dict[str, Schema] = {
    "MatrixCell": made(
        {
            "criterion": TEXT,
            "score": NUMBER,
            "pass_mark": NUMBER,
            "unscored_reason": optional("string"),
            "decision": _VERDICT,
        }
    ),
    "MatrixRow": made(
        {
            "conversation_id": ID,
            "conversation": TEXT,
            "judgement": {**TEXT, "description": "Its state."},
            "verdict": _VERDICT,
            "blockers": {**TEXTS, "description": "Blocking criteria that fail."},
            "score": NUMBER,
            "persona": TEXT,
            "scenario": TEXT,
            "language": TEXT,
            "cells": listed(known("MatrixCell")),
        }
    ),
    "Matrix": made(
        {
            "evaluation_id": ID,
            "evaluator_config": TEXT,
            "criteria": listed(made({"name": TEXT, "blocking": YES})),
            "total": optional(
                "integer", description="How many rows the filters leave; null where that was not counted."
            ),
            "conversations": {**COUNT, "description": "Of the whole evaluation."},
            "verdicts": {"type": "object", "additionalProperties": COUNT},
            "cut_short": {"type": "boolean", "description": "So many rows were looked at that the rest is in `next`."},
            "results": listed(known("MatrixRow")),
            "next": LINK,
            "previous": LINK,
        }
    ),
}

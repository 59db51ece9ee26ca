"""The shape of a comparison of two evaluations (see apps.evaluations.queries.comparison_document)."""

from typing import Any

from apps.evaluations.domain.comparison import Change, Outcome

_ID = {"type": "string", "format": "uuid"}
_TEXT = {"type": "string"}
_NUMBER = {"type": ["number", "null"]}
_COUNT = {"type": "integer", "minimum": 0}
_INTERVAL = {"type": ["array", "null"], "items": {"type": "number"}, "minItems": 2, "maxItems": 2}


def made(properties: dict[str, Any]) -> dict[str, Any]:
    """An object we send: every field is there, and no other."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _known(component: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{component}"}


COMPONENTS: dict[str, dict[str, Any]] = {
    "ComparedSide": made({
        "evaluation_id": _ID,
        "test_run_id": _ID,
        "evaluator_config": _TEXT,
        "label": _TEXT,
        "fingerprints": {"type": "array", "items": _TEXT},
        "scored": _COUNT,
        "left_out": {**_COUNT, "description": "Scored by a fallback model, which this version leaves out."},
    }),
    "Difference": made({
        "criterion": _TEXT,
        "pairs": _COUNT,
        "clusters": {**_COUNT, "description": "Trials of one case count once."},
        "mean_a": _NUMBER,
        "mean_b": _NUMBER,
        "difference": {**_NUMBER, "description": "b minus a, in points of 0-10."},
        "interval": _INTERVAL,
        "p": {**_NUMBER, "description": "Sign-flip permutation, two-sided."},
        "p_adjusted": {**_NUMBER, "description": "After Holm over all criteria and the overall score."},
        "passes_only_a": {"type": ["integer", "null"]},
        "passes_only_b": {"type": ["integer", "null"]},
        "p_passes": {**_NUMBER, "description": "McNemar, exact."},
        "outcome": {"type": "string", "enum": [one.value for one in Outcome]},
        "needs_about": {"type": ["integer", "null"], "description": "How many more cases it takes to tell."},
    }),
    "ComparedConversation": made({
        "conversation_id": _TEXT,
        "change": {"type": "string", "enum": [one.value for one in Change]},
        "a": _NUMBER,
        "b": _NUMBER,
        "conversation_a": {"type": ["string", "null"], "format": "uuid"},
        "conversation_b": {"type": ["string", "null"], "format": "uuid"},
        "criterion": {"type": ["string", "null"]},
        "reason": _TEXT,
    }),
    "Comparison": made({
        "a": _known("ComparedSide"),
        "b": _known("ComparedSide"),
        "decision": {"type": "string", "description": "The answer in a sentence."},
        "notes": {"type": "array", "items": _TEXT},
        "overall": _known("Difference"),
        "criteria": {"type": "array", "items": _known("Difference")},
        "counts": made({one.value: _COUNT for one in Change}),
        "conversations": {"type": "array", "items": _known("ComparedConversation")},
        "consistency": {
            "oneOf": [
                {"type": "null"},
                made({
                    "conversations": _COUNT,
                    "a": {"type": "number"},
                    "b": {"type": "number"},
                    "interval": _INTERVAL,
                }),
            ]
        },
    }),
}  # fmt: skip

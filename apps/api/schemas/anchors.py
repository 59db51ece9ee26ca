"""The shapes of anchors: frozen conversations that tell whether the judge moved."""

from apps.api.schema_building import COUNT, ID, NUMBER, TEXT, THEN, Schema, known, listed, made, words
from apps.production.sampling.domain.states import AnchorSetStatus, DriftCause, GradingStatus

_SHIFT: Schema = {"anyOf": [known("AnchorShift"), {"type": "null"}]}
COMPONENTS: dict[str, Schema] = {
    "AnchorShift": made(
        {
            "value": {"type": "number", "description": "Points."},
            "variance": {"type": "number"},
            "degrees": NUMBER,
            "low": {"type": "number", "description": "Of the interval of 95 %."},
            "high": {"type": "number"},
            "n": COUNT,
            "p": {**NUMBER, "description": "Two-sided; null where too few were graded to ask."},
            "shown": {"type": "boolean", "description": "Whether it is claimed, at .05/26."},
        }
    ),
    "RequestShare": made(
        {
            "kind": {**TEXT, "description": "Of requests, read by the customer's first words."},
            "before": {"type": "number", "description": "Its part of all that settled, 0 to 1."},
            "after": {"type": "number"},
        }
    ),
    "AnchorWeek": made(
        {
            "week": COUNT,
            "status": words(GradingStatus),
            "evaluation_id": ID,
            "asked_at": THEN,
            "mover": {
                **words(DriftCause),
                "description": "not_asked: too early for others than the judge, which did not move.",
            },
            "why": TEXT,
            "shift": {**_SHIFT, "description": "Of this week's grades from the baseline."},
            "judge": {**_SHIFT, "description": "Of the last four weeks from the baseline."},
            "agent": _SHIFT,
            "customers": _SHIFT,
            "requests": {
                **listed(known("RequestShare")),
                "description": "Kinds of requests whose share changed by .05 and more between the two four weeks.",
            },
            "requests_counted": {
                "type": "boolean",
                "description": "Whether customers were compared by kind of request too, not by "
                "language and channel alone.",
            },
            "criteria": {"type": "object", "additionalProperties": known("AnchorShift")},
        }
    ),
    "AnchorSet": made(
        {
            "id": ID,
            "evaluator_config": TEXT,
            "status": words(AnchorSetStatus),
            "anchors": COUNT,
            "frozen_at": THEN,
            "baseline_gradings": {**COUNT, "description": "Of five."},
            "weeks": listed(known("AnchorWeek")),
        }
    ),
    "AnchorSets": made({"results": listed(known("AnchorSet"))}),
    "AnchorSetFrozen": made(
        {
            "id": ID,
            "anchors": COUNT,
            "left_out": {**COUNT, "description": "Labelled too, and not clean after masking."},
        }
    ),
}

"""The shape of a persona (see apps.api.queries.personas)."""

from apps.api.schema_building import ANY, COUNT, ID, TEXT, THEN, Schema, made, or_null, page, words
from apps.catalog.domain.states import PersonaOrigin, PersonaStatus

_LINE: Schema = {
    "id": ID,
    "name": TEXT,
    "language": TEXT,
    "origin": words(PersonaOrigin),
    "status": words(PersonaStatus),
    "may_play": {"type": "boolean", "description": "In battles: validated and, where wanted, released; or overridden."},
    "why_not": {**TEXT, "description": "Why it may not play, in words; empty where it may."},
    "needs_release": {"type": "boolean", "description": "A curator must release it too."},
    "scores": {"type": "object", "additionalProperties": {"type": "number", "minimum": 1, "maximum": 10}},
    "rejection_reason": TEXT,
    "created_at": THEN,
    "updated_at": THEN,
}
COMPONENTS: dict[str, Schema] = {
    "PersonaLine": made(_LINE),
    "PersonaPage": page("PersonaLine"),
    "PersonaDetail": made(
        {
            **_LINE,
            "text": TEXT,
            "spec": {**ANY, "description": "The structured persona in its shortest form; empty where there is none."},
            "validation": {**ANY, "description": "How the scores came about: weights, threshold, reasons, probes."},
            "override": or_null(made({"by": TEXT, "reason": TEXT, "at": THEN})),
            "release": or_null(made({"by": TEXT, "at": THEN})),
            "record": made(
                {
                    "battles": COUNT,
                    "unusable": {**COUNT, "description": "Battles that stayed invalid after their replays."},
                    "reviewed": {**COUNT, "description": "Attempts whose simulated customer was reviewed."},
                    "invalid": COUNT,
                }
            ),
        }
    ),
}

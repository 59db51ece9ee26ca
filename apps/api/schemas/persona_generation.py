"""The shape of a set of personas (see apps.personas.queries.generation_progress)."""

from apps.api.schema_building import COUNT, ID, NUMBER, TEXT, THEN, TIME, Schema, counts, known, listed, made, words
from apps.catalog.domain.states import PersonaStatus
from apps.catalog.personas.domain.work import PersonaWorkStatus

_CELL = {"language": TEXT, "goal": TEXT, "temper": TEXT}
COMPONENTS: dict[str, Schema] = {
    "PersonaGenerationTaken": made(
        {"id": ID, "status": {"const": "pending"}, "status_url": {"type": "string", "format": "uri"}}
    ),
    "PersonaForecast": made(
        {
            "personas": COUNT,
            "calls": {**COUNT, "description": "About how many calls of models, if nothing has to be written again."},
            "cost_usd": {**NUMBER, "description": "In all; null where the price of a part is not known."},
            "parts": listed(
                made(
                    {
                        "part": TEXT,
                        "model": TEXT,
                        "calls": COUNT,
                        "cost_usd": NUMBER,
                        "sample": COUNT,
                        "why": TEXT,
                    }
                )
            ),
        }
    ),
    "GeneratedPersona": made(
        {
            "id": ID,
            "name": TEXT,
            **_CELL,
            "status": words(PersonaStatus),
            "scores": {"type": "object", "additionalProperties": {"type": "number"}},
            "why": {**TEXT, "description": "Why it was rejected, or why it has no verdict yet."},
            "open": {"type": "boolean", "description": "A verdict is still to come by itself."},
        }
    ),
    "PersonaVariety": made(
        {
            "figure": {"type": "number", "description": "1: no two share neighbouring words; 0: each has a copy."},
            "most_alike": {"type": "number", "description": "0 to 1, of the two that are most alike."},
            "closest": listed(TEXT),
        }
    ),
    "PersonaPeople": made(
        {
            "of": COUNT,
            "different": {
                "type": ["integer", "null"],
                "minimum": 0,
                "description": "As the model that wrote them says, asked once when the set is "
                "written; null: not measured.",
            },
            "same": {
                **listed(listed(TEXT)),
                "description": "Names of personas that are the same person in other words, a list "
                "for each such person.",
            },
            "why": {**TEXT, "description": "Why it was not measured."},
            "sentence": TEXT,
        }
    ),
    "PersonaGeneration": made(
        {
            "id": ID,
            "agent": TEXT,
            "status": words(PersonaWorkStatus),
            "wanted": COUNT,
            "written": COUNT,
            "counts": counts(PersonaStatus),
            "settled": {"type": "boolean", "description": "Nothing more happens by itself."},
            "variety": {
                "oneOf": [known("PersonaVariety"), {"type": "null"}],
                "description": "How unlike the personas are by their words; null for fewer than two.",
            },
            "people": {
                "oneOf": [known("PersonaPeople"), {"type": "null"}],
                "description": "How many different people they are, whatever their words; null for fewer than two.",
            },
            "personas": listed(known("GeneratedPersona")),
            "not_written": listed(made({**_CELL, "why": TEXT})),
            "model": TEXT,
            "waiting_for": TEXT,
            "waits": {
                **listed(made({"why": TEXT, "personas": COUNT, "next_try_at": TIME})),
                "description": "What is waited for now, by how many personas, and when it is tried again.",
            },
            "error_message": TEXT,
            "created_at": THEN,
            "ended_at": TIME,
        }
    ),
}

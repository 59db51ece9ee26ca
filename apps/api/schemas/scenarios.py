"""The shape of a scenario (see apps.api.queries.scenarios)."""

from apps.api.schema_building import ANY, COUNT, ID, TEXT, THEN, Schema, listed, made, optional, or_null, page, words
from apps.catalog.domain.states import ScenarioStatus

_LINE: Schema = {
    "id": ID,
    "scenario": {**TEXT, "description": "Its id in catalog files and results."},
    "status": {**words(ScenarioStatus), "description": "Only what is released plays."},
    "origin": {**TEXT, "description": "production: a real conversation became it; empty: written by hand or a file."},
    "family": {**TEXT, "description": "Scenarios of one family ask the same thing and count once."},
    "persona": optional("string", description="null: the usual customer of its language."),
    "language": TEXT,
    "goal": TEXT,
    "release": or_null(made({"by": TEXT, "at": THEN})),
    "prevented": {**COUNT, "description": "How many gates stopped it from happening again."},
    "created_at": THEN,
    "updated_at": THEN,
}
COMPONENTS: dict[str, Schema] = {
    "ScenarioLine": made(_LINE),
    "ScenarioPage": page("ScenarioLine"),
    "ScenarioDetail": made(
        {
            **_LINE,
            "opening": TEXT,
            "max_turns": COUNT,
            "script": {**ANY, "description": "What the customer says word for word, and the calls before and after."},
            "assertions": listed(ANY),
            "must_not": listed(made({"criterion": TEXT, "below": {"type": "number"}})),
            "can_fail": {
                "type": "boolean",
                "description": "Whether anything is named that must not happen: what came from "
                "production is not released "
                "without.",
            },
            "provenance": {
                **ANY,
                "description": "What it was made of: conversation, run, feedback, prompt, who asked.",
            },
            "promotion_id": optional("string", format="uuid"),
            "masking_blocked": {
                "type": "boolean",
                "description": "true: a person clears the masking on its page before it is released.",
            },
        }
    ),
}

"""The shape of the texts that ask the workshop's models."""

from apps.api.schema_building import (
    ID_OR_NULL,
    TEXT,
    TIME,
    YES,
    Schema,
    listed,
    made,
    words,
)
from apps.improvement.prompt_templates.domain.texts import TemplatePurpose

COMPONENTS: dict[str, Schema] = {
    "PromptTemplates": made(
        {
            "results": listed(
                made(
                    {
                        "id": ID_OR_NULL,
                        "purpose": words(TemplatePurpose),
                        "language": TEXT,
                        "version": {**TEXT, "description": "`built-in N` of one that ships, else its number."},
                        "in_force": YES,
                        "system": TEXT,
                        "ask": TEXT,
                        "note": TEXT,
                        "created_by": TEXT,
                        "created_at": TIME,
                    }
                )
            )
        }
    ),
}

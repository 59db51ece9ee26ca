"""Build the API's shapes from a few words of JSON Schema 2020-12."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from apps.evaluations.domain.warnings import CODES_DESCRIPTION

Schema = dict[str, Any]

ANY: Schema = {"type": "object", "additionalProperties": True}
YES: Schema = {"type": "boolean"}
ID: Schema = {"type": "string", "format": "uuid"}
ID_OR_NULL: Schema = {"type": ["string", "null"], "format": "uuid"}
TEXT: Schema = {"type": "string"}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
TEXTS: Schema = {"type": "array", "items": TEXT}
COUNT: Schema = {"type": "integer", "minimum": 0}
COUNT_OR_NULL: Schema = {"type": ["integer", "null"], "minimum": 0}
NUMBER: Schema = {"type": ["number", "null"]}
TIME: Schema = {"type": ["string", "null"], "format": "date-time"}
THEN: Schema = {"type": "string", "format": "date-time"}
LINK: Schema = {"type": ["string", "null"], "format": "uri"}
INTERVAL: Schema = {"type": ["array", "null"], "items": {"type": "number"}, "minItems": 2, "maxItems": 2}

WARNING_CODES: Schema = {"type": "array", "items": TEXT, "description": CODES_DESCRIPTION}


def made(properties: Schema) -> Schema:
    """An object we send: every field is there, and no other."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def known(component: str) -> Schema:
    """Refer to the component of this name in the document."""
    return {"$ref": f"#/components/schemas/{component}"}


def listed(item: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": item, **more}


def page(item: str) -> Schema:
    """A page of a list, and its neighbours."""
    return made({"results": listed(known(item)), "next": LINK, "previous": LINK})


def words(states: Iterable[StrEnum]) -> Schema:
    return {"type": "string", "enum": [state.value for state in states]}


def word_or_null(states: Iterable[StrEnum]) -> Schema:
    return {"type": ["string", "null"], "enum": [*(state.value for state in states), None]}


def counts(states: Iterable[StrEnum]) -> Schema:
    """Build the schema of a count by state, every state named."""
    return made({state.value: COUNT for state in states})


def optional(kind: str, **more: Any) -> Schema:
    return {"type": [kind, "null"], **more}


def or_null(shape: Schema) -> Schema:
    return {"oneOf": [{"type": "null"}, shape]}

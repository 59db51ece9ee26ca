"""The shapes of what the API answers, from the documents themselves."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from apps.api.schema_building import Schema, known, made, or_null, page
from apps.core.documents import Document
from apps.core.validation import json_schemas

_REFERENCE = "#/components/schemas/"
# A page of a list: {its name: of what}.
PAGES: dict[str, str] = {
    "TrialPage": "TrialLine",
    "OptimizationPage": "OptimizationLine",
    "ConversationNotePage": "ConversationNote",
    "FailureModePage": "FailureModeLine",
    "RolloutPage": "RolloutLine",
    "DraftPage": "DraftLine",
    "PersonaPage": "PersonaLine",
    "ScenarioPage": "ScenarioLine",
    "SnapshotPage": "SnapshotLine",
    "AnalysisPage": "Analysis",
    "ConversationPage": "Conversation",
    "GoldenSessionPage": "GoldenSessionLine",
    "CheckResultPage": "CheckResult",
}


def answer_components() -> dict[str, Schema]:
    """{name: JSON Schema} of the documents that have a name, and of pages of them; another stands where it is used."""
    import_module("apps.api.urls")  # the views import every document that is answered
    documents = [document for document in _derived(Document) if document.component]
    schemas = json_schemas(documents, _REFERENCE + "{model}")
    # A docstring is for readers of the code.
    by_class = {
        key: {word: part for word, part in schema.items() if word != "description"} for key, schema in schemas.items()
    }
    names = {document.__name__: document.component for document in documents}
    pages = {name: page(item) for name, item in PAGES.items()}
    return pages | {name: _sent(by_class[key], by_class, names) for key, name in names.items()}


def _derived(document: type[Document]) -> Iterator[type[Document]]:
    for child in document.__subclasses__():
        yield child
        yield from _derived(child)


def _sent(schema: Any, by_class: Mapping[str, Schema], names: Mapping[str, str]) -> Any:
    """Rewrite a schema as `schema_building` words it.

    Every member is there, null is a type, and only components have a name.
    """
    if isinstance(schema, list):
        return [_sent(part, by_class, names) for part in schema]
    if not isinstance(schema, dict):
        return schema
    more = {key: _sent(part, by_class, names) for key, part in schema.items() if key not in ("$ref", "anyOf")}
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REFERENCE)
        return ({"$ref": _REFERENCE + names[name]} if name in names else _sent(by_class[name], by_class, names)) | more
    if "component" in schema:
        return known(more.pop("component")) | more
    if "anyOf" in schema:
        return _or_null(_sent(schema["anyOf"][0], by_class, names)) | more
    if "properties" in more and "additionalProperties" not in more:
        return more | made(more["properties"])
    return more


def _or_null(schema: Schema) -> Schema:
    unbounded = schema.get("type") == "array" and "minItems" not in schema
    if not isinstance(schema.get("type"), str) or "properties" in schema or unbounded:
        return or_null(schema)
    words = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, "type": [schema["type"], "null"], **words}

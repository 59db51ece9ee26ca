"""The strict dialect: closed objects, everything required, nothing the providers refuse."""

from typing import Any

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.connectors.llms.schemas import strict_schema

VERDICT = {
    "type": "object",
    "properties": {
        "nonce": {"type": "string", "pattern": "^[a-z]+$"},
        "scores": {
            "type": "object",
            "properties": {
                # names that look like keywords are data and must stay
                "pattern": {"$ref": "#/$defs/one"},
                "default": {"$ref": "#/$defs/one"},
            },
            "required": ["pattern", "default"],
        },
    },
    "required": ["scores"],
    "$defs": {"one": {"type": "object", "properties": {"score": {"type": "number", "minimum": 0}}}},
}


def objects(node: Any) -> list[dict[str, Any]]:
    found = []
    if isinstance(node, dict):
        if node.get("type") in ("object", ["object", "null"]):
            found.append(node)
        for value in node.values():
            found += objects(value)
    elif isinstance(node, list):
        for value in node:
            found += objects(value)
    return found


def test_every_object_is_closed_and_every_property_required() -> None:
    strict = strict_schema(VERDICT)
    jsonschema.Draft202012Validator.check_schema(strict)
    for node in objects(strict):
        assert node["additionalProperties"] is False
        assert node["required"] == list(node["properties"])


def test_optional_becomes_nullable_and_bounds_go() -> None:
    strict = strict_schema(VERDICT)
    assert strict["properties"]["nonce"] == {"type": ["string", "null"]}
    assert strict["$defs"]["one"]["properties"]["score"] == {"type": ["number", "null"]}


def test_criteria_named_like_keywords_survive() -> None:
    assert list(strict_schema(VERDICT)["properties"]["scores"]["properties"]) == ["pattern", "default"]


def test_the_original_is_not_changed_and_the_second_time_is_free() -> None:
    before = str(VERDICT)
    assert strict_schema(VERDICT) is strict_schema(VERDICT)
    assert str(VERDICT) == before


@settings(deadline=None)
@given(
    st.dictionaries(
        st.text(max_size=6), st.sampled_from([{"type": "number", "maximum": 3}, {"enum": ["a"]}]), max_size=5
    )
)
def test_what_the_strict_form_accepts_was_asked_for(properties: dict[str, Any]) -> None:
    strict = strict_schema({"type": "object", "properties": properties})
    answer = {name: None for name in properties}
    jsonschema.validate(answer, strict)
    assert set(strict["required"]) == set(properties)

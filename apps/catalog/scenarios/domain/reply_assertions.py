"""The assertions that a scenario may make about every reply of the agent: its time, its length, its JSON shape.

    - {replies: {latency_ms: 2000}}                 no reply took longer
    - {replies: {words: {min: 1, max: 60}}}         so many words each
    - {replies: {json: true}}                       each is a JSON value; or a JSON Schema (2020-12) instead of true

A schema refers to nothing (`$ref`) and holds no patterns: it is read in one pass, and asks no other address.
"""

import json
from collections.abc import Mapping
from typing import Any

from apps.catalog.domain import field_readers as checks
from apps.core.errors import BadInput

MAX_SCHEMA_CHARS = 10_000
MAX_LATENCY_MS = 600_000
_ELSEWHERE = ("$ref", "$dynamicRef", "$recursiveRef", "$id", "pattern")
LIMITS = ("latency_ms", "words", "json")


def read_reply_limits(data: Mapping[str, Any], at: str) -> dict[str, Any]:
    """The assertion `{replies: …}` with what it needs and nothing else. Raises BadInput with the pointer."""
    checks.only(data, ("replies",), at)
    at = f"{at}/replies"
    raw = checks.mapping(data["replies"], at)
    checks.only(raw, LIMITS, at)
    limits: dict[str, Any] = {}
    if "latency_ms" in raw:
        limits["latency_ms"] = checks.number(raw["latency_ms"], f"{at}/latency_ms", low=1, high=MAX_LATENCY_MS)
    if "words" in raw:
        limits["words"] = _words(raw["words"], f"{at}/words")
    if "json" in raw and raw["json"] is not False:
        limits["json"] = True if raw["json"] is True else _schema(raw["json"], f"{at}/json")
    if not limits:
        raise BadInput(f"{at} names at least one of {', '.join(LIMITS)}", pointer=at)
    return {"replies": limits}


def _words(value: Any, at: str) -> dict[str, int]:
    raw = checks.mapping(value, at)
    checks.only(raw, ("min", "max"), at)
    words = {key: checks.integer(number, f"{at}/{key}", low=0, high=100_000) for key, number in raw.items()}
    if not words or words.get("min", 0) > words.get("max", 100_000):
        raise BadInput(f"{at} has min, max or both, and min is not above max", pointer=at)
    return words


def _schema(value: Any, at: str) -> dict[str, Any]:
    import jsonschema  # noqa: PLC0415 - only who asserts a schema loads it

    schema = checks.json_mapping(value, at)
    if len(json.dumps(schema)) > MAX_SCHEMA_CHARS:
        raise BadInput(f"{at}: a schema has at most {MAX_SCHEMA_CHARS:,} characters", pointer=at)
    _refuse_elsewhere(schema, at)
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except (jsonschema.SchemaError, RecursionError) as error:
        raise BadInput(f"{at} is no JSON Schema: {str(error)[:200]}", pointer=at) from error
    return schema


def _refuse_elsewhere(value: Any, at: str) -> None:
    for key, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
        if key == "patternProperties" or (key in _ELSEWHERE and isinstance(inner, str)):
            raise BadInput(f"{at}: a schema here has no {key}: write out what it stands for", pointer=at)
        if isinstance(inner, Mapping | list):
            _refuse_elsewhere(inner, at)

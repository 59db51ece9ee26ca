"""The published description of the public API of Langfuse, and whether a body fits it."""

from functools import cache
from typing import Any

import jsonschema
import yaml

from tests.shared_data import SHARED


def fits(body: Any, *, path: str, method: str) -> None:
    """Raises where the body of a request is not what is described there."""
    document = _described()
    schema = document["paths"][path][method]["requestBody"]["content"]["application/json"]["schema"]
    jsonschema.validate(body, {**schema, "components": document["components"]})


@cache
def _described() -> Any:
    text = (SHARED / "data/conformance/langfuse/openapi.yml").read_text()
    return _nullable(yaml.load(text, Loader=yaml.CSafeLoader))


def _nullable(value: Any) -> Any:
    """`nullable` of OpenAPI 3.0 as JSON Schema has it."""
    if isinstance(value, list):
        return [_nullable(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: _nullable(one) for key, one in value.items() if key != "nullable"}
    if value.get("nullable") is True and ("type" in found or "$ref" in found):
        return {"anyOf": [found, {"type": "null"}]}
    return found

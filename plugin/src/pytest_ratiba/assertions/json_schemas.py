"""JSON Schemas, by the package jsonschema, which the extra `pytest-ratiba[schema]` brings."""

from collections.abc import Mapping
from typing import Any

from pytest_ratiba.assertions.outcome import AssertionSetupError


def _package() -> Any:
    try:
        import jsonschema
    except ImportError as error:
        raise AssertionSetupError("JSON Schemas need a package: pip install 'pytest-ratiba[schema]'") from error
    return jsonschema


def schema_error(schema: Mapping[str, Any]) -> str | None:
    """Return the fault that the metaschema finds in this schema; None where the schema is valid."""
    package = _package()
    try:
        package.validators.validator_for(schema, default=package.Draft202012Validator).check_schema(schema)
    except package.SchemaError as error:
        return f"{error.json_path}: {error.message}"
    return None


def value_problems(value: Any, schema: Mapping[str, Any]) -> list[str]:
    """List the differences of a value from the schema, each with its JSON path.
    Raises AssertionSetupError where the schema is not a valid JSON Schema."""
    package = _package()
    if error := schema_error(schema):
        raise AssertionSetupError(f"the JSON Schema is none: {error}")
    validator = package.validators.validator_for(schema, default=package.Draft202012Validator)(
        schema, format_checker=package.FormatChecker()
    )
    return [
        f"{one.json_path}: {one.message}" for one in sorted(validator.iter_errors(value), key=lambda e: e.json_path)
    ]

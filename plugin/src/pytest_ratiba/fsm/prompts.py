"""Prompt templates that render, and tool schemas that are schemas. No model is asked."""

import re
import string
from collections.abc import Mapping
from typing import Any

ENGINES = ("format", "template", "mustache", "jinja")
_MUSTACHE = re.compile(r"\{\{\s*([A-Za-z_][\w.]*)\s*\}\}")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def render_problems(text: str, engine: str, values: Mapping[str, Any]) -> list[str]:
    """Render the template with these values and list the faults.
    A name without a value is a fault, and so is a value that the template never uses.

    `format` is str.format, `template` string.Template, `mustache` plain {{ name }}, `jinja` Jinja2 (which must be
    installed).
    """
    try:
        used, rendered = _ENGINES[engine](text, values)
    except (ValueError, IndexError, AttributeError, TypeError) as error:
        return [f"does not render: {error}"]
    problems = [f"{name} has no value" for name in sorted(used - set(values))]
    problems += [f"{name} is given, and the template does not use it" for name in sorted(set(values) - used)]
    if not problems and not rendered.strip():
        problems.append("renders to nothing")
    return problems


def _format(text: str, values: Mapping[str, Any]) -> tuple[set[str], str]:
    fields = [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]
    used = {re.split(r"[.\[]", name)[0] for name in fields}
    return used, text.format_map(values) if used <= set(values) else ""


def _template(text: str, values: Mapping[str, Any]) -> tuple[set[str], str]:
    template = string.Template(text)
    used = set(template.get_identifiers())
    return used, template.substitute(values) if used <= set(values) else ""


def _mustache(text: str, values: Mapping[str, Any]) -> tuple[set[str], str]:
    used = {name.split(".")[0] for name in _MUSTACHE.findall(text)}
    return used, _MUSTACHE.sub(lambda found: str(values.get(found[1], "")), text)


def _jinja(text: str, values: Mapping[str, Any]) -> tuple[set[str], str]:
    import jinja2
    import jinja2.meta

    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)  # noqa: S701 - text, no page
    try:
        used = jinja2.meta.find_undeclared_variables(environment.parse(text))
        return used, environment.from_string(text).render(values) if used <= set(values) else ""
    except jinja2.TemplateError as error:
        raise ValueError(str(error)) from error


_ENGINES = dict(zip(ENGINES, (_format, _template, _mustache, _jinja), strict=True))


def tool_name(tool: Any) -> str:
    """Return the name of a tool in reports; "?" where it has none."""
    described = _described(tool)
    return str(described.get("name") or "?") if described else "?"


def tool_problems(tool: Any) -> list[str]:
    """List the faults of a tool as a provider would see it.
    The forms of OpenAI and Anthropic are read, and LangChain's tools.

    Its name, its description, and its parameters as a JSON Schema of an object whose required names exist.
    """
    described = _described(tool)
    if described is None:
        return [f"{tool!r} is neither a mapping nor a tool of LangChain"]
    problems = []
    if not _NAME.fullmatch(str(described.get("name") or "")):
        problems.append(f"name {described.get('name')!r}: 1 to 64 letters, digits, _ and -")
    if not str(described.get("description") or "").strip():
        problems.append("has no description: the model chooses by it")
    schema = described.get("parameters")
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        return [*problems, "its parameters are not a JSON Schema of type object"]
    problems += schema_problems(schema)
    known = schema.get("properties") or {}
    if isinstance(known, Mapping) and isinstance(schema.get("required"), list):
        problems += [f"{name} is required, and no property" for name in schema["required"] if name not in known]
    return problems


def _described(tool: Any) -> dict[str, Any] | None:
    if isinstance(tool, Mapping):
        inner = tool.get("function", tool)
        if not isinstance(inner, Mapping):
            return None
        parameters = inner.get("parameters", inner.get("input_schema"))
        return {"name": inner.get("name"), "description": inner.get("description"), "parameters": parameters}
    schema = getattr(tool, "tool_call_schema", None) or getattr(tool, "args_schema", None)
    if schema is None or not hasattr(tool, "name"):
        return None
    parameters = schema if isinstance(schema, Mapping) else schema.model_json_schema()
    return {"name": tool.name, "description": getattr(tool, "description", ""), "parameters": parameters}


def schema_problems(schema: Mapping[str, Any]) -> list[str]:
    """List the fault that the metaschema finds in a JSON Schema, [] where there is none.
    Needs the package jsonschema."""
    from pytest_ratiba.assertions.json_schemas import schema_error

    error = schema_error(schema)
    return [error] if error else []

"""Headers and cookies of an agent's own, as templates."""

from collections.abc import Mapping
from typing import Any

from apps.connectors.agents.templates import Template
from apps.core.errors import BadInput


def header_templates(options: Mapping[str, Any], option: str, *, names: tuple[str, ...]) -> dict[str, Template]:
    """The templates of `headers` or `cookies`, by name. Raises BadInput with the pointer."""
    given = options.get(option) or {}
    if not isinstance(given, Mapping):
        raise BadInput(f"{option} are names with texts: {{name: text}}", pointer=f"/options/{option}")
    return {str(name): Template(value, f"/options/{option}/{name}", names=names) for name, value in given.items()}


def rendered_headers(templates: Mapping[str, Template], values: Mapping[str, Any]) -> dict[str, str]:
    """Render the headers for one request. A header that would hold a session nobody has yet is left out."""
    empty = values.get("session") is None
    shown = {name: template for name, template in templates.items() if not (empty and "session" in template.uses)}
    return {name: str(template.render(values)) for name, template in shown.items()}

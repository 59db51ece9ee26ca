"""Name the persona of a conversation, as lists do."""

from collections.abc import Mapping
from typing import Any


def persona_of(spec: Mapping[str, Any]) -> str:
    """Return the persona's name where the plan has one, else the first words of its text."""
    name = spec.get("persona_name")
    return str(name) if name else str(spec.get("persona") or "").split(".")[0].split("\n")[0][:60]

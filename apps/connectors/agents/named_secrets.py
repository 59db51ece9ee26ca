"""Find the secrets that an agent's settings name, and those of them that nobody has entered."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from apps.connectors.agents.base import AgentSpec

_UNAUTHORIZED = (401, 403, 407)
NOTHING_ENTERED = "no secret is stored for this agent: set_secret --agent NAME, or the tab Secrets of the agent's page"
_NAMED = re.compile(r"\{\{\s*secret\.([A-Za-z_][\w-]*)")


def missing_secrets(spec: AgentSpec) -> tuple[str, ...]:
    """Return secrets that the options or the OAuth client need and that are not stored. Microseconds."""
    named = {name for part in spec.connections.values() for name in missing_secrets(part)}
    named |= {name for name in _names(spec.options) if not spec.secrets.get(name)}
    if spec.kind == "agentx" or spec.options.get("client_id"):
        named |= set() if "bearer_token" in spec.secrets else {"client_secret"}
    return tuple(sorted(name for name in named if not spec.secrets.get(name)))


def _stores_secret(spec: AgentSpec) -> bool:
    """Tell whether anything is entered that this agent could know us by."""
    return any(spec.secrets.values()) or any(_stores_secret(part) for part in spec.connections.values())


def refusal_words(spec: AgentSpec, *, status: int | None) -> str:
    """Say which secret is missing for an agent that refused us; "" where that is no reason."""
    missing = missing_words(missing_secrets(spec))
    unknown = status in _UNAUTHORIZED and not _stores_secret(spec)
    return missing or (NOTHING_ENTERED if unknown else "")


def missing_words(names: Collection[str], agent: str = "NAME") -> str:
    """A sentence that names the missing secrets and the way to enter them; "" for none."""
    if not names:
        return ""
    listed = ", ".join(repr(name) for name in names)
    what = f"the secret {listed} is" if len(names) == 1 else f"the secrets {listed} are"
    return f"{what} not entered: set_secret --agent {agent} {min(names)}, or the tab Secrets of the agent's page"


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _names(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _names(item)
    elif isinstance(value, str):
        yield from _NAMED.findall(value)

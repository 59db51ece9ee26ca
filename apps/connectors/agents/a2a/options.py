"""The options of an A2A agent, read and checked once. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.connectors.agents.a2a.dialects import Dialect
from apps.connectors.agents.oauth import OAUTH_OPTIONS
from apps.core.errors import BadInput

A2A_OPTIONS = frozenset(
    {"endpoint", "dialect", "stream", "configuration", "poll_s", "allow_other_host", *OAUTH_OPTIONS}
)
MAX_POLL_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class A2AOptions:
    """Options of A2A.

    `endpoint` and `dialect` replace the agent card; `configuration` is passed through; `poll_s` is the pause between
    looks at a task; `allow_other_host` lets our secrets go to another server that the card names.
    """

    endpoint: str
    dialect: Dialect | None
    stream: bool
    configuration: Mapping[str, Any]
    poll_s: float
    allow_other_host: bool


def read_options(options: Mapping[str, Any]) -> A2AOptions:
    """Read the options of A2A.

    Raises BadInput with the pointer for a value that cannot be used. Unknown names are check_settings' business.
    """
    dialect = options.get("dialect")
    if dialect is not None and dialect not in set(Dialect):
        raise BadInput(f"no A2A dialect {dialect!r}: choose from 0.3, 1.0", pointer="/options/dialect")
    configuration = options.get("configuration", {})
    if not isinstance(configuration, Mapping):
        raise BadInput("the configuration is a mapping", pointer="/options/configuration")
    return A2AOptions(
        endpoint=str(options.get("endpoint") or ""),
        dialect=Dialect(dialect) if dialect else None,
        stream=bool(options.get("stream")),
        configuration=configuration,
        poll_s=_poll_s(options.get("poll_s", 0.5)),
        allow_other_host=bool(options.get("allow_other_host")),
    )


def _poll_s(value: Any) -> float:
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        seconds = -1.0
    if not 0 < seconds <= MAX_POLL_S:
        raise BadInput(f"poll_s is a number of seconds above 0, {MAX_POLL_S:g} at most", pointer="/options/poll_s")
    return seconds

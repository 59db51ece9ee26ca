"""Deliver a run's named prompt to its agent: never at an address where customers are served. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from apps.catalog.connections.domain.fields import refuse_production_address
from apps.catalog.domain.states import AgentKind, ConnectionPurpose
from apps.core.errors import BadInput


def over_staging(
    agent: Mapping[str, Any], staging: Sequence[Mapping[str, Any]], production: Mapping[str, str]
) -> dict[str, Any] | None:
    """Return the plan's agent with only connections that may play any prompt; None without any.

    They are its staging connections and one of kind `prompted`; an agent of that kind is returned without connections.
    The one of the agent's own kind comes first. No production address is left, so no player can reach one. Raises
    BadInput (`production_address`) for a staging connection at a production address.
    """
    if agent["kind"] == AgentKind.PROMPTED:
        return {**agent, "connections": []}
    for way in staging:
        refuse_production_address(way["address"], way["options"], production)
    ways = [*staging, *(connection for connection in agent["connections"] if connection["kind"] == AgentKind.PROMPTED)]
    ways = list({one["kind"]: one for one in reversed(ways)}.values())[::-1]
    if not ways:
        return None
    ways.sort(key=lambda one: (one["kind"] != agent["kind"], one["kind"] == AgentKind.PROMPTED, one["kind"]))
    first, *rest = ({**one, "timeout_s": one["timeout_s"] or agent["timeout_s"]} for one in ways)
    return {**agent, **first, "connections": rest}


def no_staging(agent: str, prompt: str, *, live: Sequence[str]) -> BadInput:
    """The refusal of a prompt that is not live, for an agent that has no place to try it; it says what to do."""
    known = f"live is {', '.join(live)}" if live else "no prompt of it is live"
    return BadInput(
        f"{prompt} is not live ({known}), and agent {agent!r} has no staging connection: a prompt that is not live is "
        "never sent to an address marked production. Connect a test system of the agent (Agent connections, purpose "
        "staging, with the field or header that takes the prompt), or name an agent of kind prompted.",
        code="no_staging_connection",
        pointer="/prompt",
        agent=agent,
        live=list(live),
    )


def at_staging(agent: Mapping[str, Any]) -> bool:
    """Tell whether a plan's agent is reached by a staging connection."""
    return bool(agent.get("purpose") == ConnectionPurpose.STAGING)

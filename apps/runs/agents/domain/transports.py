"""Choose the agent's connection for a replay. Pure."""

from collections.abc import Sequence
from typing import Any

from apps.core.errors import BadInput

AUTO = "auto"
PEGA = "agentx"
AUTO_NEEDS = (PEGA, "a2a")


def chosen_transport(asked: str, kinds: Sequence[str], *, agent: str) -> str:
    """The transport of a replay: the one that was asked for, else agentx where the agent has it, else its own kind.

    `kinds` are those of the agent's connections, its own first. Raises BadInput (`unknown_transport`) for one that
    cannot be served; it is never ignored.
    """
    if not asked:
        return PEGA if PEGA in kinds else kinds[0]
    missing = [kind for kind in (AUTO_NEEDS if asked == AUTO else (asked,)) if kind not in kinds]
    if missing:
        needs = f"needs a connection of kind {missing[0]}" if asked == AUTO else "is none of its connections"
        details: dict[str, Any] = {"connections": list(kinds)}
        raise BadInput(
            f"Agent {agent!r} cannot be reached by {asked}: that {needs}. It has: {', '.join(kinds)}.",
            code="unknown_transport",
            pointer="/transport",
            **details,
        )
    return asked

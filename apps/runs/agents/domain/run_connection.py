"""Choose how a run reaches its agent, where the caller that starts it says so. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PULLED = "pulled"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConnection:
    """A connection that came with a run. With `runner` the caller brings the turns to `address` itself, unless the
    server has this very connection of the agent; a `pulled` one always is the caller's. `options` say where in an
    answer of kind http the reply, the end and the tool calls are."""

    kind: str
    address: str = ""
    runner: bool = False
    options: Mapping[str, str] = field(default_factory=dict)

    def of_agent(self, agent: Mapping[str, Any]) -> str:
        """The kind of the connection of this agent (as a plan holds it) that is this very one; "" where none is."""
        for way in (agent, *agent["connections"]):
            if way["kind"] == self.kind and (self.kind == PULLED or _same(way["address"], self.address)):
                return self.kind
        return ""

    def as_agent(self, name: str, known: Mapping[str, Any]) -> dict[str, Any]:
        """Return the agent as a run's plan holds it, reached by this connection alone.

        It has the profile and the time limit of the agent of that name, where `known` has them. It has no secrets: they
        are meant for the address that they are stored with.
        """
        pulled = self.kind == PULLED or self.runner
        return {
            "name": name,
            "kind": PULLED if pulled else self.kind,
            "address": "" if pulled else self.address,
            "options": {} if pulled else dict(self.options),
            "timeout_s": known.get("timeout_s", 60.0),
            "stagger_s": [0, 0] if pulled else None,
            "profile": known.get("profile", {}),
            "connections": [],
        }


def _same(one: str, other: str) -> bool:
    return one.rstrip("/") == other.rstrip("/")

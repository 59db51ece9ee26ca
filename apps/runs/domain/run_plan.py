"""A run's frozen plan, read and written in one place. Pure.

What is stored is JSON, and stays as it is: a key that nobody reads here is kept, a plan of before has fewer keys. SQL
reads a few of them by name (claiming, leases, baselines): `simulator.provider`, `stagger_s`, `agent`, `pull_request`,
`prompt_version`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from apps.catalog.connections.domain.fields import delivery_of
from apps.catalog.domain.states import ConnectionPurpose
from apps.connectors.agents.prompt_delivery import PromptDelivery

_NAMES = {"earlier_run": "from"}  # a word of Python


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedConnection:
    """One way to the agent, without its secrets; `timeout_s` None: the agent's own."""

    kind: str
    address: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    timeout_s: float | None = None
    purpose: ConnectionPurpose = ConnectionPurpose.PRODUCTION
    document: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> "PlannedConnection":
        """Read the connection from the agent's own part of a plan, or from one of its `connections`."""
        return cls(
            kind=str(raw.get("kind") or ""),
            address=str(raw.get("address") or ""),
            options=raw.get("options") or {},
            timeout_s=float(raw["timeout_s"]) if raw.get("timeout_s") else None,
            purpose=ConnectionPurpose(raw.get("purpose") or ConnectionPurpose.PRODUCTION),
            document=raw,
        )

    def delivery(self, *, version: str, text: str) -> PromptDelivery | None:
        """Return how the frozen prompt goes with the run's requests. Only a staging connection is sent one."""
        if self.purpose != ConnectionPurpose.STAGING:
            return None
        return delivery_of(self.document, version=version, text=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedAgent:
    """The agent as it was. `id` is None where the agent, or the way to it, came with the run or a probe. `own` is the
    connection that comes first, `ways` are all of them."""

    own: PlannedConnection
    id: str | None = None
    name: str = ""
    profile: Mapping[str, Any] = field(default_factory=dict)
    further: tuple[PlannedConnection, ...] = ()
    document: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> "PlannedAgent":
        """Read the agent from the plan's `agent`."""
        return cls(
            own=PlannedConnection.read(raw),
            id=raw.get("id"),
            name=str(raw.get("name") or ""),
            profile=raw.get("profile") or {},
            further=tuple(PlannedConnection.read(connection) for connection in raw.get("connections") or ()),
            document=raw,
        )

    @property
    def ways(self) -> tuple[PlannedConnection, ...]:
        """The agent's connections, its own first."""
        return (self.own, *self.further)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """Plan of a run: everything it depends on beside the specs of its conversations.

    Models are roles: {"provider", "model", "options"?, "fallback"?}; empty where none is named. `repeats`, `seed`,
    `stagger_s` and `conversations` are None where a plan does not say. `earlier_run` and `only` are those of a run that
    plays part of another one again, `name` that of an import; `more` are keys that nobody here knows.
    """

    kind: str = ""
    agent: PlannedAgent | None = None
    simulator: Mapping[str, Any] = field(default_factory=dict)
    simulator_review: Mapping[str, Any] = field(default_factory=dict)
    checks_judge: Mapping[str, Any] = field(default_factory=dict)
    gate_judge: Mapping[str, Any] = field(default_factory=dict)
    repeats: int | None = None
    seed: int | None = None
    stagger_s: tuple[float, float] | None = None
    transport: str = ""
    left_out: tuple[Mapping[str, str], ...] = ()
    resimulates: tuple[Mapping[str, Any], ...] = ()
    pull_request: str = ""
    prompt_version: str = ""
    prompt_text: str = ""
    earlier_run: str = ""
    only: str = ""
    name: str | None = None
    conversations: int | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> "RunPlan":
        """A plan as the database has it, of any age. Never raises for a key that is not there."""
        known = {one.name: _NAMES.get(one.name, one.name) for one in fields(cls) if one.name != "more"}
        known_fields = {name: stored[key] for name, key in known.items() if stored.get(key) is not None}
        if "agent" in known_fields:
            known_fields["agent"] = PlannedAgent.read(known_fields["agent"]) if known_fields["agent"] else None
        for name in ("stagger_s", "left_out", "resimulates"):
            if name in known_fields:
                known_fields[name] = tuple(known_fields[name])
        return cls(**known_fields, more={key: value for key, value in stored.items() if key not in known.values()})

    def as_json(self) -> dict[str, Any]:
        """The plan as it is stored: empty fields are left out."""
        plan_document: dict[str, Any] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name == "more" or value is None or (value in ("", (), {}) and one.name != "name"):
                continue
            if isinstance(value, str):
                value = str(value)  # a kind, which is an enum
            elif isinstance(value, PlannedAgent):
                value = dict(value.document)
            elif isinstance(value, tuple):
                value = list(value)
            elif isinstance(value, Mapping):
                value = dict(value)
            plan_document[_NAMES.get(one.name, one.name)] = value
        return plan_document | dict(self.more)

    @property
    def agent_name(self) -> str:
        """Empty where the plan has no agent: the conversations happened elsewhere."""
        return self.agent.name if self.agent else ""

    @property
    def agent_profile(self) -> Mapping[str, Any]:
        """Empty where the plan has no agent, or the agent had none."""
        return self.agent.profile if self.agent else {}

    @property
    def reached_by(self) -> str:
        """The kind of the connection that is used; `auto` takes two."""
        return self.transport or (self.agent.own.kind if self.agent else "")

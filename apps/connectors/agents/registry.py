"""Which connector speaks to which kind of agent. A kind's module is imported when it is first named.

A new kind: one module with a class that takes an AgentSpec and has `send` (base.AgentConnector), a line here, and the
contract tests in tests/connectors/agents/test_contract.py run over it.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module

from apps.connectors.agents.base import AgentConnector, AgentSpec
from apps.core.errors import BadInput

_KINDS: Mapping[str, tuple[str, str]] = {
    "a2a": ("apps.connectors.agents.a2a", "A2AAgent"),
    "agentx": ("apps.connectors.agents.agentx", "AgentXAgent"),
    "http": ("apps.connectors.agents.http", "HTTPAgent"),
    "prompted": ("apps.connectors.agents.prompted", "PromptedAgent"),
    "pulled": ("apps.connectors.agents.pulled", "PulledAgent"),
    "scripted": ("apps.connectors.agents.scripted", "ScriptedAgent"),
}
# No kind that an agent can have: made of connections of other kinds (AgentSpec.connections).
_COMPOSED: Mapping[str, tuple[str, str]] = {"auto": ("apps.connectors.agents.auto", "AutoAgent")}
_ADDRESSED = frozenset({"a2a", "agentx", "http"})


def kinds() -> tuple[str, ...]:
    """The kinds of agent that can be reached."""
    return tuple(_KINDS)


def check_settings(spec: AgentSpec) -> None:
    """Refuse settings that cannot work, before they are saved: an unknown option, a placeholder or JSONPath that cannot
    be read, an address that is none. Raises BadInput with the pointer. Connects to nothing; imports the kind's module.
    """
    connector = agent_for(spec)
    known = connector.OPTIONS
    for name in spec.options:
        if name not in known:
            near = get_close_matches(str(name), known, n=1)
            suggestion = f": did you mean {near[0]!r}? There are" if near else ": there are"
            raise BadInput(
                f"an agent of kind {spec.kind} has no option {name!r}{suggestion} {', '.join(sorted(known))}",
                pointer=f"/options/{name}",
            )
    address = spec.address.strip()
    if spec.kind in _ADDRESSED and not address.lower().startswith(("http://", "https://", "{{")):
        raise BadInput("the address begins with http:// or https://", pointer="/address")


def agent_for(spec: AgentSpec) -> AgentConnector:
    """The connector for an agent. Connects to nothing yet. Raises BadInput for a kind that is not there and for
    options the kind cannot use; the message says which."""
    found = _KINDS.get(spec.kind) or _COMPOSED.get(spec.kind)
    if found is None:
        raise BadInput(f"no agent of kind {spec.kind!r}: choose from {', '.join(_KINDS)}", pointer="/kind")
    module, name = found
    connector: AgentConnector = getattr(import_module(module), name)(spec)
    return connector

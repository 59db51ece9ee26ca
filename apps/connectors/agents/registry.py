"""Registry of the connectors by kind of agent.

A kind's module is imported when it is first named. A new kind: one module with a class that takes an AgentSpec and has
`send` (base.AgentConnector), a line here, and the contract tests in tests/connectors/agents/test_contract.py run over
it.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module

from apps.connectors.addresses import OutboundPolicy, check_template
from apps.connectors.agents.base import AgentConnector, AgentSpec
from apps.connectors.errors import AddressRefused
from apps.core.errors import BadInput

_KINDS: Mapping[str, tuple[str, str]] = {
    "a2a": ("apps.connectors.agents.a2a.agent", "A2AAgent"),
    "agentx": ("apps.connectors.agents.agentx", "AgentXAgent"),
    "http": ("apps.connectors.agents.http.agent", "HTTPAgent"),
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


def check_settings(spec: AgentSpec, policy: OutboundPolicy) -> None:
    """Refuse settings that cannot work, before they are saved.

    Such are an unknown option, a placeholder or JSONPath that cannot be read, an address that is none or that `policy`
    lets nobody connect to. Raises BadInput with the pointer. Connects to nothing and asks no resolver; imports the
    kind's module.
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
    for pointer, text in _addresses(spec):
        try:
            check_template(text, policy)
        except AddressRefused as error:
            raise BadInput(str(error), code="address_refused", pointer=pointer) from error


def _addresses(spec: AgentSpec) -> Iterator[tuple[str, str]]:
    """Every address that this agent's connector may ask, with its pointer."""
    if spec.kind in _ADDRESSED:
        yield "/address", spec.address
    for name in ("token_url", "endpoint"):
        if text := spec.options.get(name):
            yield f"/options/{name}", str(text)
    for number, tool in enumerate(spec.options.get("tools") or ()):
        if tool.get("url"):
            yield f"/options/tools/{number}/url", str(tool["url"])


def agent_for(spec: AgentSpec) -> AgentConnector:
    """The connector for an agent. Connects to nothing yet. Raises BadInput for a kind that is not there and for
    options the kind cannot use; the message says which."""
    kind_class = _KINDS.get(spec.kind) or _COMPOSED.get(spec.kind)
    if kind_class is None:
        raise BadInput(f"no agent of kind {spec.kind!r}: choose from {', '.join(_KINDS)}", pointer="/kind")
    module, name = kind_class
    connector: AgentConnector = getattr(import_module(module), name)(spec)
    return connector

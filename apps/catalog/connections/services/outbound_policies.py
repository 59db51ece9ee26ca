"""Set where agents and model providers may be: the public internet and the operator's private hosts.

An address is checked where it is saved; the guard decides again whenever it connects.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings

from apps.connectors.addresses import OutboundPolicy, check_base_address, check_template
from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.registry import check_settings
from apps.connectors.errors import AddressRefused
from apps.core.errors import BadInput


def agent_policy() -> OutboundPolicy:
    return OutboundPolicy(private_hosts=tuple(settings.PRIVATE_HOSTS), purpose="agent")


def model_policy() -> OutboundPolicy:
    return OutboundPolicy(private_hosts=tuple(settings.PRIVATE_HOSTS), purpose="model")


def check_agent(spec: AgentSpec) -> None:
    """Refuse an agent's settings that cannot work, addresses that nobody may connect to among them. Raises BadInput
    with the pointer."""
    check_settings(spec, agent_policy())


def check_calls(script: Mapping[str, Any], assertions: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a scenario's call before or after a battle, or of a state that it asserts, that nobody may make. Raises
    BadInput (`/before/0/url`, `/assertions/0/state/url` …)."""
    hooks = {f"/{name}/{n}": call for name in ("before", "after") for n, call in enumerate(script.get(name) or ())}
    states = {
        f"/assertions/{n}/state": assertion["state"] for n, assertion in enumerate(assertions) if assertion.get("state")
    }
    for pointer, call in (hooks | states).items():
        try:
            check_template(call["url"], OutboundPolicy(private_hosts=tuple(settings.PRIVATE_HOSTS), purpose="hook"))
        except AddressRefused as error:
            raise BadInput(str(error), code="address_refused", pointer=f"{pointer}/url") from error


def check_base_url(base_url: str) -> None:
    """Refuse a model provider's address that nobody may connect to; empty is the provider's official one. Raises
    BadInput (`/base_url`, `address_refused`)."""
    if not base_url:
        return
    try:
        check_base_address(base_url, model_policy())
    except AddressRefused as error:
        raise BadInput(str(error), code="address_refused", pointer="/base_url") from error

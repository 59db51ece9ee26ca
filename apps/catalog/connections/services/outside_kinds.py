"""Kinds of services outside that a tenant uses: what is entered of one, where it may be, and how it is tried."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from apps.catalog.connections.models import OutsideConnection
from apps.connectors.addresses import OutboundPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideKind:
    """Kind of a service outside.

    `options` and `secrets` are entered beside the address, by name with people's word for each; each is needed but for
    those that `optional` names. `policy` says where it may be. `test` asks once and answers what the service says of
    itself; it raises a ConnectorError.
    """

    name: str
    policy: Callable[[], OutboundPolicy]
    test: Callable[[OutsideConnection], Coroutine[Any, Any, dict[str, Any]]]
    options: Mapping[str, str]
    secrets: Mapping[str, str]
    optional: frozenset[str] = frozenset()


outside_kinds: dict[str, OutsideKind] = {}


def register_outside_kind(kind: OutsideKind) -> None:
    """Add a kind; a room does so in its registrations. Raises ValueError for a name that is taken."""
    if kind.name in outside_kinds:
        raise ValueError(f"there is an outside kind {kind.name} already")
    outside_kinds[kind.name] = kind

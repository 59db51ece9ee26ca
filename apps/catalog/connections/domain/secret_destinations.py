"""Find the places to which a row's stored secrets go. A change that adds one must not take the secrets along. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
ANY_SERVER = "any server that the agent's card names"


def new_destinations(before: tuple[str, Mapping[str, Any]], after: tuple[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the places that (address, options) after a change name and before it did not, in order.

    Empty where the secrets go where they went. A place is scheme, host, port and path: one gateway may separate its
    customers by path.
    """
    return tuple(sorted(_destinations(*after) - _destinations(*before)))


def enter_again(servers: tuple[str, ...]) -> str:
    """The sentence for a form or an error."""
    return f"What is stored was not meant for {', '.join(servers)}: enter the secrets again, or remove what is stored."


def dropped(row: str, servers: tuple[str, ...]) -> str:
    """The sentence for a report."""
    return (
        f"{row} now names {', '.join(servers)}: its stored secrets were not meant for that and are removed; enter them "
        "again in the admin."
    )


def _destinations(address: str, options: Mapping[str, Any]) -> frozenset[str]:
    places = {_place(text) for text in (address, *_addresses(options)) if text.strip()}
    return frozenset(places | ({ANY_SERVER} if options.get("allow_other_host") else set()))


def _addresses(value: Any) -> Iterator[str]:
    """Every text below that is an address with a server in it."""
    if isinstance(value, str) and ("://" in value or value.lstrip().startswith("//")):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _addresses(one)
    elif isinstance(value, list):
        for one in value:
            yield from _addresses(one)


def _place(text: str) -> str:
    try:
        parts = urlsplit(text.strip())
        host, port = (parts.hostname or "").lower(), parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:
        return text
    if not (host and parts.scheme):
        return text
    return f"{parts.scheme}://{_LOOPBACK[0] if host in _LOOPBACK else host}:{port}{parts.path.rstrip('/')}"

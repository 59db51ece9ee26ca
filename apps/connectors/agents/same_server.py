"""Decide whether an address that an agent names is on the server we were told to talk to."""

from urllib.parse import urlsplit

from apps.connectors.errors import RemoteRefusal


def same_place(url: str, other: str) -> bool:
    """Tell whether two addresses are one server: scheme, host and port; the loopback names count as one."""
    return _origin(url) == _origin(other)


def refuse_elsewhere(url: str, address: str, *, option: str, who: str) -> None:
    """Refuse to follow an agent's own word to another server with our secrets in hand."""
    if not same_place(url, address):
        raise RemoteRefusal(
            f"{who}: its card names another server ({urlsplit(url).netloc}): set options.{option} if that is meant"
        )


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    host = "loopback" if host in ("localhost", "127.0.0.1", "::1") else host
    return parts.scheme, host, parts.port or {"http": 80, "https": 443}.get(parts.scheme)

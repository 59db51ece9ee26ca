"""Decide which addresses this product may connect to: rules and a log line, no network.

Deny by default: an IPv4 address must be globally routable; an IPv6 address must be global unicast (2000::/3, RFC 4291).
An IPv4 address carried inside an IPv6 one counts as well: mapped and NAT64 are what is inside, and the tunnels nobody
runs any more (6to4, Teredo) are refused. Sources: IANA special-purpose registries (RFC 6890 and updates), RFC 6052
(NAT64), RFC 8215 (local NAT64), RFC 3056 and 7526 (6to4), RFC 4380 (Teredo), RFC 5214 (ISATAP).
"""

import ipaddress
import logging
import re
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from apps.connectors.errors import AddressRefused
from apps.core.events import EventType, log_event

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

# Cloud metadata and credentials: neither a network nor `private` in the list opens these, only their own exact address
# does. Link-local as a whole (EC2, GCE, Azure, ECS 169.254.170.2, EKS 169.254.170.23, Tencent 169.254.0.23), AWS's and
# Google's IPv6 ones, Alibaba, Azure's wire server, Oracle.
METADATA = tuple(
    ipaddress.ip_network(text)
    for text in (
        "169.254.0.0/16",
        "fe80::/10",
        "fd00:ec2::/32",
        "fd20:ce::/64",
        "100.100.100.200/32",
        "168.63.129.16/32",
        "192.0.0.192/32",
    )
)
_V4_REFUSED = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_V6_GLOBAL = ipaddress.IPv6Network("2000::/3")
_V6_REFUSED = tuple(ipaddress.ip_network(text) for text in ("2001::/23", "2001:db8::/32", "3fff::/20"))
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_NAT64_LOCAL = ipaddress.IPv6Network("64:ff9b:1::/48")
_COMPATIBLE = ipaddress.IPv6Network("::/96")
_ISATAP = (0x00005EFE, 0x02005EFE)
_LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128"))
_ONE_HOST = re.compile(r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")
_HOST_NAME = re.compile(r"(?:\*\.)?" + _ONE_HOST.pattern)
# Ports where HTTP bytes could be read as another protocol's commands (the WHATWG Fetch standard's list, servers only).
BAD_PORTS = frozenset(
    {
        1,
        7,
        9,
        11,
        13,
        15,
        17,
        19,
        20,
        21,
        22,
        23,
        25,
        37,
        42,
        43,
        53,
        69,
        77,
        79,
        87,
        95,
        101,
        102,
        103,
        104,
        109,
        110,
        111,
        113,
        115,
        117,
        119,
        123,
        135,
        137,
        139,
        143,
        161,
        179,
        389,
        427,
        465,
        512,
        513,
        514,
        515,
        526,
        530,
        531,
        532,
        540,
        548,
        554,
        556,
        563,
        587,
        601,
        636,
        989,
        990,
        993,
        995,
        1719,
        1720,
        1723,
        2049,
        3659,
        4045,
        5060,
        5061,
        6000,
        6379,
        6566,
        6665,
        6666,
        6667,
        6668,
        6669,
        6697,
    }
)
PRIVATE = "not a public address"
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}")


_SWITCHED = {"callback", "alert", "WhatsApp"}  # private addresses by one switch, where the others obey a list


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundPolicy:
    """Policy for one kind of connection, as plain data: where it may go.

    `private_hosts` lists what is allowed beside the public internet: addresses, networks, host names (`*.suffix` too),
    and the words `loopback` and `private` (every address but cloud metadata). `purpose` is "agent", "model" or
    "callback" and only shows in messages. `max_response_bytes` caps one response's body. Raises ValueError for an entry
    that is none of these.
    """

    private_hosts: tuple[str, ...] = ()
    purpose: str = "agent"
    max_response_bytes: int = 10 * 1024 * 1024
    resolve_cache_s: float = 10.0
    _allowed: "_Allowed" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_allowed", _read_entries(self.private_hosts))

    @classmethod
    def from_environment(
        cls, environment: Mapping[str, str], *, purpose: str, embedded: bool | None = None
    ) -> "OutboundPolicy":
        """The operator's choice. Callbacks obey RATIBA_ALLOW_PRIVATE_CALLBACKS alone; agents and models obey
        RATIBA_PRIVATE_HOSTS (commas or spaces), which is `loopback` when unset and the services are the embedded ones
        (`embedded`, by default: no DATABASE_URL in the environment)."""
        if purpose == "callback":
            allow = environment.get("RATIBA_ALLOW_PRIVATE_CALLBACKS", "").strip().lower() in {"1", "true", "yes", "on"}
            return cls(private_hosts=("private",) if allow else (), purpose=purpose, max_response_bytes=64 * 1024)
        if embedded is None:
            embedded = not environment.get("DATABASE_URL")
        text = environment.get("RATIBA_PRIVATE_HOSTS", "loopback" if embedded else "")
        return cls(private_hosts=tuple(re.split(r"[\s,]+", text.strip())) if text.strip() else (), purpose=purpose)

    def check(self, host: str, address: IPAddress) -> None:
        """Refuse `address` (what `host` resolved to) unless the policy allows it. Raises AddressRefused."""
        if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
            address = address.ipv4_mapped  # the kernel connects to the IPv4 address
        if self._allowed.covers(host, address):
            return
        reason = why_refused(address)
        if reason:
            log_event(EventType.OUTBOUND_REFUSED, level=logging.WARNING, purpose=self.purpose, host=host, why=reason)
            way = "Nothing allows it."
            if reason == PRIVATE:
                switched = self.purpose in _SWITCHED
                way = "Set RATIBA_ALLOW_PRIVATE_CALLBACKS=true" if switched else "Add it to RATIBA_PRIVATE_HOSTS"
                way += " to allow it."
            raise AddressRefused(f"{self.purpose} address {host!r} is refused: {address} is {reason}. {way}")


@dataclass(frozen=True, slots=True)
class _Allowed:
    networks: tuple[IPNetwork, ...]
    names: frozenset[str]
    suffixes: tuple[str, ...]
    everything: bool

    def covers(self, host: str, address: IPAddress) -> bool:
        if is_metadata(address):
            return any(net.prefixlen == net.max_prefixlen and address in net for net in self.networks)
        if self.everything:
            return True
        name = host.rstrip(".").lower()
        if name in self.names or name.endswith(self.suffixes):
            return True
        return any(address.version == net.version and address in net for net in self.networks)


def _read_entries(entries: Iterable[str]) -> _Allowed:
    networks: list[IPNetwork] = []
    names: set[str] = set()
    everything = False
    for entry in entries:
        text = entry.strip().lower().strip("[]").rstrip(".")
        if text == "loopback":
            networks.extend(_LOOPBACK)
        elif text == "private":
            everything = True
        else:
            try:
                networks.append(ipaddress.ip_network(text, strict=False))
            except ValueError:
                if not _HOST_NAME.fullmatch(text) or legacy_ipv4(text) is not None:
                    raise ValueError(f"private hosts: {entry!r} is not a host name, address or network") from None
                names.add(text)
    suffixes = tuple(name[1:] for name in names if name.startswith("*."))
    exact = frozenset(name for name in names if not name.startswith("*."))
    return _Allowed(tuple(networks), exact, suffixes, everything)


def is_metadata(address: IPAddress) -> bool:
    """Tell whether the address is a cloud's metadata address, or carries one inside."""
    return any(one.version == net.version and one in net for one in (address, *carried(address)) for net in METADATA)


def carried(address: IPAddress) -> tuple[ipaddress.IPv4Address, ...]:
    """The IPv4 addresses that packets to this IPv6 address may end at; () for an IPv4 address and for ordinary ones."""
    if isinstance(address, ipaddress.IPv4Address):
        return ()
    inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    number = int(address)
    low = ipaddress.IPv4Address(number & 0xFFFFFFFF)
    if address in _NAT64 or address in _COMPATIBLE or (number >> 32) & 0xFFFFFFFF in _ISATAP:
        inner.append(low)
    if address in _NAT64_LOCAL:  # the operator chose the prefix's length (RFC 6052 §2.2): all places are looked at
        packed = address.packed
        places = (packed[6:8] + packed[9:11], packed[7:8] + packed[9:12], packed[9:13], packed[12:16])
        inner.extend(ipaddress.IPv4Address(place) for place in places)
    return tuple(one for one in inner if one is not None)


def why_refused(address: IPAddress) -> str | None:
    """The reason why a connection to this address is refused, in words; None when it is public."""
    if is_metadata(address):
        return "a cloud metadata service"
    if isinstance(address, ipaddress.IPv4Address):
        return PRIVATE if any(address in net for net in _V4_REFUSED) else None
    if address.ipv4_mapped is not None:
        return why_refused(address.ipv4_mapped)
    if address in _NAT64:
        return why_refused(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    if address.sixtofour is not None or address.teredo is not None:
        return "a tunnel to another address"
    if address not in _V6_GLOBAL or any(address in net for net in _V6_REFUSED):
        return PRIVATE
    return None


def legacy_ipv4(host: str) -> ipaddress.IPv4Address | None:
    """The address behind the old spellings every resolver still accepts: 2130706433, 0x7f.1, 0177.0.0.1, 127.1."""
    if not re.fullmatch(r"[0-9a-fx.]+", host, re.IGNORECASE):
        return None
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except OSError:
        return None


def literal_address(host: str) -> IPAddress | None:
    """The address a host name spells out by itself (localhost included, RFC 6761 §6.3), or None: ask the resolver."""
    text = host.strip("[]").rstrip(".").lower()
    if text == "localhost" or text.endswith(".localhost"):
        return ipaddress.IPv4Address("127.0.0.1")
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return legacy_ipv4(text)


def check_address(url: str, policy: OutboundPolicy) -> None:
    """Tell a person early that an address will be refused. A convenience for forms, NOT the guard: it asks no resolver,
    and a name may point elsewhere tomorrow. Raises AddressRefused."""
    address_text = url.strip()
    if any(ord(sign) < 32 or ord(sign) == 127 for sign in address_text):
        raise AddressRefused(f"{policy.purpose} address must not hold line breaks or other control characters")
    try:
        parts = urlsplit(address_text)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise AddressRefused(f"{policy.purpose} address cannot be read: {error}") from None
    if parts.scheme not in ("http", "https"):
        raise AddressRefused(f"{policy.purpose} address must begin with http:// or https://")
    if not host:
        raise AddressRefused(f"{policy.purpose} address has no host")
    if parts.username is not None or parts.password is not None:
        raise AddressRefused(f"{policy.purpose} address must not carry a user name or password")
    check_host_name(host, policy)
    check_port(host, port, policy)
    address = literal_address(host)
    if address is not None:
        policy.check(host, address)
    elif host.isascii() and not _ONE_HOST.fullmatch(host.rstrip(".").lower()):
        raise AddressRefused(f"{policy.purpose} address {host!r} is no host name")


def check_host_name(host: str, policy: OutboundPolicy) -> None:
    """Refuse a name with letters of other scripts that no host may have (RFC 5891), as they are or behind `xn--`.
    Raises AddressRefused."""
    if host.isascii() and "xn--" not in host.lower():
        return
    import httpx  # noqa: PLC0415 - it costs 0.2 s, and the name of nearly every host is plain

    try:
        _ = httpx.URL(scheme="https", host=host).host  # read as the client will read it
    except (UnicodeError, httpx.InvalidURL) as error:
        raise AddressRefused(f"{policy.purpose} address {host!r} is no host name: {error}") from None


def check_base_address(url: str, policy: OutboundPolicy) -> None:
    """Check an address that paths are put behind: as `check_address`, and without query or fragment.

    Raises AddressRefused.
    """
    check_address(url, policy)
    if set("?#") & set(url):
        raise AddressRefused(f"{policy.purpose} address: leave out ? or # and what follows, paths are put behind it")


def check_template(url: str, policy: OutboundPolicy) -> None:
    """Check an address with `{{ placeholders }}` as `check_address` does. Raises AddressRefused.

    The guard judges later what the placeholders are filled with, and the whole address where it begins with one.
    """
    if not url.strip().startswith("{{"):
        check_address(_PLACEHOLDER.sub("x", url), policy)


def check_port(host: str, port: int | None, policy: OutboundPolicy) -> None:
    """Refuse ports where HTTP could be taken for another protocol. Raises AddressRefused."""
    if port in BAD_PORTS or port == 0:
        raise AddressRefused(f"{policy.purpose} address {host!r} is refused: port {port} is not for HTTP")

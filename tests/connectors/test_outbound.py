"""The guard on outgoing connections: what it refuses, that it cannot be talked around, what it lets through."""

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.connectors.addresses import literal_address, why_refused
from apps.connectors.errors import AddressRefused, BadReply
from apps.connectors.outbound import OutboundPolicy, check_address, outbound_client
from tests.loopback.http_server import Answer, LoopbackServer, Request

STRICT = OutboundPolicy(purpose="agent")
LOOPBACK = OutboundPolicy(private_hosts=("loopback",), purpose="agent")


class Recorder:
    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answer = Answer(body=b'{"ok": true}')

    def __call__(self, request: Request) -> Answer:
        self.requests.append(request)
        return self.answer


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def server(recorder: Recorder) -> Iterator[LoopbackServer]:
    with LoopbackServer(recorder) as running:
        yield running


def get(url: str, policy: OutboundPolicy, **more: Any) -> httpx.Response:
    async def once() -> httpx.Response:
        async with outbound_client(policy, timeout=3.0) as client:
            return await client.get(url, **more)

    return asyncio.run(once())


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Stands in for DNS, which a test machine does not control: name → answers, one per time it is asked."""
    asked: list[str] = []

    def teach(name: str, *answers: list[str]) -> list[str]:
        replies = iter(answers)
        real = socket.getaddrinfo

        def lookup(host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
            if host != name:
                return real(host, port, *args, **kwargs)
            asked.append(name)
            return [
                (socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0))
                for address in next(replies)
            ]

        monkeypatch.setattr(socket, "getaddrinfo", lookup)
        return asked

    return teach


REFUSED = [
    "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.1.1",
    "169.254.169.254", "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.8",
    "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9",
    "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "[::]", "[::1]", "[fe80::1]", "[fc00::1]", "[fd00:ec2::254]", "[fec0::1]", "[ff02::1]", "[2001:db8::1]", "[100::1]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[::ffff:169.254.169.254]",
    "[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2002:a9fe:a9fe::1]",
    "[2001:0:7f00:1::]",
    "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "127.1", "127.0.1", "0", "2852039166",
    "localhost", "LOCALHOST", "localhost.", "demo.localhost", "127.0.0.1.",
]  # fmt: skip


@pytest.mark.parametrize("host", REFUSED)
def test_no_spelling_of_a_private_address_gets_through(host: str) -> None:
    url = f"http://{host}:9/"
    with pytest.raises(AddressRefused):
        check_address(url.replace(":9/", ":9999/"), STRICT)
    with pytest.raises((AddressRefused, httpx.InvalidURL)):  # httpx refuses 0177.0.0.1 by itself
        get(f"http://{host}:9999/", STRICT)


@pytest.mark.parametrize("host", ["8.8.8.8", "[2606:4700::1111]", "134744072", "example.com", "[64:ff9b::808:808]"])
def test_public_addresses_pass(host: str) -> None:
    check_address(f"https://{host}/x", STRICT)


@pytest.mark.parametrize(
    "url",
    ["ftp://example.com/", "file:///etc/passwd", "gopher://x/", "http://", "http://user:pw@example.com/", "nonsense",
     "",     "http://example.com:22/", "http://example.com:6379/", "http://[::1", "http://example.com:99999/"],
)  # fmt: skip
def test_forms_refuse_what_is_no_http_address(url: str) -> None:
    with pytest.raises(AddressRefused):
        check_address(url, STRICT)


@settings(deadline=None)
@given(st.text(max_size=40))
def test_no_address_breaks_the_form_check(text: str) -> None:
    for url in (text, f"http://{text}/", f"https://[{text}]:80"):
        with contextlib.suppress(AddressRefused):
            check_address(url, STRICT)


@settings(deadline=None)
@given(st.ip_addresses(v=4))
def test_ipv4_is_never_more_open_than_the_standard_library_says(address: ipaddress.IPv4Address) -> None:
    if why_refused(address) is None:
        assert address.is_global
        mapped = ipaddress.IPv6Address(f"::ffff:{address}")
        assert why_refused(mapped) is None
    else:
        high, low = divmod(int(address), 0x10000)
        for inner in (f"::ffff:{address}", f"64:ff9b::{address}", f"2002:{high:x}:{low:x}::1"):
            assert why_refused(ipaddress.IPv6Address(inner)) is not None


@settings(deadline=None)
@given(st.ip_addresses(v=6))
def test_ipv6_is_never_more_open_than_the_standard_library_says(address: ipaddress.IPv6Address) -> None:
    if why_refused(address) is None and address.sixtofour is None:
        assert address.is_global


def test_loopback_is_reached_where_the_policy_lists_it(server: LoopbackServer, recorder: Recorder) -> None:
    assert get(f"{server.url}/x", LOOPBACK).json() == {"ok": True}
    assert get(f"http://localhost:{server.port}/", LOOPBACK).status_code == 200
    assert get(f"http://demo.localhost:{server.port}/", LOOPBACK).status_code == 200
    assert recorder.requests[1].headers["host"] == f"localhost:{server.port}"
    with pytest.raises(AddressRefused):
        get(server.url, STRICT)
    assert len(recorder.requests) == 3


def test_a_name_that_points_inside_is_refused_and_not_one_byte_is_sent(
    server: LoopbackServer, recorder: Recorder, names: Callable[..., list[str]]
) -> None:
    names("agent.example", ["127.0.0.1"])
    with pytest.raises(AddressRefused, match=r"agent\.example.*127\.0\.0\.1"):
        get(f"http://agent.example:{server.port}/", STRICT)
    assert server.connections_made == 0


def test_one_bad_address_among_good_ones_refuses_the_name(names: Callable[..., list[str]]) -> None:
    names("agent.example", ["93.184.216.34", "10.0.0.1"])
    with pytest.raises(AddressRefused):
        get("http://agent.example/", STRICT)


def test_the_address_that_was_checked_is_the_one_connected_to(
    server: LoopbackServer, recorder: Recorder, names: Callable[..., list[str]]
) -> None:
    # A rebinding name: harmless when checked, something else when asked again. It is asked only once.
    policy = OutboundPolicy(private_hosts=("127.0.0.1",))
    asked = names("rebind.example", ["127.0.0.1"], ["169.254.169.254"])
    assert get(f"http://rebind.example:{server.port}/", policy).status_code == 200
    assert asked == ["rebind.example"]
    assert recorder.requests[0].headers["host"] == f"rebind.example:{server.port}"


def test_the_resolver_is_asked_once_for_many_connections_and_again_later(
    server: LoopbackServer, names: Callable[..., list[str]]
) -> None:
    async def many(policy: OutboundPolicy) -> None:
        async with outbound_client(policy) as client:
            await asyncio.gather(*(client.get(f"http://a.example:{server.port}/") for _ in range(6)))
            await client.get(f"http://a.example:{server.port}/", headers={"connection": "close"})

    asked = names("a.example", *[["127.0.0.1"]] * 20)
    asyncio.run(many(OutboundPolicy(private_hosts=("a.example",))))
    assert len(asked) == 1
    asyncio.run(many(OutboundPolicy(private_hosts=("a.example",), resolve_cache_s=0.0)))
    assert len(asked) > 1


@pytest.mark.parametrize(
    "entry", ["agent.internal", "*.internal", "127.0.0.0/8", "127.0.0.1", "private", "AGENT.internal."]
)
def test_each_kind_of_entry_opens_what_it_names(
    entry: str, server: LoopbackServer, names: Callable[..., list[str]]
) -> None:
    names("agent.internal", ["127.0.0.1"])
    policy = OutboundPolicy(private_hosts=(entry,))
    assert get(f"http://agent.internal:{server.port}/", policy).status_code == 200


def test_listing_one_name_opens_no_other(names: Callable[..., list[str]]) -> None:
    names("notinternal", ["127.0.0.1"])
    with pytest.raises(AddressRefused):
        get("http://notinternal/", OutboundPolicy(private_hosts=("*.internal", "internal", "10.0.0.0/8")))


@pytest.mark.parametrize("entry", ["private", "169.254.0.0/16", "meta.example"])
def test_cloud_metadata_stays_closed_unless_named_exactly(entry: str, names: Callable[..., list[str]]) -> None:
    names("meta.example", ["169.254.169.254"])
    with pytest.raises(AddressRefused, match="metadata"):
        get("http://meta.example/", OutboundPolicy(private_hosts=(entry,)))
    check_address("http://169.254.169.254/", OutboundPolicy(private_hosts=("169.254.169.254",)))


@pytest.mark.parametrize("entry", ["private", "meta.example", "169.254.0.0/16", "fd00:ec2::/32", "64:ff9b::/96"])
@pytest.mark.parametrize(
    "address",
    [
        "169.254.170.23", "169.254.0.23", "fd00:ec2::23", "fd00:ec2::254", "fd20:ce::254", "fe80::a9fe:a9fe",
        "::ffff:169.254.170.23", "64:ff9b::169.254.170.23", "64:ff9b:1::169.254.169.254", "64:ff9b:1:a9fe:a9:fe00::",
        "2002:a9fe:a9fe::1", "::169.254.169.254", "2001:0:a9fe:a9fe::1", "2606:4700::5efe:a9fe:a9fe",
    ],
)  # fmt: skip
def test_metadata_in_any_form_stays_closed_whatever_else_is_open(entry: str, address: str) -> None:
    with pytest.raises(AddressRefused, match="metadata"):
        OutboundPolicy(private_hosts=(entry,)).check("meta.example", ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["2002:808:808::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "64:ff9b:1::808:808"])
def test_tunnels_to_other_addresses_are_not_dialled(address: str) -> None:
    assert why_refused(ipaddress.ip_address(address)) is not None


@pytest.mark.parametrize("entry", ["10.0.0.0/99", "http://x", "a b", "", "-x", "127.1"])
def test_an_entry_that_is_nothing_is_a_loud_mistake(entry: str) -> None:
    with pytest.raises(ValueError, match="private hosts"):
        OutboundPolicy(private_hosts=(entry,))


def test_redirects_are_not_followed_and_would_be_guarded_if_they_were(
    server: LoopbackServer, recorder: Recorder
) -> None:
    recorder.answer = Answer(status=302, headers={"location": "http://169.254.169.254/latest/meta-data"})
    assert get(server.url, LOOPBACK).status_code == 302
    assert len(recorder.requests) == 1
    with pytest.raises(AddressRefused):
        get(server.url, LOOPBACK, follow_redirects=True)


def test_environment_proxies_cannot_connect_in_our_stead(
    server: LoopbackServer, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, server.url)
    with pytest.raises(AddressRefused):
        get("http://10.0.0.1/", LOOPBACK)
    assert recorder.requests == []


def test_a_response_larger_than_the_cap_is_dropped(server: LoopbackServer, recorder: Recorder) -> None:
    policy = OutboundPolicy(private_hosts=("loopback",), max_response_bytes=1000)
    recorder.answer = Answer(body=b"x" * 1000)
    assert len(get(server.url, policy).content) == 1000
    recorder.answer = Answer(body=b"x" * 1001)
    with pytest.raises(BadReply, match="larger"):
        get(server.url, policy)


def test_a_response_that_hides_its_length_is_dropped_at_the_cap() -> None:
    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        try:
            while True:
                writer.write(b"400\r\n" + b"x" * 1024 + b"\r\n")
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def once() -> None:
        server = await asyncio.start_server(endless, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        policy = OutboundPolicy(private_hosts=("loopback",), max_response_bytes=100_000)
        async with server, outbound_client(policy) as client:
            with pytest.raises(BadReply, match="larger"):
                await client.get(f"http://127.0.0.1:{port}/")

    asyncio.run(once())


def test_a_compressed_response_cannot_grow_behind_the_cap(server: LoopbackServer, recorder: Recorder) -> None:
    recorder.answer = Answer(body=b"\x1f\x8b", headers={"content-encoding": "gzip"})
    with pytest.raises(BadReply, match="gzip"):
        get(server.url, LOOPBACK)
    assert recorder.requests[0].headers["accept-encoding"] == "identity"


def test_no_cookie_goes_from_one_conversation_to_the_next(server: LoopbackServer, recorder: Recorder) -> None:
    async def twice() -> None:
        async with outbound_client(LOOPBACK) as client:
            await client.get(server.url)
            await client.get(server.url)

    recorder.answer = Answer(headers={"set-cookie": "sid=1; Path=/"})
    asyncio.run(twice())
    assert "cookie" not in recorder.requests[1].headers


def test_connections_are_reused(server: LoopbackServer) -> None:
    async def many() -> None:
        async with outbound_client(LOOPBACK) as client:
            for _ in range(20):
                await client.get(server.url)

    asyncio.run(many())
    assert server.connections_made == 1


def test_the_environment_decides() -> None:
    read = OutboundPolicy.from_environment
    assert read({}, purpose="agent").private_hosts == ("loopback",)
    assert read({"DATABASE_URL": "postgres://x"}, purpose="agent").private_hosts == ()
    assert read({"DATABASE_URL": "postgres://x"}, purpose="agent", embedded=True).private_hosts == ("loopback",)
    assert read({"RATIBA_PRIVATE_HOSTS": ""}, purpose="model").private_hosts == ()
    told = {"RATIBA_PRIVATE_HOSTS": "ollama, 10.0.0.0/8 loopback"}
    assert read(told, purpose="model").private_hosts == ("ollama", "10.0.0.0/8", "loopback")
    assert read(told, purpose="callback").private_hosts == ()
    assert read({"RATIBA_ALLOW_PRIVATE_CALLBACKS": "true"}, purpose="callback").private_hosts == ("private",)


def test_the_refusal_names_the_setting_that_would_allow_it() -> None:
    with pytest.raises(AddressRefused, match="RATIBA_PRIVATE_HOSTS"):
        check_address("http://10.0.0.1/", STRICT)
    with pytest.raises(AddressRefused, match="RATIBA_ALLOW_PRIVATE_CALLBACKS"):
        check_address("http://10.0.0.1/", OutboundPolicy(purpose="callback"))


def test_literals_are_told_from_names() -> None:
    assert literal_address("example.com") is None
    assert literal_address("1.2.3.4.example.com") is None
    assert literal_address("dead.beef") is None
    assert str(literal_address("0x7f.1")) == "127.0.0.1"

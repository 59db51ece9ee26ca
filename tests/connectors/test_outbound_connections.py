"""The connections under the guarded client: TLS to a pinned address, keep-alive, limits, and what breaks on the way."""

import asyncio
import datetime
import ipaddress
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from apps.connectors import outbound
from apps.connectors.outbound import OutboundPolicy, outbound_client
from tests.loopback.http_server import Answer, LoopbackServer

LOOPBACK = OutboundPolicy(private_hosts=("loopback",))
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Key and self-signed certificate for agent.example in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "agent.example")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("agent.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "agent.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path


async def fixed_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


@pytest.mark.parametrize("host, trusted", [("agent.example", True), ("other.example", True), ("agent.example", False)])
def test_tls_is_made_with_the_name_on_the_checked_address(
    host: str, trusted: bool, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen_names: list[str | None] = []

    async def run() -> httpx.Response:
        server_side = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        server_side.load_cert_chain(certificate)
        server_side.sni_callback = lambda _, name, __: seen_names.append(name)
        server = await asyncio.start_server(fixed_answer, "127.0.0.1", 0, ssl=server_side)
        port = server.sockets[0].getsockname()[1]
        async with server, outbound_client(OutboundPolicy(private_hosts=("127.0.0.1",))) as client:
            await client.get(f"https://{host}:{port}/")
            return await client.get(f"https://{host}:{port}/")

    ours = ssl.create_default_context(cafile=str(certificate) if trusted else None)
    monkeypatch.setattr(outbound, "_tls", lambda: ours)
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda name, port, *a, **k: real("127.0.0.1" if str(name).endswith(".example") else name, port, *a, **k),
    )
    if host == "agent.example" and trusted:
        assert asyncio.run(run()).text == "ok"
        assert seen_names == ["agent.example"], "one handshake for two requests"
    else:
        with pytest.raises(httpx.ConnectError, match="certificate verify failed"):
            asyncio.run(run())


def serve(handler: Serve, work: Callable[[httpx.AsyncClient, str], Any], **limits: Any) -> Any:
    async def run() -> Any:
        server = await asyncio.start_server(handler, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        chosen = httpx.Limits(**{"max_connections": 8, "max_keepalive_connections": 8, "keepalive_expiry": 30} | limits)
        async with server, outbound_client(LOOPBACK, limits=chosen, timeout=2.0) as client:
            return await work(client, url)

    return asyncio.run(run())


def test_a_connection_the_server_closed_while_idle_is_not_used_again() -> None:
    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
        writer.close()

    async def work(client: httpx.AsyncClient, url: str) -> None:
        for _ in range(5):
            assert (await client.get(url)).text == "ok"
            await asyncio.sleep(0.01)

    serve(once, work)


def test_no_more_connections_than_the_limit_and_waiting_is_not_an_error() -> None:
    open_now, most = 0, 0

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        await reader.readuntil(b"\r\n\r\n")
        await asyncio.sleep(0.02)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok")
        open_now -= 1
        writer.close()

    async def work(client: httpx.AsyncClient, url: str) -> None:
        answers = await asyncio.gather(*(client.get(url) for _ in range(12)))
        assert all(answer.text == "ok" for answer in answers)

    serve(slow, work, max_connections=3)
    assert most <= 3


def test_a_full_pool_says_so_only_where_a_limit_was_asked_for() -> None:
    came = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.set()
        await reader.read(-1)
        writer.close()

    async def work(client: httpx.AsyncClient, url: str) -> None:
        hanging = asyncio.ensure_future(client.get(url, timeout=60))
        await came.wait()
        with pytest.raises(httpx.PoolTimeout):
            await client.get(url, timeout=httpx.Timeout(1.0, pool=0.05))
        hanging.cancel()
        await asyncio.gather(hanging, return_exceptions=True)

    serve(silent, work, max_connections=1)


def test_cancelled_and_timed_out_requests_give_their_slot_back() -> None:
    calls = 0

    async def late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal calls
        await reader.readuntil(b"\r\n\r\n")
        calls += 1
        if calls <= 2:
            await reader.read(-1)
        else:
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
        writer.close()

    async def work(client: httpx.AsyncClient, url: str) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.get(url), 0.05)
        with pytest.raises(httpx.ReadTimeout):
            await client.get(url, timeout=0.05)
        assert (await client.get(url)).text == "ok"

    serve(late, work, max_connections=1)


def test_a_stream_left_early_does_not_hold_its_slot() -> None:
    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        try:
            for number in range(1000):
                writer.write(f"data: {number}\n\n".encode())
                await writer.drain()
                await asyncio.sleep(0.001)
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def work(client: httpx.AsyncClient, url: str) -> None:
        for _ in range(3):
            async with client.stream("GET", url) as answer:
                async for line in answer.aiter_lines():
                    assert line == "data: 0"
                    break

    serve(endless, work, max_connections=1)


def test_large_bodies_go_both_ways_whole() -> None:
    sent = bytes(range(256)) * 8000  # 2 MB: more than any buffer on the way

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        await asyncio.sleep(0.05)  # lets the sender run into a full socket
        body = await reader.readexactly(length)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % length + body)
        await writer.drain()
        writer.close()

    async def work(client: httpx.AsyncClient, url: str) -> None:
        assert (await client.post(url, content=sent)).content == sent

    serve(echo, work)


def test_an_early_error_answer_is_read_although_the_server_stopped_listening() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(0.05)
        writer.close()

    async def work(client: httpx.AsyncClient, url: str) -> None:
        assert (await client.post(url, content=b"x" * 3_000_000)).status_code == 413

    serve(refuse, work)


@pytest.mark.parametrize("garbage", [b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.1 200 OK\r\nbroken", b"\x00" * 200_000, b""])
def test_what_is_not_http_is_a_protocol_error(garbage: bytes) -> None:
    async def wrong(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(garbage)
        writer.close()

    async def work(client: httpx.AsyncClient, url: str) -> None:
        with pytest.raises(httpx.TransportError):
            await client.get(url)

    serve(wrong, work)


async def open_connections(server: LoopbackServer, count: int) -> None:
    """The server hears of a closed connection a little later: wait for it, but not for ever."""
    for _ in range(500):
        if len(server._connections) == count:
            break
        await asyncio.sleep(0.01)
    assert len(server._connections) == count


def test_only_so_many_idle_connections_are_kept() -> None:
    with LoopbackServer(lambda _: Answer(body=b"ok", delay_s=0.02)) as server:

        async def run() -> None:
            limits = httpx.Limits(max_connections=6, max_keepalive_connections=2, keepalive_expiry=30)
            async with outbound_client(LOOPBACK, limits=limits) as client:
                await asyncio.gather(*(client.get(server.url) for _ in range(6)))
                await open_connections(server, 2)

        asyncio.run(run())


def test_no_socket_is_left_open_when_the_client_is_closed() -> None:
    with LoopbackServer(lambda _: Answer(body=b"ok")) as server:

        async def run() -> None:
            async with outbound_client(LOOPBACK) as client:
                await asyncio.gather(*(client.get(server.url) for _ in range(4)))
            await open_connections(server, 0)

        asyncio.run(run())


def test_the_first_of_several_addresses_may_be_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    with LoopbackServer(lambda _: Answer(body=b"ok")) as server:
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"127.0.0.{n}", 0)) for n in (77, 1)]
        assert ipaddress.ip_address("127.0.0.77").is_loopback
        real = socket.getaddrinfo
        monkeypatch.setattr(
            socket, "getaddrinfo", lambda name, *a, **k: found if name == "two.example" else real(name, *a, **k)
        )

        async def run() -> str:
            async with outbound_client(LOOPBACK) as client:
                return (await client.get(f"http://two.example:{server.port}/")).text

        assert asyncio.run(run()) == "ok"

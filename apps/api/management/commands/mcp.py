"""Command `mcp --tenant SLUG`: serve evaluations, conversations and gates to coding agents.

They ask over the Model Context Protocol.
"""

import os
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import CommandParser
from django.http.request import validate_host

from apps.api.mcp_server.inner_requests import ApiCaller
from apps.core.errors import BadInput
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = (
        "The MCP server of a tenant: on standard input and output for an agent on this machine, which reads (and with "
        "--write starts runs); with --http for whoever has an API key, by the key's scopes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--write", action="store_true", help="on stdio: may start runs too")
        parser.add_argument("--http", action="store_true", help="streamable HTTP at /mcp, behind API keys")
        parser.add_argument("--host", default="127.0.0.1", help="where --http listens")
        parser.add_argument("--port", type=int, default=8765, help="where --http listens")
        parser.add_argument("--address", default="", help="default: http://SLUG.localhost and RATIBA_PORT")
        parser.add_argument(
            "--allowed-host", action="append", default=[], help="a further Host header that --http takes (name:port)"
        )

    def answer(self, *, tenant: str, http: bool, write: bool, **options: Any) -> None:
        if http and write:
            raise BadInput("--write is of stdio: over HTTP the key's scopes say what it may do.", code="bad_option")
        base = options["address"].rstrip("/") + "/" if options["address"] else f"http://{tenant}.localhost:{_port()}/"
        at = urlsplit(base)
        if at.scheme not in ("http", "https") or not validate_host(at.hostname or "", settings.ALLOWED_HOSTS):
            raise BadInput(f"{base} is no address of ours: its host is not in ALLOWED_HOSTS.", code="bad_address")
        from apps.api.mcp_server.server import build_server  # noqa: PLC0415 - two seconds, for this command alone

        server = build_server(ApiCaller(tenant=tenant, base=base, may_write=write), http=http)
        if not http:
            server.run("stdio")
            return
        from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415 - as above

        host, port = options["host"], options["port"]
        hosts = [f"{host}:{port}", f"localhost:{port}", f"{tenant}.localhost:{port}", *options["allowed_host"]]
        self.note(f"MCP of {tenant} at http://{host}:{port}/mcp")
        server.run(
            "streamable-http",
            host=host,
            port=port,
            json_response=True,
            stateless_http=True,
            transport_security=TransportSecuritySettings(allowed_hosts=hosts),
        )


def _port() -> str:
    """Return the port of the pages: RATIBA_PORT, as `up` reads it."""
    return os.environ.get("RATIBA_PORT") or "8000"

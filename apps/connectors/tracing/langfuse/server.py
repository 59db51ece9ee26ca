"""Ask which Langfuse is there: its version, and whether a key is taken."""

import re
from collections.abc import Mapping
from typing import Any

import httpx

from apps.connectors.agents.http_exchange import CONNECT_PAUSES_S, HttpAsk, delivered_once, fetch
from apps.connectors.errors import BadReply, RemoteRefusal
from apps.connectors.tracing.langfuse.address import LangfuseAddress
from apps.connectors.tracing.langfuse.api import LangfuseApi, json_of

OLDEST = (4, 59)  # the first that the public API of today is complete in
ASK_S = 10.0
_VERSION = re.compile(r"v?(\d{1,6})\.(\d{1,6})[\w.+-]{0,30}")


def version_in(answer: Any) -> str:
    """The server's version as /health says it; "" where the answer has no version."""
    version = answer.get("version") if isinstance(answer, Mapping) else None
    return version if isinstance(version, str) and _VERSION.fullmatch(version) else ""


def refuse_old(version: str, who: str) -> None:
    """Refuse a server before OLDEST; one that does not say its version is let through. Raises RemoteRefusal."""
    match = _VERSION.fullmatch(version)
    if match and (int(match[1]), int(match[2])) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise RemoteRefusal(f"{who} is version {version}: {oldest} or newer is needed, please upgrade it", who=who)


async def server_version(client: httpx.AsyncClient, address: LangfuseAddress) -> str:
    """Return the version that the server says; "" where it says none.

    One GET, without the key, which the generated client would send: an address that is no Langfuse shall not get it.
    Raises a ConnectorError where nobody is there, and RemoteRefusal for one that is too old.
    """
    who = LangfuseApi(address).who
    ask = HttpAsk(who=who, method="GET", url=address.url("/api/public/health"), timeout_s=ASK_S)
    response = await delivered_once(lambda: fetch(client, ask))
    version = version_in(json_of(response)) if response.is_success else ""
    refuse_old(version, who)
    return version


async def project_name(client: httpx.AsyncClient, address: LangfuseAddress) -> str:
    """The project that the key is of. One GET. Raises a ConnectorError: RemoteRefusal for a key that is not taken."""
    api = LangfuseApi(address)
    try:
        answer = await api.ask(client, lambda api: api.projects.get(), within_s=ASK_S, pauses=CONNECT_PAUSES_S)
    except RemoteRefusal as error:
        if error.status in (401, 403):
            error.message = f"{api.who} does not take this pair of keys"
        raise
    names = [str(one.name) for one in answer.data.data]
    if not names:
        raise BadReply(f"{api.who} names no project: is this the address of a Langfuse?")
    return names[0][:100]

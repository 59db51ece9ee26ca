"""One JSON POST to a model provider, with every way it can fail turned into our error tree."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import httpx

from apps.connectors.errors import AddressRefused, BadReply, ConnectorError, RemoteRefusal, Unreachable
from apps.connectors.llms.error_mapping import error_for, request_id, status_within
from apps.connectors.llms.refused_parameters import LeftOut, learn_refusal, left_out_for
from apps.connectors.llms.spec import ModelSpec

CONNECT_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A 2xx answer that is a JSON object."""

    data: dict[str, Any]
    headers: Mapping[str, str]
    latency_ms: int
    request_id: str | None
    left_out: LeftOut = frozenset()


async def post_json(
    client: httpx.AsyncClient,
    url: str,
    *,
    headers: Mapping[str, str],
    body: Callable[[LeftOut], Mapping[str, Any]],
    timeout_s: float,
    spec: ModelSpec,
) -> Reply:
    """Post a body without the parameters that this model's server is known to refuse.
    One request; one more for each parameter that it refuses for the first time. Raises as `_post_once`."""
    while True:
        left_out = left_out_for(spec)
        sent = body(left_out)
        try:
            reply = await _post_once(client, url, headers=headers, body=sent, timeout_s=timeout_s, spec=spec)
        except RemoteRefusal as error:
            if not learn_refusal(spec, error, sent) and left_out == left_out_for(spec):
                raise
        else:
            return replace(reply, left_out=left_out)


async def _post_once(
    client: httpx.AsyncClient,
    url: str,
    *,
    headers: Mapping[str, str],
    body: Mapping[str, Any],
    timeout_s: float,
    spec: ModelSpec,
) -> Reply:
    """Send `body`, wait at most `timeout_s` seconds for the whole answer. One request, no repeats.

    Raises RateLimited, QuotaSpent, RemoteFailure, RemoteRefusal, Unreachable, BadReply, AddressRefused; each carries
    provider and model, and `latency_ms` once the request was tried. Nothing raised repeats a header's value.
    """
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    started = time.perf_counter()
    known: dict[str, Any] = {"provider": spec.label, "model": spec.model}
    try:
        response = await _post(client, url, content, headers, timeout_s, known)
        if not response.is_success:
            text = _without_secrets(response.text, headers)
            raise error_for(response.status_code, response.headers, text, now=datetime.now(UTC), **known)
        data = _json_object(response, known)
        if (status := status_within(data)) is not None:
            text = _without_secrets(response.text, headers)
            raise error_for(status, response.headers, text, now=datetime.now(UTC), within=True, **known)
    except ConnectorError as error:
        error.extra = {**known, **error.extra, "latency_ms": _milliseconds(started)}
        raise
    return Reply(
        data=data,
        headers=response.headers,
        latency_ms=_milliseconds(started),
        request_id=request_id(response.headers),
    )


async def _post(
    client: httpx.AsyncClient,
    url: str,
    content: bytes,
    headers: Mapping[str, str],
    timeout_s: float,
    known: Mapping[str, Any],
) -> httpx.Response:
    who = f"{known['provider']} model {known['model']!r}"
    try:
        async with asyncio.timeout(timeout_s):
            # The client's own limit is 30 s, which would end a longer wait that was asked for.
            limits = httpx.Timeout(timeout_s, connect=min(CONNECT_TIMEOUT_S, timeout_s), pool=None)
            return await client.post(url, content=content, headers=headers, timeout=limits)
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
        slow = isinstance(error, httpx.TimeoutException)
        raise Unreachable(f"{who} cannot be reached: {error}", timed_out=slow, sent=False, **known) from error
    except (TimeoutError, httpx.TimeoutException) as error:
        raise Unreachable(f"{who} did not answer within {timeout_s:g} s", timed_out=True, **known) from error
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise AddressRefused(f"{who}: the base URL cannot be used: {error}", **known) from error
    except (httpx.LocalProtocolError, UnicodeEncodeError):
        # `from None`: httpx's own message quotes the header, and the header is the key.
        raise RemoteRefusal(
            f"{who}: the request cannot be formed; is there a stray character in the key?", **known
        ) from None
    except httpx.TransportError as error:
        raise Unreachable(f"{who}: the connection broke: {type(error).__name__} {error}", **known) from error
    except httpx.HTTPError as error:
        raise BadReply(f"{who}: {error}", **known) from error


def _json_object(response: httpx.Response, known: Mapping[str, Any]) -> dict[str, Any]:
    try:
        data = json.loads(response.content)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise BadReply(
            f"{known['provider']} model {known['model']!r} answered {response.status_code} with something that is not "
            "a JSON object",
            status=response.status_code,
            raw=response.text,
        )
    return data


def _without_secrets(text: str, headers: Mapping[str, str]) -> str:
    """Remove keys from a text. Some servers quote the key in their error; it must not end up in a row or a log."""
    for value in headers.values():
        for part in (value, value.rpartition(" ")[2]):
            if len(part) >= 12:
                text = text.replace(part, "***") if part in text else text
    return text


def _milliseconds(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)

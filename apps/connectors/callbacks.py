"""Telling whoever asked: one signed Standard Webhooks POST. When to try again is the caller's rows' business."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import httpx

from apps.connectors.errors import AddressRefused, BadReply
from apps.connectors.llms.retry_after import wait_seconds
from apps.connectors.signatures import sign

TIMEOUT_S = 15.0  # the specification suggests 15 to 30 s
QUICK_S = 3.0  # a first attempt: a receiver that needs longer gets TIMEOUT_S from the next one on
SHOWN_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackOutcome:
    """The outcome of one delivery attempt. `gone` (410): stop calling this address. `refused`: the guard said no, or
    the address cannot be used at all; trying again does not help. `retry_after_s` is what the receiver asked for, when
    it did. `timed_out`: no answer came within the time of this attempt."""

    delivered: bool
    status: int | None = None
    error: str = ""
    retry_after_s: float | None = None
    gone: bool = False
    refused: bool = False
    timed_out: bool = False


async def post_callback(
    url: str,
    event_id: str,
    body: bytes,
    secrets: Sequence[str],
    client: httpx.AsyncClient,
    now: datetime,
    *,
    within_s: float = TIMEOUT_S,
) -> CallbackOutcome:
    """Post `body` (JSON) to `url`, signed with every live secret.

    `now` is this attempt's time (aware); `event_id` is the same for every attempt. Only 2xx is delivery; redirects are
    not followed. `client` comes from `outbound_client` with the callback policy. Never raises for what the network
    does; raises ValueError for a malformed secret. Cost: one request, `within_s` at most. Safe to repeat: receivers
    know the event by its id.
    """
    if not secrets:
        raise ValueError("a callback needs at least one signing secret")
    timestamp = int(now.timestamp())
    headers = {
        "content-type": "application/json",
        "user-agent": "ratiba-eval",
        "webhook-id": event_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(secrets, event_id=event_id, timestamp=timestamp, body=body),
    }
    return await _post(url, body, headers, client, within_s)


async def post_json(
    url: str, body: bytes, client: httpx.AsyncClient, *, within_s: float = TIMEOUT_S
) -> CallbackOutcome:
    """Post JSON unsigned: for receivers whose address is their secret."""
    headers = {"content-type": "application/json", "user-agent": "ratiba-eval"}
    return await _post(url, body, headers, client, within_s)


async def post_signed_in(
    url: str,
    body: bytes,
    authorization: str,
    client: httpx.AsyncClient,
    *,
    within_s: float = TIMEOUT_S,
    headers: Mapping[str, str] | None = None,
) -> tuple[CallbackOutcome, bytes]:
    """Post to an API that is signed in to, and return its answer too.

    Sign-in is by `authorization`, or by one of `headers`; `headers` also say what the body is, where it is no JSON.
    """
    own = {"content-type": "application/json", "user-agent": "ratiba-eval"}
    own |= {"authorization": authorization} if authorization else {}
    return await _answered(url, body, {**own, **(headers or {})}, client, within_s)


async def _post(
    url: str, body: bytes, headers: dict[str, str], client: httpx.AsyncClient, within_s: float
) -> CallbackOutcome:
    outcome, _ = await _answered(url, body, headers, client, within_s)
    return outcome


async def _answered(
    url: str, body: bytes, headers: dict[str, str], client: httpx.AsyncClient, within_s: float
) -> tuple[CallbackOutcome, bytes]:
    try:
        async with asyncio.timeout(within_s):
            response = await client.post(url, content=body, headers=headers, follow_redirects=False)
    except httpx.LocalProtocolError:  # its own message quotes the header, which may be a secret
        return CallbackOutcome(delivered=False, error="the request cannot be formed", refused=True), b""
    except (AddressRefused, httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        return CallbackOutcome(delivered=False, error=str(error), refused=True), b""
    except (TimeoutError, httpx.TimeoutException):
        return CallbackOutcome(delivered=False, error=f"no answer within {within_s:g} s", timed_out=True), b""
    except BadReply as error:  # too large or encoded: the receiver did get the event, and its status says so
        received = error.status is not None and 200 <= error.status < 300
        return CallbackOutcome(delivered=received, status=error.status, error="" if received else str(error)), b""
    except httpx.HTTPError as error:
        return CallbackOutcome(delivered=False, error=f"{type(error).__name__}: {error}"[:SHOWN_CHARACTERS]), b""
    return _outcome(response), response.content


def _outcome(response: httpx.Response) -> CallbackOutcome:
    status = response.status_code
    if response.is_success:
        return CallbackOutcome(delivered=True, status=status)
    throttled = status in (429, 502, 503, 504) and "retry-after" in response.headers
    return CallbackOutcome(
        delivered=False,
        status=status,
        error=f"answered {status}" + (", and redirects are not followed" if response.is_redirect else ""),
        retry_after_s=wait_seconds(response.headers, now=datetime.now(UTC)) if throttled else None,
        gone=status == 410,
    )

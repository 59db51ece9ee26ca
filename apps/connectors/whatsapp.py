"""Sending a message with reply buttons over WhatsApp's Cloud API (Graph), and what its errors mean.

Wire format and limits: WhatsApp Cloud API, interactive reply buttons (2026-05): up to three buttons with titles of 20
characters, a body of 1,024. A person is addressed by number (`to`) or by BSUID (`recipient`).
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import httpx

from apps.connectors.errors import AddressRefused, BadReply

TIMEOUT_S = 10.0
MAX_TITLE, MAX_BODY = 20, 1_024
WINDOW_CLOSED, OPTED_OUT = 131047, 131050
# Come back later: throughput, the pair's and the account's rate, the app's; a spam restriction is left alone for long.
_LATER_S = {130429: 60.0, 131056: 60.0, 80007: 900.0, 4: 900.0, 131048: 21_600.0, 131016: 60.0, 131000: 60.0}
_TOKEN = 190
_MEANING = {
    _TOKEN: "the access token has expired or was revoked: enter a new one under WhatsApp accounts",
    100: "WhatsApp takes a parameter for wrong: look at the phone number id",
    131026: "this person cannot be reached over WhatsApp",
    WINDOW_CLOSED: "more than 24 hours passed since the customer's last message",
    OPTED_OUT: "this person does not want such messages",
    131048: "WhatsApp restricts this number for spam",
}


class GraphResult(StrEnum):
    """Result of a message to WhatsApp. `unknown`: the request may have arrived, and nobody knows what became of it."""

    SENT = "sent"
    LATER = "later"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphAddress:
    """Address of the number that sends."""

    base_url: str
    version: str
    phone_number_id: str
    token: str = field(repr=False)

    @property
    def url(self) -> str:
        return f"{self.base_url.rstrip('/')}/{self.version}/{self.phone_number_id}/messages"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphAnswer:
    """The outcome of one request to Graph. `message_id` is Meta's of the message; `code` Meta's of the error."""

    result: GraphResult
    message_id: str = ""
    status: int | None = None
    code: int | None = None
    error: str = ""
    retry_after_s: float | None = None


def buttons_message(*, recipient: Mapping[str, str], text: str, buttons: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The message as it goes out; `recipient` is {"to": number} or {"recipient": BSUID}, a button is (id, title).

    Raises ValueError where it breaks a limit of WhatsApp's."""
    titles = [title for _, title in buttons]
    if not 1 <= len(buttons) <= 3 or len(set(titles)) < len(titles) or not 1 <= len(text) <= MAX_BODY:
        raise ValueError("one to three buttons with different titles, and a text of up to 1,024 characters")
    if any(not 1 <= len(title) <= MAX_TITLE or not 1 <= len(id) <= 256 or id != id.strip() for id, title in buttons):
        raise ValueError("a title has up to 20 characters, an id up to 256 and no blanks around it")
    replies = [{"type": "reply", "reply": {"id": id, "title": title}} for id, title in buttons]
    interactive = {"type": "button", "body": {"text": text}, "action": {"buttons": replies}}
    return {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        **recipient,
        "type": "interactive",
        "interactive": interactive,
    }


def text_message(*, recipient: Mapping[str, str], text: str) -> dict[str, Any]:
    """Plain words; `recipient` as in `buttons_message`. Raises ValueError for none, or more than 1,024 characters."""
    if not 1 <= len(text) <= MAX_BODY:
        raise ValueError("a text of up to 1,024 characters")
    return {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        **recipient,
        "type": "text",
        "text": {"preview_url": False, "body": text},
    }


async def post_message(client: httpx.AsyncClient, address: GraphAddress, message: Mapping[str, Any]) -> GraphAnswer:
    """Post it once; never raises for what the network or Meta does. The Cloud API knows no idempotency key: an answer
    that did not come is `unknown`, and to repeat it could send it twice. One request, TIMEOUT_S at most."""
    headers = {"authorization": f"Bearer {address.token}", "content-type": "application/json"}
    body = json.dumps(message, ensure_ascii=False).encode()
    try:
        async with asyncio.timeout(TIMEOUT_S):
            response = await client.post(address.url, content=body, headers=headers, follow_redirects=False)
    except (AddressRefused, httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        return GraphAnswer(result=GraphResult.REFUSED, error=str(error)[:200])
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:  # not a byte was sent
        return GraphAnswer(result=GraphResult.LATER, error=f"cannot be reached: {type(error).__name__}")
    except (TimeoutError, httpx.HTTPError, BadReply) as error:
        what = f"no answer ({type(error).__name__}): it may have arrived, and is not sent again"
        return GraphAnswer(result=GraphResult.UNKNOWN, error=what)
    return read_answer(response.status_code, response.content)


def read_answer(status: int, body: bytes) -> GraphAnswer:
    """Read Graph's answer to a request. Pure."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        data = None
    if 200 <= status < 300:
        messages = data.get("messages") if isinstance(data, Mapping) else None
        first = messages[0] if isinstance(messages, list) and messages and isinstance(messages[0], Mapping) else {}
        return GraphAnswer(result=GraphResult.SENT, message_id=str(first.get("id") or "")[:300], status=status)
    error = data.get("error") if isinstance(data, Mapping) else None
    code = error.get("code") if isinstance(error, Mapping) else None
    code = code if isinstance(code, int) and not isinstance(code, bool) else None
    meaning = _MEANING.get(code or 0, f"answered {status}" + (f" with code {code}" if code is not None else ""))
    if code in _LATER_S:
        return GraphAnswer(
            result=GraphResult.LATER, status=status, code=code, error=meaning, retry_after_s=_LATER_S[code]
        )
    later = code == _TOKEN or (code not in _MEANING and (status >= 500 or status == 429))
    result = GraphResult.LATER if later else GraphResult.REFUSED
    return GraphAnswer(result=result, status=status, code=code, error=meaning)

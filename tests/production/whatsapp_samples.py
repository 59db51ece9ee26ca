"""Webhooks in Meta's own wire format, as the tests post them."""

import itertools
import json
from typing import Any

from apps.production.whatsapp.domain.signature import meta_signature

PHONE, OTHER_PHONE = "254712345678", "254722000111"
BSUID = "KE.1502576394655843"
SECRET = "app-secret"
AT = 1795176000  # 2026-11-20T12:00:00Z
_ids = itertools.count(1)


def message(**more: Any) -> dict[str, Any]:
    own = {"from": PHONE, "id": f"wamid.HBgM{next(_ids):08d}", "timestamp": str(AT)}
    return {key: value for key, value in (own | more).items() if value is not None}


def press(conversation: str, rating: str, **more: Any) -> dict[str, Any]:
    reply = {"id": f"rb:{conversation}:{rating}", "title": "👍"}
    interactive = {"type": "button_reply", "button_reply": reply}
    return (
        message(type="interactive", interactive=interactive, context={"from": "254700000000", "id": "wamid.Q"}) | more
    )


def text(body: str, **more: Any) -> dict[str, Any]:
    return message(type="text", text={"body": body}) | more


def webhook(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    own = {key: value for message in messages for key, value in message.items() if value is not None}
    contacts = [{"profile": {"name": "Amina"}, "wa_id": own["from"]}] if "from" in own else []
    value = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "254700000000", "phone_number_id": "111"},
        "contacts": contacts,
        "messages": [{key: one for key, one in message.items() if one is not None} for message in messages],
    } | more
    return {
        "object": "whatsapp_business_account",
        "entry": [{"id": "W", "changes": [{"field": "messages", "value": value}]}],
    }


def signed(body: dict[str, Any], secret: str = SECRET) -> tuple[bytes, str]:
    """The raw bytes as Meta writes them (non-ASCII escaped, slashes too), and their header."""
    raw = json.dumps(body, separators=(",", ":")).replace("/", "\\/").encode()
    return raw, meta_signature(secret, raw)

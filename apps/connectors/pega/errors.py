"""Errors for Pega's refusals, in words that say what to do."""

import json
from collections.abc import Mapping
from typing import Any, NoReturn

import httpx

from apps.connectors.agents.http_exchange import refuse_bad_status
from apps.connectors.errors import AgentFailed, AgentRefused, RemoteRefusal

# Brief 004: the rule is resolved in the application of the OAuth client's operator.
WRONG_APPLICATION = (
    "Where the portal and A2A work, the operator behind the OAuth client has another application as its default "
    "access: set it to the application that holds the agent rule (Pega: Dev Studio, access group of that operator)"
)
_WORDS = {
    400: "did not accept the request",
    401: "did not accept our token",
    403: "does not allow the operator behind the OAuth client to do this",
    404: "does not know this agent, conversation or case; is the address's prefix that of the application?",
    409: "says that the conversation is closed or in another state",
    412: "says that the assignment has changed since it was read",
    422: "found the values wrong",
    424: "failed over something that the request depends on",
}


class ConversationLocked(RemoteRefusal):
    """423: another request works on the same conversation or case. Nothing of ours was taken."""

    code = "agent_locked"


def error_text(response: httpx.Response) -> str:
    """Pega's own sentence in an error's body (`errorDetails` of v2, `errors` of v1), or ""."""
    try:
        body = json.loads(response.content)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(body, Mapping):
        return ""
    details = [item for key in ("errorDetails", "errors") for item in _list(body.get(key)) if isinstance(item, Mapping)]
    texts = [str(item.get("localizedValue") or item.get("message") or "") for item in details]
    texts = [*texts, str(body.get("localizedValue") or body.get("error_description") or "")]
    return "; ".join(dict.fromkeys(text for text in texts if text))[:500]


def refuse(
    response: httpx.Response, who: str, *, took_turn: bool, answered_before: bool, authorized: bool = True
) -> NoReturn:
    """Raise for a response that is no 2xx. `took_turn`: it was a turn, so that a 500 is the agent's own failure;
    `answered_before`: it has answered in this conversation, so that its settings are right; `authorized`: it
    was shown a token."""
    status, words = response.status_code, error_text(response)
    suffix = f": {words}" if words else ""
    known: dict[str, Any] = {"status": status, "raw": response.text, "who": who}
    if status == 423:
        raise ConversationLocked(f"{who}: another request works on it just now (423){suffix}", **known)
    if status == 500 and "execution error" in response.text.lower():
        message = f"{who} failed with 500 'Execution error'. {WRONG_APPLICATION}"
        raise (AgentFailed if took_turn and answered_before else RemoteRefusal)(message, **known)
    if status == 409 and took_turn and answered_before:  # it ended a conversation that we had not
        raise AgentRefused(f"{who} has closed the conversation (409){suffix}", **known)
    if status == 401 and not authorized:
        raise RemoteRefusal(f"{who} asks for a token, and there is no secret to get one with (401){suffix}", **known)
    if status in _WORDS:
        raise RemoteRefusal(f"{who} {_WORDS[status]} ({status}){suffix}", **known)
    refuse_bad_status(response, who, took_turn=took_turn)
    raise RemoteRefusal(f"{who} refused with status {status}{suffix}", **known)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []

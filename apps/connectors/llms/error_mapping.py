"""Map a provider's error answer to our error tree. One table for all of them: proxies mix each other's formats."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from apps.connectors.errors import ConnectorError, QuotaSpent, RateLimited, RemoteFailure, RemoteRefusal
from apps.connectors.llms.retry_after import DEFAULT_WAIT_S, error_details, told_wait

# A spent quota does not come back by waiting a little (OpenAI's insufficient_quota family, Anthropic, LiteLLM).
QUOTA_CODES = frozenset(
    {
        "insufficient_quota",
        "credit_balance_exhausted",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
        "organization_usage_limit_exceeded",
        "billing_hard_limit_reached",
        "billing_not_active",
        "enforced_spend_limit_reached",
        "billing_error",
        "budget_exceeded",
    }
)
QUOTA_WORDS = ("credit balance is too low", "budget has been exceeded", "exceededbudget", "credits are depleted")
# A server of one's own that loads its model says so to everybody, for seconds to minutes: it is waited for as a limit.
_LOADING = re.compile(r"loading model|model\b.{0,200}\bloading", re.IGNORECASE)
# 408, 409, 425: the server itself says that the same request may do better later.
REPEATABLE_4XX = frozenset({408, 409, 425})


def error_for(
    status: int,
    headers: Mapping[str, str],
    text: str,
    *,
    provider: str,
    model: str,
    now: datetime,
    within: bool = False,
) -> ConnectorError:
    """The error that stands for this answer (status >= 300; `within`: it stood in a 200). `extra` carries provider,
    model and `remote_code`."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        body = None
    codes, message = read_error(body)
    where = f"{provider} model {model!r} answered {'200 with the error ' if within else ''}{status}"
    words = f"{where}: {message or text[:300] or 'no text'}"
    known: dict[str, Any] = {
        "status": status,
        "raw": text,
        "provider": provider,
        "model": model,
        "remote_code": codes[0] if codes else None,
        "request_id": request_id(headers),
    }
    if _quota_spent(status, codes, f"{message} {text[:2000]}".lower(), body):
        return QuotaSpent(words, **known)
    if status == 429 or (status == 503 and _LOADING.search(f"{message} {text[:500]}")):
        wait = told_wait(headers, body, now=now)
        return RateLimited(words, retry_after=DEFAULT_WAIT_S if wait is None else wait, told=wait is not None, **known)
    if status >= 500 or status in REPEATABLE_4XX:
        return RemoteFailure(words, **known)
    if status < 400:
        return RemoteRefusal(f"{where}: a redirect, which is not followed; correct the base URL", **known)
    return RemoteRefusal(words, **known)


def status_within(data: Mapping[str, Any]) -> int | None:
    """The status that a 200 should have had, where it holds an error in place of an answer; None where it holds none.
    What names no status of its own is a failure of the server's (502)."""
    choices = data.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    error = data.get("error") or first.get("error")
    if not error or any(data.get(name) for name in ("content", "candidates")):
        return None
    codes = [error.get(name) for name in ("code", "status", "type")] if isinstance(error, dict) else []
    for code in codes:
        if str(code).isdigit() and 400 <= int(str(code)) < 600:
            return int(str(code))
    return 429 if any("rate_limit" in str(code).lower() for code in codes) else 502


def read_error(body: Any) -> tuple[list[str], str]:
    """Codes (most telling first) and message of `{"error": {...}}`, a list of it, or a flat error body."""
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, dict):
        return [], ""
    choices = body.get("choices")
    inner = choices[0].get("error") if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
    error = body.get("error") or inner or body
    if isinstance(error, str):
        return [], error
    if not isinstance(error, dict):
        return [], ""
    details = error.get("details")
    places = [error, details] if isinstance(details, dict) else [error]
    codes_read = [place.get(key) for key in ("code", "error_code", "type", "status") for place in places]
    codes = [str(code) for code in codes_read if isinstance(code, str) and code]
    message = error.get("message") or error.get("detail") or ""
    return codes, message if isinstance(message, str) else json.dumps(message)


def request_id(headers: Mapping[str, str]) -> str | None:
    """The provider's own name for this request, for a support ticket."""
    return headers.get("request-id") or headers.get("x-request-id") or headers.get("x-litellm-call-id")


def _quota_spent(status: int, codes: list[str], words: str, body: Any) -> bool:
    if status == 402 or any(code.lower() in QUOTA_CODES for code in codes):
        return True
    if status in (400, 403, 429) and any(phrase in words for phrase in QUOTA_WORDS):
        return True
    return status == 429 and any("perday" in quota.lower() for quota in _google_quotas(body))


def _google_quotas(body: Any) -> list[str]:
    """The ids of the quotas Google says are used up; one per day comes back at midnight Pacific, not in a minute."""
    quotas: list[str] = []
    for detail in error_details(body):
        violations = detail.get("violations")
        if str(detail.get("@type", "")).endswith("QuotaFailure") and isinstance(violations, list):
            quotas += [str(item.get("quotaId", "")) for item in violations if isinstance(item, dict)]
    return quotas

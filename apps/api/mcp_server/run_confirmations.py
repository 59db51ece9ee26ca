"""A run is started with its forecast's token: what was asked and what it would cost, signed, for fifteen minutes."""

import hashlib
from collections.abc import Mapping
from typing import Any

from django.core import signing

from apps.api.mcp_server.inner_requests import ApiCaller, Refused

VALID_S = 15 * 60
_FIGURES = ("conversations", "cost_usd")
_SLACK = 1.1  # a forecast rests on samples, which grow between two questions


def forecast(caller: ApiCaller, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the run's forecast cost, and the token that starts it. Nothing is stored. Raises Refused."""
    run_forecast = caller.post("test-runs/forecast/", dict(body))
    signed = {"body": dict(body), "figures": {name: run_forecast.get(name) for name in _FIGURES}, "by": _who(caller)}
    return {**run_forecast, "confirmation": signing.dumps(signed, salt=_salt(caller)), "valid_minutes": VALID_S // 60}


def start(caller: ApiCaller, confirmation: str) -> dict[str, Any]:
    """Start the run of a forecast; the same token again answers the same run. Raises Refused: `bad_confirmation`,
    `forecast_expired`, and `forecast_changed` where it would cost more by now."""
    try:
        signed = signing.loads(confirmation, salt=_salt(caller), max_age=VALID_S)
    except signing.SignatureExpired as error:
        raise Refused("This forecast is older than 15 minutes: ask for a new one.", code="forecast_expired") from error
    except signing.BadSignature as error:
        raise Refused("This is no confirmation of forecast_run.", code="bad_confirmation") from error
    if signed["by"] != _who(caller):
        raise Refused("Somebody else asked for this forecast.", code="bad_confirmation")
    now = caller.post("test-runs/forecast/", signed["body"])
    if any(_more(now.get(name), signed["figures"][name]) for name in _FIGURES):
        raise Refused("It would cost more than forecast by now: ask for a new forecast.", code="forecast_changed")
    key = hashlib.sha256(confirmation.encode()).hexdigest()
    answer: dict[str, Any] = caller.post("test-runs/", signed["body"], key=f"mcp-{key}")
    return answer


def _more(now: Any, before: Any) -> bool:
    return (now is None) != (before is None) or (now is not None and now > before * _SLACK)


def _salt(caller: ApiCaller) -> str:
    return f"mcp-forecast-{caller.tenant}"


def _who(caller: ApiCaller) -> str:
    return hashlib.sha256(caller.token.encode()).hexdigest()[:16] if caller.token else "stdio"

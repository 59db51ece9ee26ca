"""A provider's discovery document and its answers about a token, read with the same care at sign-in and after it."""

from dataclasses import dataclass, field
from typing import Any

import requests

from apps.connectors.requests_session import guarded_session
from apps.identity.domain.freshness import DEADLINE_S, Answer
from apps.identity.queries.provider import identity_policy

NEEDED = ("issuer", "authorization_endpoint", "token_endpoint", "userinfo_endpoint")


def read_discovery(issuer: str) -> dict[str, Any]:
    """The document of OpenID Connect Discovery 1.0. One request. Raises requests.RequestException, and ValueError where
    it is none, lacks an endpoint, or is another issuer's (§4.3: the two addresses are equal)."""
    address = issuer.rstrip("/")
    with guarded_session(identity_policy(), deadline_s=DEADLINE_S) as session:
        reply = session.get(f"{address}/.well-known/openid-configuration")
    reply.raise_for_status()
    document = reply.json()
    if not isinstance(document, dict) or any(not isinstance(document.get(name), str) for name in NEEDED):
        raise ValueError(f"the discovery document lacks one of {', '.join(NEEDED)}")
    if document["issuer"].rstrip("/") != address:
        raise ValueError(f"the discovery document is of another issuer, {document['issuer'][:200]}")
    if not document["authorization_endpoint"].startswith(("https://", "http://")):
        raise ValueError("the authorization endpoint is no web address")
    methods = document.get("token_endpoint_auth_methods_supported") or [
        "client_secret_basic"
    ]  # §3: where it is left out
    return {**document, "jwks_uri": document.get("jwks_uri", ""), "token_endpoint_auth_methods_supported": methods}


@dataclass(frozen=True, slots=True)
class Told:
    """A provider's answer about a token: claims if `answer` is GROUPS, and the tokens valid now."""

    answer: Answer
    claims: dict[str, Any] = field(default_factory=dict, repr=False)
    access_token: str = field(default="", repr=False)
    refresh_token: str = field(default="", repr=False)


def ask_about(*, issuer: str, client: tuple[str, str], sub: str, access_token: str, refresh_token: str) -> Told:
    """Ask userinfo with the access token; where that is over, with a new one for the refresh token. Two to four
    requests, outside of any transaction. Never raises for what the provider does."""
    try:
        endpoints = read_discovery(issuer)
        claims = _claims(endpoints, sub, access_token, refresh_token)
        if claims.answer is Answer.REFUSED and refresh_token:
            fresh = _renewed(endpoints, client, refresh_token)
            if fresh:
                claims = _claims(endpoints, sub, fresh[0], fresh[1] or refresh_token)
        return claims
    except (requests.RequestException, KeyError, TypeError, ValueError, AttributeError):
        return Told(Answer.DOWN)


def _claims(endpoints: dict[str, Any], sub: str, access_token: str, refresh_token: str) -> Told:
    with guarded_session(identity_policy(), deadline_s=DEADLINE_S) as session:
        reply = session.get(endpoints["userinfo_endpoint"], headers={"Authorization": f"Bearer {access_token}"})
    if reply.status_code in (400, 401, 403):  # RFC 6750 §3.1
        return Told(Answer.REFUSED)
    if reply.status_code != 200:
        return Told(Answer.DOWN)
    claims = reply.json()
    if not isinstance(claims, dict) or claims.get("sub") != sub:
        return Told(Answer.REFUSED)
    return Told(Answer.GROUPS, claims, access_token, refresh_token)


def _renewed(endpoints: dict[str, Any], client: tuple[str, str], refresh_token: str) -> tuple[str, str] | None:
    """RFC 6749 §6. None where the provider refuses the refresh token."""
    client_id, secret = client
    form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
    basic = "client_secret_post" not in endpoints["token_endpoint_auth_methods_supported"]
    if not basic:
        form |= {"client_id": client_id, "client_secret": secret}
    with guarded_session(identity_policy(), deadline_s=DEADLINE_S) as session:
        reply = session.post(endpoints["token_endpoint"], data=form, auth=(client_id, secret) if basic else None)
    if reply.status_code in (400, 401, 403):
        return None
    reply.raise_for_status()
    tokens = reply.json()
    return str(tokens["access_token"]), str(tokens.get("refresh_token") or "")

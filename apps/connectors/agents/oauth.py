"""Show an agent who we are: fixed headers, a bearer token, or OAuth2 client credentials.

In the spec: `secrets["bearer_token"]`; or `options["client_id"]`, `options["token_url"]`, `options["scope"]`,
`options["token_auth"]` ("body", the default, or "basic") and `secrets["client_secret"]`; `options["headers"]` are sent
as they are, with `{{ secret.NAME }}` filled in. Tokens are kept per process, by everything that went into getting them,
so two tenants share one only with the same credentials; they are renewed before they run out (`RENEW_S`).
"""

import base64
import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import httpx

from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.header_templates import header_templates, rendered_headers
from apps.connectors.agents.http_exchange import HttpAsk, fetch, refuse_bad_status
from apps.connectors.errors import BadReply
from apps.core.errors import BadInput

RENEW_S = 300.0  # five minutes before the end, or a tenth of a short life (pega sheet §1)
DEFAULT_LIFE_S = 300.0  # RFC 6749 §5.1 only recommends `expires_in`
_MAX_TOKENS = 256
OAUTH_OPTIONS = frozenset({"headers", "client_id", "token_url", "scope", "token_auth"})
_tokens: OrderedDict[str, "_Token"] = OrderedDict()


@dataclass(frozen=True, slots=True)
class _Token:
    value: str
    renew_at: float


class Credentials:
    """The headers that authenticate one agent. `token_url` may become known only with the agent's card."""

    def __init__(
        self,
        spec: AgentSpec,
        *,
        who: str,
        names: tuple[str, ...] = ("secret",),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._spec, self._who, self._clock = spec, who, clock
        self._own = header_templates(spec.options, "headers", names=names)
        if spec.options.get("token_auth", "body") not in ("body", "basic"):
            raise BadInput("choose from body, basic", pointer="/options/token_auth")
        self.token_url = str(spec.options.get("token_url") or "")
        self.client_id = str(spec.options.get("client_id") or spec.secrets.get("client_id") or "")
        self.scope = str(spec.options.get("scope") or "")

    @property
    def uses_oauth(self) -> bool:
        """Tell whether a token has to be fetched with client credentials."""
        return bool(self.client_id and "client_secret" in self._spec.secrets)

    @property
    def any_secret(self) -> bool:
        """Tell whether anything is sent that only this agent may see."""
        return bool(self._spec.secrets)

    @property
    def uses(self) -> frozenset[str]:
        """Return the placeholders of the agent's own headers."""
        return frozenset().union(*(template.uses for template in self._own.values()))

    @property
    def secret_names(self) -> frozenset[str]:
        """Return the secrets that the agent's own headers name."""
        return frozenset().union(*(template.secret_names for template in self._own.values()))

    async def headers(self, client: httpx.AsyncClient, values: Mapping[str, Any] | None = None) -> dict[str, str]:
        """The headers for one request, `values` being those of its turn; one call to the token endpoint where no kept
        token is good."""
        headers = rendered_headers(self._own, {**(values or {}), "secret": dict(self._spec.secrets)})
        headers = {name.lower(): text for name, text in headers.items()}
        if "bearer_token" in self._spec.secrets:
            headers["authorization"] = f"Bearer {self._spec.secrets['bearer_token']}"
        elif self.uses_oauth and self.token_url:
            headers["authorization"] = f"Bearer {await self._token(client)}"
        return headers

    def forget(self) -> bool:
        """Drop the kept token after a 401. True where a fresh one can be had, so that one repeat makes sense."""
        _tokens.pop(self._key(), None)
        return self.uses_oauth and bool(self.token_url)

    async def _token(self, client: httpx.AsyncClient) -> str:
        key = self._key()
        cached = _tokens.get(key)
        if cached is not None and self._clock() < cached.renew_at:
            return cached.value
        value, life = await self._fetch(client)
        _tokens[key] = _Token(value, self._clock() + life - min(RENEW_S, life / 10))
        while len(_tokens) > _MAX_TOKENS:
            _tokens.popitem(last=False)
        return value

    async def _fetch(self, client: httpx.AsyncClient) -> tuple[str, float]:
        form = {"grant_type": "client_credentials"} | ({"scope": self.scope} if self.scope else {})
        headers = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}
        secret = self._spec.secrets["client_secret"]
        if self._spec.options.get("token_auth") == "basic":
            pair = f"{quote(self.client_id, safe='')}:{quote(secret, safe='')}"  # RFC 6749 §2.3.1
            headers["authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        else:
            form |= {"client_id": self.client_id, "client_secret": secret}
        who = f"the token endpoint of {self._who}"
        ask = HttpAsk(
            who=who, method="POST", url=self.token_url, headers=headers, content=urlencode(form).encode(), timeout_s=30
        )
        response = await fetch(client, ask)
        refuse_bad_status(response, who)
        return _read_token(response, who)

    def _key(self) -> str:
        parts = (self.token_url, self.client_id, self.scope, self._spec.secrets.get("client_secret", ""))
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _read_token(response: httpx.Response, who: str) -> tuple[str, float]:
    try:
        data: Any = json.loads(response.content)
    except ValueError:
        data = None
    value = data.get("access_token") if isinstance(data, Mapping) else None
    if not isinstance(value, str) or not value:
        raise BadReply(f"{who} answered without an access_token", status=response.status_code)
    try:
        life = float(data.get("expires_in") or DEFAULT_LIFE_S)
    except (TypeError, ValueError):
        life = DEFAULT_LIFE_S
    return value, max(life, 1.0)

"""The request of a turn to an HTTP agent: address, headers, cookies and body as templates (options: see http.py)."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.header_templates import header_templates, rendered_headers
from apps.connectors.agents.http.session import session_source
from apps.connectors.agents.http_exchange import HttpAsk
from apps.connectors.agents.templates import Template
from apps.core.errors import BadInput
from apps.core.json_hygiene import storable

HEADER_NAMES = ("session", "message_id", "turn", "secret")
ADDRESS_NAMES = ("text", *HEADER_NAMES)
BODY_NAMES = (*ADDRESS_NAMES, "history", "messages", "attachments")
METHODS = ("GET", "POST", "PUT", "PATCH")
_BODY: Mapping[str, str] = {"message": "{{ text }}", "session_id": "{{ session }}"}


class RequestTemplate:
    """The request that a spec describes, compiled once. Raises BadInput with the pointer.
    `uses` are its placeholders, `secret_names` the secrets among them."""

    def __init__(self, spec: AgentSpec) -> None:
        options = spec.options
        self._url = Template(spec.address, "/address", names=ADDRESS_NAMES)
        self._body = Template(options.get("body", _BODY), "/options/body", names=BODY_NAMES)
        self._method = str(options.get("method", "POST")).upper()
        self._prompt = spec.prompt
        if self._method not in METHODS:
            raise BadInput(f"no method {self._method!r}: choose from {', '.join(METHODS)}", pointer="/options/method")
        if self._prompt is not None and self._prompt.field:
            self._prompt.placed_in(None if self._method == "GET" else options.get("body", _BODY))
        self._cookies = header_templates(options, "cookies", names=HEADER_NAMES)
        self.session = session_source(options.get("session"))
        sent = (self._url, *([] if self._method == "GET" else [self._body]), *self._cookies.values())
        self.uses: frozenset[str] = frozenset().union(*(part.uses for part in sent))
        self.secret_names: frozenset[str] = frozenset().union(*(part.secret_names for part in sent))

    def ask(self, values: Mapping[str, Any], own: Mapping[str, str], *, who: str, timeout_s: float) -> HttpAsk:
        """The request with these values; `own` are the agent's headers and credentials, names in lower case."""
        headers = {"accept": "application/json", **own, **(self._prompt.headers() if self._prompt else {})}
        cookies = [f"{name}={text}" for name, text in rendered_headers(self._cookies, values).items()]
        if cookies:
            headers["cookie"] = "; ".join(filter(None, (headers.get("cookie"), *cookies)))
        headers |= self.session.headers(values["session"], headers)
        content: bytes | None = None
        if self._method != "GET":
            body = self._body.render(values)
            body = self._prompt.placed_in(body) if self._prompt else body
            kind = "text/plain; charset=utf-8" if isinstance(body, str) else "application/json"
            headers = {"content-type": kind, **headers}
            text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
            content = text.encode("utf-8", "replace")
        quoted = {key: quote(storable(str(values[key] or "")), safe="") for key in ADDRESS_NAMES if key != "secret"}
        url = str(self._url.render({**quoted, "secret": values["secret"]}))
        return HttpAsk(who=who, method=self._method, url=url, headers=headers, content=content, timeout_s=timeout_s)

"""Find an HTTP agent's session id and send it back: the answer's JSON, a header or a cookie."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import httpx

from apps.core.errors import BadInput


class SessionPlace(StrEnum):
    """Place where an answer carries the session id. OURS: nowhere, the id is ours and the same every turn."""

    OURS = "ours"
    PATH = "path"
    HEADER = "header"
    COOKIE = "cookie"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSource:
    """Source of the session id, read from `options.session`.

    The option is a JSONPath as text or `{path: …}`, `{header: NAME}` or `{cookie: NAME}`.
    """

    place: SessionPlace
    name: str = ""

    @property
    def given_by_agent(self) -> bool:
        """Tell whether the agent makes the id, so that the first turn has none."""
        return self.place is not SessionPlace.OURS

    def headers(self, session: str | None, sent: Mapping[str, str]) -> dict[str, str]:
        """The id, back where it came from, unless the agent's own `headers` or `cookies` are there already."""
        name = self.name.lower()
        if session is None or (self.place is SessionPlace.HEADER and name in sent):
            return {}
        if self.place is SessionPlace.HEADER:
            return {name: session}
        if self.place is not SessionPlace.COOKIE or f"{self.name}=" in sent.get("cookie", ""):
            return {}
        return {"cookie": "; ".join(filter(None, (sent.get("cookie", ""), f"{self.name}={session}")))}

    def found(self, response: httpx.Response, matches: list[Any]) -> str | None:
        """The id in an answer; `matches` are those of the path. None where there is none: the one before stays."""
        if self.place is SessionPlace.HEADER:
            return response.headers.get(self.name) or None
        if self.place is SessionPlace.COOKIE:
            return _cookie(response, self.name)
        return next((str(item) for item in matches if item not in (None, "")), None)

    def __str__(self) -> str:
        return self.name if self.place is SessionPlace.PATH else f"the {self.place} {self.name}"


def session_source(option: Any) -> SessionSource:
    """Read `options.session`. Raises BadInput at /options/session."""
    if not option:
        return SessionSource(place=SessionPlace.OURS)
    if isinstance(option, str):
        return SessionSource(place=SessionPlace.PATH, name=option)
    places = {place.value for place in SessionPlace} - {SessionPlace.OURS}
    named = list(option.items()) if isinstance(option, Mapping) else []
    if len(named) != 1 or named[0][0] not in places or not isinstance(named[0][1], str) or not named[0][1].strip():
        raise BadInput(
            "the session id comes from a JSONPath such as $.session, or from {header: NAME} or {cookie: NAME}",
            pointer="/options/session",
        )
    return SessionSource(place=SessionPlace(named[0][0]), name=named[0][1].strip())


def _cookie(response: httpx.Response, name: str) -> str | None:
    for line in response.headers.get_list("set-cookie"):
        key, _, rest = line.partition("=")
        value = rest.partition(";")[0].strip()
        if key.strip() == name and value:
            return value
    return None

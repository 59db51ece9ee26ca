"""Send a prompt to an agent with every request, and see which one it played.

Pure. A staging connection names a field of the request, a header, or both. The field holds the prompt's text or its
version, the header always the version: a header holds one line. An agent that says which prompt it played is held to
its word: in the header `x-ratiba-prompt` (or the one of its settings) of its answer, in the metadata (A2A) or at the
top of its JSON (HTTP) under `ratiba_prompt`: the version, the SHA-256 of the text, or at least its first 8 hex digits.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from apps.connectors.errors import OtherPrompt
from apps.core.digest import sha256_hex
from apps.core.errors import BadInput

ECHO_HEADER = "x-ratiba-prompt"
ECHO_FIELD = "ratiba_prompt"
MAX_FIELD, MAX_HEADER = 200, 100
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_FIELD = re.compile(r"[^\s.]+(\.[^\s.]+)*")
_DIGEST = re.compile(r"(?:sha-?256[:-])?([0-9a-f]{8,64})", re.IGNORECASE)
_OURS = frozenset(
    {
        "accept",
        "authorization",
        "a2a-version",
        "connection",
        "content-length",
        "content-type",
        "cookie",
        "host",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


class PromptPayload(StrEnum):
    """The content of the prompt's field: the prompt's whole text, or the version by which the agent knows it."""

    TEXT = "text"
    VERSION = "version"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptDelivery:
    """Delivery of a prompt: which one an agent shall play, and where its requests say so.

    `field` and `header` are as in the settings.
    """

    field: str = ""
    header: str = ""
    form: PromptPayload = PromptPayload.TEXT
    version: str = ""
    text: str = ""

    def headers(self) -> dict[str, str]:
        """The headers that every request to the agent has in addition to its own."""
        return {self.header.lower(): self.version} if self.header else {}

    def metadata(self) -> dict[str, str]:
        """The entries for a message's metadata (A2A): the field's name is taken as it is, a URI too."""
        return {self.field: self._value} if self.field else {}

    def placed_in(self, body: Any) -> Any:
        """The body with the prompt at the field; dots lead into objects. Raises BadInput (`/prompt_field`) where none
        can stand there, and where it would take the place of what the customer says."""
        if not self.field:
            return body
        return _placed(body, self.field.split("."), self._value)

    def check(self, header: str | None, found: Iterable[Any], *, who: str) -> None:
        """Raise OtherPrompt if the reply says that another prompt was played.
        `header` and `found` are its echoes of the version, if any."""
        for echoed in (header, *found):
            if isinstance(echoed, str) and echoed.strip() and not self._is_ours(echoed.strip()):
                raise OtherPrompt(
                    f"{who} says that it played the prompt {echoed.strip()[:100]!r}, and was sent {self.version}: "
                    "what it said here is not what this prompt says",
                    who=who,
                )

    def said_in_headers(self, headers: Mapping[str, str]) -> str | None:
        """The prompt that was played, according to an answer's headers."""
        return headers.get(ECHO_HEADER) or (headers.get(self.header) if self.header else None)

    def _is_ours(self, said: str) -> bool:
        if said == self.version:
            return True
        digest = sha256_hex(self.text)
        part = _DIGEST.fullmatch(said)
        return bool(part and digest.startswith(part[1].lower())) or sha256_hex(said) == digest

    @property
    def _value(self) -> str:
        return self.text if self.form is PromptPayload.TEXT else self.version


def check_delivery(field: str, header: str) -> None:
    """Refuse a name that no field or header can have. Raises BadInput (`/prompt_field`, `/prompt_header`)."""
    if field and (len(field) > MAX_FIELD or not _FIELD.fullmatch(field)):
        raise BadInput(f"{field!r} is no name of a field: no blanks, up to {MAX_FIELD}", pointer="/prompt_field")
    if header and (len(header) > MAX_HEADER or not _HEADER.fullmatch(header)):
        raise BadInput(f"{header!r} is no name of a header", pointer="/prompt_header")
    if header.lower() in _OURS:
        raise BadInput(f"the header {header} is needed for something else", pointer="/prompt_header")


def _placed(body: Any, steps: list[str], value: str) -> Any:
    if not isinstance(body, Mapping):
        raise BadInput("the field has no room: the body is no object there", pointer="/prompt_field")
    first, *rest = steps
    if rest:
        return {**body, first: _placed(body.get(first, {}), rest, value)}
    if "{{" in str(body.get(first, "")):
        raise BadInput(f"the field {first} is filled with something else already", pointer="/prompt_field")
    return {**body, first: value}

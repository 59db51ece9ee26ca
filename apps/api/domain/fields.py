"""Reading a request body strictly: wrong types, unknown fields and out-of-range values are refused with a pointer.

null counts as absent where a field is optional; nothing is converted ("1" is no number, 1 is no flag).
"""

import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from apps.core.errors import BadInput
from apps.core.json_hygiene import escape
from apps.core.turn_parsing import kind, shown

_CONTROL = re.compile(r"[\x00-\x20\x7f]")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}")
LONGEST_LIST = 1000


class Fields:
    """One JSON object being read. Call `refuse_rest` last: what was not read is not known."""

    def __init__(self, body: Any) -> None:
        if not isinstance(body, dict):
            raise BadInput(f"The body must be a JSON object, not {kind(body)}.", pointer="")
        self._body: Mapping[str, Any] = body
        self._read: set[str] = set()

    def raw(self, name: str) -> Any:
        """The value as it came; None where it is absent or null."""
        self._read.add(name)
        return self._body.get(name)

    def text(self, name: str, *, longest: int, default: str = "") -> str:
        value = self.raw(name)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self._wrong(name, "text", value)
        if len(value) > longest:
            raise BadInput(f"{name} has {len(value)} characters; the limit is {longest}.", pointer=f"/{name}")
        return value

    def required_text(self, name: str, *, longest: int) -> str:
        value = self.text(name, longest=longest)
        if not value.strip():
            raise BadInput(f"{name} is required.", code="required", pointer=f"/{name}")
        return value

    def flag(self, name: str, *, default: bool = False) -> bool:
        value = self.raw(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false", value)
        return value

    def whole(self, name: str, *, low: int, high: int) -> int | None:
        """A whole number; 21.0 is one, as JSON Schema has it."""
        value = self.raw(name)
        if value is None:
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong(name, "a whole number", value)
        if not low <= value <= high:
            raise BadInput(f"{name} must be between {low} and {high}.", pointer=f"/{name}")
        return value

    def identity(self, name: str) -> uuid.UUID | None:
        value = self.raw(name)
        if value is None:
            return None
        if not isinstance(value, str) or not _UUID.fullmatch(value):
            raise self._wrong(name, "an id (a UUID)", value)
        return uuid.UUID(value)

    def one_of(self, name: str, words: Sequence[str], *, default: str | None = None) -> str:
        value = self.raw(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or value not in words:
            raise self._wrong(name, " or ".join(repr(word) for word in words), value)
        return value

    def names(self, name: str, *, word: str | None = None) -> list[str] | str | None:
        """A list of different names, or the one `word` that stands for a list."""
        value = self.raw(name)
        if value is None or (word is not None and value == word):
            return word if value is not None else None
        expected = "a list of names" + (f', or "{word}"' if word else "")
        if not isinstance(value, list):
            raise self._wrong(name, expected, value)
        if not 0 < len(value) <= LONGEST_LIST:
            raise BadInput(f"{name} must hold 1 to {LONGEST_LIST} names.", pointer=f"/{name}")
        for position, item in enumerate(value):
            if not isinstance(item, str) or not item:
                raise self._wrong(f"{name}/{position}", "a name", item)
            if item in value[:position]:
                raise BadInput(f"{item!r} stands twice.", code="duplicate", pointer=f"/{name}/{position}")
        return value

    def web_address(self, name: str, *, longest: int = 2000) -> str:
        value = self.text(name, longest=longest)
        if not value:
            return ""
        try:
            parts = urlsplit(value)
            good = parts.scheme in ("http", "https") and bool(parts.hostname) and not _CONTROL.search(value)
            _ = parts.port
        except ValueError:
            good = False
        if not good:
            raise self._wrong(name, "an address that begins with https:// or http://", value)
        return value

    def refuse_rest(self) -> None:
        unknown = sorted(set(self._body) - self._read)
        if unknown:
            known = ", ".join(sorted(self._read))
            raise BadInput(
                f"There is no field {unknown[0]!r}; {f'there are {known}' if known else 'this takes no body'}.",
                code="unknown_field",
                pointer="/" + escape(unknown[0]),
            )

    def _wrong(self, name: str, expected: str, value: Any) -> BadInput:
        return BadInput(f"{name} must be {expected}, not {shown(value)}.", pointer=f"/{name}")

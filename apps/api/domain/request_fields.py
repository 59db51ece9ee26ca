"""Define the fields that the bodies of the two POSTs share."""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any
from urllib.parse import urlsplit

from annotated_types import Interval, Len, MaxLen

from apps.core.errors import BadInput
from apps.core.json_path import compile_path
from apps.core.shapes import NOT_BLANK, Check, Flag, Keywords, Number, Reader, Shape, Text, described
from apps.core.subject import Subject
from apps.core.turn_parsing import shown

MAX_LIST = 1000
_CONTROL = re.compile(r"[\x00-\x20\x7f]")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}")


def _identity(value: Any) -> uuid.UUID:
    if not isinstance(value, str) or not _UUID.fullmatch(value):
        raise BadInput(f"must be an id (a UUID), not {shown(value)}")
    return uuid.UUID(value)


def _web_address(value: str) -> str:
    if not value:
        return ""
    try:
        parts = urlsplit(value)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and not _CONTROL.search(value)
        _ = parts.port
    except ValueError:
        good = False
    if not good:
        raise BadInput(f"must be an address that begins with https:// or http://, not {shown(value)}")
    return value


def _different(names: Sequence[str]) -> Sequence[str]:
    for position, name in enumerate(names):
        if not name or name in names[:position]:
            what = "stands twice" if name else "must be a name, not an empty text"
            raise BadInput(what, code="duplicate" if name else "invalid", pointer=f"/{position}")
    return names


Id = Annotated[uuid.UUID, Reader(_identity, {"type": "string", "format": "uuid"})]
Name = Annotated[Text, MaxLen(100), NOT_BLANK]
_Listed = Annotated[Text, Keywords({"minLength": 1})]
Names = Annotated[list[_Listed], Len(1, MAX_LIST), Check(_different, {"uniqueItems": True})]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOptions(Shape):
    """Fields of both requests."""

    run_analyzer: Flag = False
    triggered_by: Annotated[Text, MaxLen(100), described("Stored and shown; nothing branches on it.")] = ""
    callback_url: Annotated[
        Text, MaxLen(2000), Check(_web_address, {"format": "uri", "pattern": "^https?://[A-Za-z0-9]"})
    ] = ""
    subject: Subject = field(default_factory=Subject)
    pull_request: Annotated[Text, MaxLen(200), described("Whose budget pays, as CI names it.")] = ""
    budget_usd: (
        Annotated[
            Number,
            Interval(ge=0, le=1_000_000),
            described("The most that this pull request may spend; it lowers the tenant's limit and never raises it."),
        ]
        | None
    ) = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpPaths(Shape):
    """Where in an answer of http these parts are, as JSONPaths: the options of an agent of that kind (docs/run.md)."""

    reply: Annotated[Text, MaxLen(500)] = ""
    ended: Annotated[Text, MaxLen(500)] = ""
    tool_calls: Annotated[Text, MaxLen(500)] = ""

    def as_json(self, pointer: str) -> dict[str, str]:
        """The given fields as JSON.

        Raises BadInput for a path that cannot be read; `pointer` is that of these options.
        """
        given = {name: getattr(self, name) for name in ("reply", "ended", "tool_calls") if getattr(self, name)}
        for name, path in given.items():
            compile_path(path, f"{pointer}/{name}")
        return given

"""One recorded call: a line of `<scenario_id>.jsonl`."""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from pytest_ratiba.recording.canonical import CanonicalRequest
from pytest_ratiba.recording.exchange import WireReply
from pytest_ratiba.recording.masking import Masker
from pytest_ratiba.recording.reply_masking import Places, by_bytes, filled, mask_reply
from pytest_ratiba.recording.tokens import tokens_of

VERSION = 2  # 1 did not say which test recorded a call
# What a client may need of a reply's headers. Cookies, accounts and the like are not stored.
KEPT_HEADERS = frozenset(
    (
        "content-type",
        "content-language",
        "location",
        "retry-after",
        "retry-after-ms",
        "x-request-id",
        "request-id",
        "x-should-retry",
        "etag",
        "link",
        "x-total-count",
        "openai-processing-ms",
        "openai-version",
        "x-litellm-response-cost",
        "x-litellm-model-id",
    )
)


class EntryError(ValueError):
    """A line that is no recorded call."""


@dataclass(frozen=True, kw_only=True)
class StoredReply:
    """`text` is masked; `cuts` are the lengths of the chunks in bytes. `binary`: the text is base64."""

    status: int
    headers: Mapping[str, str]
    text: str
    cuts: tuple[int, ...]
    offsets_ms: tuple[int, ...]
    fills: tuple[tuple[int, Places], ...] = ()
    binary: bool = False
    cut: bool = False

    def played(self, values: tuple[str, ...]) -> WireReply:
        """The reply as it goes out, for a request with these personal values."""
        if self.binary:
            body = base64.b64decode(self.text)
            chunks = tuple(body[start:end] for start, end in pairwise(_edges(self.cuts)))
        else:
            chunks = by_bytes(filled(self.text, self.fills, values), self.cuts)
        return WireReply(
            status=self.status, headers=dict(self.headers), chunks=chunks, offsets_ms=self.offsets_ms, cut=self.cut
        )


@dataclass(frozen=True, kw_only=True)
class RecordedCall:
    """`number` counts the calls of one conversation from 1; `at` is when it was sent. `test`: who recorded it; "" in
    files of version 1."""

    conversation: str
    number: int
    at: datetime
    request: CanonicalRequest
    reply: StoredReply
    duration_ms: int = 0
    tokens: Mapping[str, int] | None = None
    line: int = 0
    test: str = ""

    def as_line(self) -> str:
        """One line of JSON, without the line's end."""
        reply: dict[str, Any] = {"status": self.reply.status, "headers": dict(self.reply.headers)}
        reply["base64" if self.reply.binary else "text"] = self.reply.text
        reply |= {"cuts": list(self.reply.cuts), "at_ms": list(self.reply.offsets_ms)}
        reply |= {"personal": [list(fill) for fill in self.reply.fills]} if self.reply.fills else {}
        reply |= {"cut": True} if self.reply.cut else {}
        row: dict[str, Any] = {
            "v": VERSION,
            "test": self.test,
            "conversation": self.conversation,
            "call": self.number,
            "at": self.at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            "request": self.request.as_json(),
            "reply": reply,
            "ms": self.duration_ms,
            "tokens": dict(self.tokens) if self.tokens else None,
        }
        return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def stored(reply: WireReply, *, request: CanonicalRequest, masker: Masker, keep: frozenset[str]) -> StoredReply:
    """The reply as it is written down: headers that matter, text masked."""
    headers = {name: value for name, value in reply.headers.items() if name in KEPT_HEADERS or name in keep}
    kind = headers.get("content-type", "")
    cuts = tuple(len(chunk) for chunk in reply.chunks)
    common: dict[str, Any] = {"status": reply.status, "headers": headers, "cuts": cuts, "offsets_ms": reply.offsets_ms}
    try:
        text = reply.body.decode("utf-8")
    except UnicodeDecodeError:
        return StoredReply(text=base64.b64encode(reply.body).decode(), binary=True, cut=reply.cut, **common)
    streamed = "event-stream" in kind or "ndjson" in kind or "jsonl" in kind
    structured = streamed or "json" in kind or text.lstrip()[:1] in ("{", "[")
    masked = mask_reply(text, masker=masker, values=request.values, structured=structured, streamed=streamed)
    return StoredReply(text=masked.text, fills=masked.fills, cut=reply.cut, **common)


def recorded(
    reply: WireReply,
    *,
    request: CanonicalRequest,
    conversation: str,
    number: int,
    at: datetime,
    masker: Masker,
    keep: frozenset[str] = frozenset(),
    test: str = "",
) -> RecordedCall:
    """The line for a reply that has come in whole."""
    return RecordedCall(
        conversation=conversation,
        number=number,
        at=at.replace(microsecond=0),
        request=request,
        reply=stored(reply, request=request, masker=masker, keep=keep),
        duration_ms=reply.duration_ms,
        tokens=tokens_of(reply.body),
        test=test,
    )


def parse_line(text: str, *, line: int = 0) -> RecordedCall:
    """A recorded call. Raises EntryError that names what is wrong."""
    try:
        row = json.loads(text)
    except ValueError as error:
        raise EntryError(f"is not JSON: {error}") from error
    if not isinstance(row, dict) or row.get("v") not in (1, VERSION):
        raise EntryError(f"is no recorded call of version 1 or {VERSION}: record the scenario again with --record all")
    try:
        return _call(row, line)
    except (KeyError, TypeError, ValueError, AttributeError, binascii.Error) as error:
        raise EntryError(f"is no recorded call: {type(error).__name__} {error}") from error


def _call(row: Mapping[str, Any], line: int) -> RecordedCall:
    request, reply = row["request"], row["reply"]
    binary = "base64" in reply
    body = reply["base64" if binary else "text"]
    cuts = tuple(int(cut) for cut in reply["cuts"])
    length = len(base64.b64decode(body)) if binary else len(body.encode("utf-8", "surrogatepass"))
    if sum(cuts) != length:
        raise ValueError("the reply's `cuts` do not add up to its length: it was changed by hand")
    return RecordedCall(
        conversation=str(row["conversation"]),
        number=int(row["call"]),
        at=datetime.fromisoformat(row["at"].replace("Z", "+00:00")),
        request=CanonicalRequest(**{key: request[key] for key in ("method", "upstream", "path", "query", "body")}),
        reply=StoredReply(
            status=int(reply["status"]),
            headers=dict(reply["headers"]),
            text=body,
            cuts=cuts,
            offsets_ms=tuple(int(one) for one in reply["at_ms"]),
            fills=tuple(
                (int(index), [list(map(int, place)) for place in places]) for index, places in reply.get("personal", [])
            ),
            binary=binary,
            cut=bool(reply.get("cut")),
        ),
        duration_ms=int(row.get("ms") or 0),
        tokens=row.get("tokens"),
        line=line,
        test=str(row.get("test") or ""),
    )


def _edges(lengths: tuple[int, ...]) -> list[int]:
    edges = [0]
    for length in lengths:
        edges.append(edges[-1] + length)
    return edges

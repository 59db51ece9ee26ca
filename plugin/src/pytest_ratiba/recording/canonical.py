"""The canonical request: what of a request is stored and compared. Headers are no part of it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.parser import BytesParser
from typing import Any
from urllib.parse import parse_qsl, unquote

from pytest_ratiba.recording.exchange import RawRequest
from pytest_ratiba.recording.identifiers import IdNumbers
from pytest_ratiba.recording.json_paths import parse_path, without
from pytest_ratiba.recording.masking import SECRET, Masker, header_secrets, is_secret_key, is_secret_parameter
from pytest_ratiba.recording.settings import RecordingSettings

_MAX_TEXT = 2_000_000  # characters beyond which a body is kept as its digest


@dataclass(frozen=True, kw_only=True)
class CanonicalRequest:
    """`body` is a JSON value; texts and forms stand under `text` and `form`, anything else as digest and size.
    `values` are the pieces of personal data that were masked, in order: never stored, put back into replies."""

    method: str
    upstream: str
    path: str
    query: Mapping[str, Any]
    body: Any
    values: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def as_json(self) -> dict[str, Any]:
        """Return the request as a recording holds it."""
        row = {"method": self.method, "upstream": self.upstream, "path": self.path, "query": dict(self.query)}
        return {**row, "body": self.body}

    @property
    def line(self) -> str:
        """`POST openai /chat/completions`."""
        return f"{self.method} {self.upstream} {self.path}"


def masker_of(request: RawRequest, masker: Masker) -> Masker:
    """The masker that also knows the credentials this request carries."""
    in_query = [value for name, value in parse_qsl(request.query) if is_secret_parameter(name)]
    return masker.with_secrets([*header_secrets(request.headers), *in_query])


def canonical(request: RawRequest, *, settings: RecordingSettings, masker: Masker) -> CanonicalRequest:
    """The request as it is stored and compared; the same request gives the same one on any day, with any key.

    Raises nothing: a body that is not what its content type says is kept as text or digest. A chat request of 20 KB
    costs about 2 ms.
    """
    known = masker_of(request, masker)
    walk = _Walk(known, ids="ids" in settings.rules)
    query = {name: value for name, value in sorted(parse_qsl(request.query, keep_blank_values=True))}
    body = _body(request)
    for path in settings.ignore:
        body = without(body, parse_path(path))
    path_text = walk.text(unquote(request.path), "")
    return CanonicalRequest(
        method=request.method,
        upstream=request.upstream,
        path=path_text,
        query={name: SECRET if is_secret_parameter(name) else walk.text(value, name) for name, value in query.items()},
        body=walk.value(body, ""),
        values=tuple(walk.values),
    )


class _Walk:
    """Keys in alphabetical order, so that ids and personal values get the same numbers whoever wrote the JSON."""

    def __init__(self, masker: Masker, *, ids: bool) -> None:
        self._masker, self._ids = masker, IdNumbers() if ids else None
        self.values: list[str] = []

    def value(self, value: Any, key: str) -> Any:
        if isinstance(value, dict):
            return {name: self._item(value[name], name) for name in sorted(value)}
        if isinstance(value, list):
            return [self.value(item, key) for item in value]
        if isinstance(value, str):
            return self.text(value, key)
        if isinstance(value, int) and not isinstance(value, bool) and len(str(abs(value))) >= 11:
            masked = self.text(str(value), key)
            return int(masked) if masked.lstrip("-").isdigit() else masked
        return value

    def _item(self, value: Any, name: str) -> Any:
        if is_secret_key(name) and isinstance(value, str | int) and not isinstance(value, bool):
            return SECRET
        return self.value(value, name)

    def text(self, text: str, key: str) -> str:
        text = self._masker.request_text(text, self.values)
        return self._ids.text(text, key) if self._ids else text


def _body(request: RawRequest) -> Any:
    content_type = request.headers.get("content-type", "").lower()
    if not request.body:
        return None
    if content_type.startswith("multipart/"):
        return {"parts": _parts(request.body, request.headers.get("content-type", ""))}
    try:
        text = request.body.decode("utf-8")
    except UnicodeDecodeError:
        return _digest(request.body)
    if "x-www-form-urlencoded" in content_type:
        return {"form": dict(parse_qsl(text, keep_blank_values=True))}
    try:
        return json.loads(text)
    except ValueError:
        return {"text": text} if len(text) <= _MAX_TEXT else _digest(request.body)


def _parts(body: bytes, content_type: str) -> list[dict[str, Any]]:
    """Fields and files of a form in the order they were sent; the boundary is made up anew each time."""
    message = BytesParser().parsebytes(b"content-type: " + content_type.encode("latin-1") + b"\r\n\r\n" + body)
    parts = []
    for part in message.walk():
        if part.is_multipart():
            continue
        payload = part.get_payload(decode=True)
        content = payload if isinstance(payload, bytes) else b""
        name = part.get_param("name", header="content-disposition")
        row: dict[str, Any] = {"name": str(name or "")}
        if is_secret_key(row["name"]):
            row["text"] = SECRET
        else:
            row |= {"text": content.decode("utf-8", "replace")} if not part.get_filename() else _digest(content)
        parts.append(row)
    return parts


def _digest(body: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(body).hexdigest(), "bytes": len(body)}

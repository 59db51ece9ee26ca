"""Requests and answers as the routes see them, and Pega's bodies for errors."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from typing import Any

from examples.pega.node import Node
from examples.pega.serving import Refused

_CLASSES = {
    400: "Invalid inputs",
    403: "Forbidden",
    404: "Resource not found",
    409: "Conflict",
    412: "Precondition failed",
    422: "Validation errors",
    423: "Locked",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request. `path` is as it came, still percent-encoded; `query` and `headers` (lower-case names) are read."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    node: Node

    def json(self) -> dict[str, Any]:
        """The body as an object; an empty body is an empty one. Raises Refused (400)."""
        try:
            found = json.loads(self.body or b"{}")
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise Refused(400, _CLASSES[400], "Error_Invalid_JSON", "The body is not a JSON object")
        return found

    def files(self) -> list[tuple[str, str, bytes]]:
        """The parts of a multipart body: field name, file name, content."""
        head = f"Content-Type: {self.headers.get('content-type', '')}\r\n\r\n".encode()
        parsed = message_from_bytes(head + self.body, policy=policy.HTTP)
        if not parsed.is_multipart():
            return []
        return [
            (
                str(part.get_param("name", "", header="content-disposition")),
                part.get_filename() or "",
                bytes(part.get_payload(decode=True) or b""),
            )
            for part in parsed.iter_parts()
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class WireAnswer:
    """One answer: a JSON body, or none at all."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


Endpoint = Callable[[Request, tuple[str, ...]], WireAnswer]


def refusal(status: int, message: str, detail: str) -> Refused:
    """A refusal with the class that belongs to its status."""
    return Refused(status, _CLASSES[status], message, detail)


def error_answer(refused: Refused) -> WireAnswer:
    """The DX API's body for an error."""
    detail = {
        "message": refused.message,
        "erroneousInputOutputFieldInPage": "",
        "erroneousInputOutputIdentifier": "",
        "localizedValue": refused.detail,
    }
    body = {
        "errorClassification": refused.classification,
        "localizedValue": refused.detail,
        "errorDetails": [detail],
    }
    return WireAnswer(status=refused.status, body=body)


def unauthorised() -> WireAnswer:
    """401 in the older form, as a missing or expired token gets it."""
    body = {"errors": [{"ID": "Pega_API_003", "message": "Invalid or expired access token"}]}
    return WireAnswer(status=401, body=body, headers={"WWW-Authenticate": "Bearer"})

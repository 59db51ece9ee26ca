"""The body of POST /golden-sessions/ as plain data."""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from apps.core.errors import BadInput
from apps.core.shapes import Reader, Shape, described
from apps.core.turn_parsing import shown

MAX_FILES, MAX_NAME = 50, 200
_FILE_NAME = r"^[A-Za-z0-9_][A-Za-z0-9 ._()+-]{0,199}$"


def _file_name(value: str) -> str:
    if not re.fullmatch(_FILE_NAME, value):
        raise BadInput("must be the name of a file, without a folder: letters, digits, blanks and ._()+-")
    return value


def _document_name(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MAX_NAME or value.lstrip()[:1] in ("{", "["):
        raise BadInput(
            f"must be the name of a file, such as golden_weekend.json, not {_as_given(value)}: the golden session "
            "itself goes into files under that name, as the file's text"
        )
    return _file_name(value)


def _as_given(value: Any) -> str:
    return f"a text of {len(value):,} characters" if isinstance(value, str) else shown(value)


DocumentName = Annotated[
    str,
    Reader(_document_name, {"type": "string", "maxLength": MAX_NAME, "pattern": _FILE_NAME}),
    described("The name of one of the files: the golden session."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSessionRequest(Shape):
    """A golden session as files: its document, the profile that the document names, and what was uploaded in it."""

    document: DocumentName
    files: Annotated[Mapping[str, Any], described("Name to text: the document, and the profile it names.")]
    attachments: Annotated[Mapping[str, Any], described("Name to content, in base64.")] = field(default_factory=dict)


def texts_of(files: Mapping[str, Any]) -> dict[str, str]:
    """Each file's text. Raises BadInput with the pointer."""
    _check_names(files, "/files")
    for name, text in files.items():
        if not isinstance(text, str):
            raise BadInput(f"must be the file's text (JSON in a string), not {shown(text)}", pointer=f"/files/{name}")
    return dict(files)


def contents_of(files: Mapping[str, Any]) -> dict[str, bytes]:
    """Each attachment's bytes. Raises BadInput with the pointer."""
    _check_names(files, "/attachments")
    contents = {}
    for name, text in files.items():
        try:
            contents[name] = base64.b64decode(text.encode("ascii"), validate=True)
        except (AttributeError, UnicodeEncodeError, binascii.Error):
            raise BadInput("must be base64", pointer=f"/attachments/{name}") from None
    return contents


def _check_names(files: Mapping[str, Any], pointer: str) -> None:
    if len(files) > MAX_FILES:
        raise BadInput(f"has {len(files)} files; the limit is {MAX_FILES}", pointer=pointer)
    for name in files:
        try:
            _file_name(name)
        except BadInput as error:
            raise BadInput(f"{shown(name)} {error.message}", pointer=pointer) from error

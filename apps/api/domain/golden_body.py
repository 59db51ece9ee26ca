"""The body of POST /golden-sessions/ as plain data."""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from annotated_types import MaxLen

from apps.core.errors import BadInput
from apps.core.shapes import Check, Shape, Text, described
from apps.core.turn_parsing import shown

MOST_FILES = 50
_FILE_NAME = r"^[A-Za-z0-9_][A-Za-z0-9 ._()+-]{0,199}$"


def _file_name(value: str) -> str:
    if not re.fullmatch(_FILE_NAME, value):
        raise BadInput("must be the name of a file, without a folder: letters, digits, blanks and ._()+-")
    return value


FileName = Annotated[Text, MaxLen(200), Check(_file_name, {"pattern": _FILE_NAME})]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSessionRequest(Shape):
    """A golden session as files: its document, the profile that the document names, and what was uploaded in it."""

    document: FileName
    files: Annotated[Mapping[str, Any], described("Name to text: the document, and the profile it names.")]
    attachments: Annotated[Mapping[str, Any], described("Name to content, in base64.")] = field(default_factory=dict)


def texts_of(files: Mapping[str, Any]) -> dict[str, str]:
    """Each file's text. Raises BadInput with the pointer."""
    _check_names(files, "/files")
    for name, text in files.items():
        if not isinstance(text, str):
            raise BadInput(f"must be a text, not {shown(text)}", pointer=f"/files/{name}")
    return dict(files)


def contents_of(files: Mapping[str, Any]) -> dict[str, bytes]:
    """Each attachment's bytes. Raises BadInput with the pointer."""
    _check_names(files, "/attachments")
    found = {}
    for name, text in files.items():
        try:
            found[name] = base64.b64decode(text.encode("ascii"), validate=True)
        except (AttributeError, UnicodeEncodeError, binascii.Error):
            raise BadInput("must be base64", pointer=f"/attachments/{name}") from None
    return found


def _check_names(files: Mapping[str, Any], pointer: str) -> None:
    if len(files) > MOST_FILES:
        raise BadInput(f"has {len(files)} files; the limit is {MOST_FILES}", pointer=pointer)
    for name in files:
        try:
            _file_name(name)
        except BadInput as error:
            raise BadInput(f"{shown(name)} {error.message}", pointer=pointer) from error

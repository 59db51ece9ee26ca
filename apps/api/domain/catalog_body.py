"""The body of POST /catalog/import/ as plain data."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

from apps.core.errors import BadInput
from apps.core.json_hygiene import escape
from apps.core.shapes import Reader, Shape
from apps.core.turn_parsing import shown

MAX_FILES = 500
MAX_NAME = 300


def _files(value: Any) -> Mapping[str, str]:
    if not isinstance(value, dict) or not value:
        raise BadInput(f'must be an object {{"name.yaml": "text"}}, not {shown(value)}')
    if len(value) > MAX_FILES:
        raise BadInput(f"has {len(value)} files; the limit is {MAX_FILES}: send them in parts")
    for name, text in value.items():
        pointer = f"/{escape(name)}"
        if not name.strip() or len(name) > MAX_NAME:
            raise BadInput(f"a file's name has 1 to {MAX_NAME} characters", pointer=pointer)
        if not isinstance(text, str):
            raise BadInput(f"must be the file's text, not {shown(text)}", pointer=pointer)
    return value


CatalogFiles = Annotated[
    Mapping[str, str],
    Reader(
        _files,
        {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "minProperties": 1,
            "maxProperties": MAX_FILES,
        },
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogImportRequest(Shape):
    """YAML files by name, as the command reads them. Names only stand in errors; nothing is opened."""

    files: CatalogFiles


@contextmanager
def in_the_body(pointer: str) -> Iterator[None]:
    """Give an error about a catalog file the pointer of that file in the request.

    The request's files stand at `pointer`; the place in the file stays as `file_pointer`.
    """
    try:
        yield
    except BadInput as error:
        file = error.extra.get("file")
        if file is None:
            raise
        extra = {**error.extra, "file_pointer": error.pointer or ""}
        raise BadInput(error.message, code=error.code, pointer=f"{pointer}/{escape(str(file))}", **extra) from error

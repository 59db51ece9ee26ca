"""The lines of a JSONL file."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from apps.core.errors import BadInput
from apps.core.json_hygiene import decoded_json

MAX_LINE_BYTES = 16 * 1024 * 1024


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as handle:
        for number, raw in enumerate(handle, start=1):
            if raw.strip():
                yield number, raw


def json_of(raw: bytes) -> Any:
    """A line as decoded JSON. Raises BadInput: `line_too_long`, `not_utf8`, `not_json`, `doubled_key`."""
    if len(raw) > MAX_LINE_BYTES:
        raise BadInput(f"the line has {len(raw):,} bytes, the limit is {MAX_LINE_BYTES:,}", code="line_too_long")
    try:
        return decoded_json(raw.decode("utf-8-sig").strip())
    except UnicodeDecodeError as error:
        raise BadInput(f"not UTF-8 at byte {error.start}", code="not_utf8") from error
    except json.JSONDecodeError as error:
        raise BadInput(f"not JSON at column {error.colno}: {error.msg}", code="not_json") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"not JSON: {error}", code="not_json") from error

"""The text of a file as cases, each with its place: line of a JSONL or CSV file, number of a JSON list. YAML is read by
`catalog_yaml.load`.

Nothing in a file is followed or run: no other file, no tag, no expression. Size, nesting and what aliases repeat are
bounded before a tree is made (`catalog_yaml`, `json_hygiene`).
"""

import json
from collections.abc import Iterator
from typing import Any

from apps.core.errors import BadInput
from apps.core.json_hygiene import decoded_json, first_fault
from apps.core.portable.csv_rows import csv_records

MAX_BYTES = 32 * 1024 * 1024  # tau2's largest file has 14 MB
MAX_CASES = 10_000
Placed = tuple[str, Any]  # where it stands, and the value


def text_of(raw: bytes, file: str) -> str:
    """Decode a file's bytes. Raises BadInput (`too_large`, `lfs_pointer`, `not_utf8`) with the file's name."""
    if len(raw) > MAX_BYTES:
        raise BadInput(f"{file} is larger than {MAX_BYTES // 1024 // 1024} MiB: split it", code="too_large", pointer="")
    if raw.startswith(b"version https://git-lfs.github.com/spec/"):
        problem = f"{file} is a Git LFS pointer and not the file: run `git lfs pull`, then bring it in"
        raise BadInput(problem, code="lfs_pointer", pointer="")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{file}, line {line}: not UTF-8 at byte {error.start}", code="not_utf8", pointer="") from error


def json_value(text: str, file: str) -> Any:
    """A JSON value that can be stored. Raises BadInput with file and line."""
    try:
        value = decoded_json(text)
    except json.JSONDecodeError as error:
        raise BadInput(f"{file}, line {error.lineno}: not JSON: {error.msg}", code="not_json", pointer="") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{file}: not JSON: {str(error)[:200]}", code="not_json", pointer="") from error
    if fault := first_fault(value):
        raise BadInput(f"{file} (at {fault[0]}) {fault[1]}", code="not_storable", pointer=fault[0])
    return value


def rows_of(text: str, file: str, *, key: str = "") -> Iterator[Placed]:
    """Yield the cases of a list in JSON, of JSON lines, or of a CSV.

    The JSON list is bare, or under `key`; a line that is no JSON comes as the BadInput that says so. Raises BadInput
    for a file of none of these, and past MAX_CASES.
    """
    for number, row in enumerate(_rows(text, file, key)):
        if number >= MAX_CASES:
            raise BadInput(f"{file}: more than {MAX_CASES:,} cases: split it", code="too_many", pointer="")
        yield row


def _rows(text: str, file: str, key: str) -> Iterator[Placed]:
    if file.endswith(".csv"):
        yield from _csv(text, file)
        return
    if file.endswith((".jsonl", ".ndjson")):
        yield from _lines(text, file)
        return
    value = json_value(text, file)
    listed = value.get(key) if key and isinstance(value, dict) and key in value else value
    if not isinstance(listed, list):
        raise BadInput(f"{file} holds no list of cases", code="no_cases", pointer="")
    yield from ((f"[{number}]", one) for number, one in enumerate(listed))


def _lines(text: str, file: str) -> Iterator[Placed]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield f"line {number}", json_value(line, f"{file}, line {number}")
            except BadInput as error:
                yield f"line {number}", error


def _csv(text: str, file: str) -> Iterator[Placed]:
    for row, record in csv_records(text):
        where = f"line {row.line}"
        if row.fault:
            yield where, BadInput(row.fault, code="not_csv", pointer="")
        else:
            yield where, {name: _cell(cell) for name, cell in record.items()}


def _cell(cell: str) -> Any:
    """Lists, objects and quoted texts stand in a cell as JSON; everything else is text."""
    plain = cell.strip()
    if plain[:1] not in ("[", "{") and not (len(plain) > 1 and plain[0] == plain[-1] == '"'):
        return cell
    try:
        value = decoded_json(plain)
    except (BadInput, ValueError, RecursionError):
        return cell
    return cell if first_fault(value) else value

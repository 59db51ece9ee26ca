"""promptfoo's tests as CSV: a column for each variable, and `__expected` columns with an assert each."""

import re
from collections.abc import Iterator
from typing import Any

from apps.core.errors import BadInput
from apps.core.portable.csv_rows import csv_records

MAX_ROWS = 10_000
_EXPECTED = re.compile(r"__expected\d*")
_ASSERT = re.compile(r"((?:not-)?[a-z][a-z0-9:-]*?)(?:\(([0-9.]+)\))?\s*:\s*(.*)", re.DOTALL)
_CODE = ("fn", "eval", "javascript", "js", "python")
_LISTS = ("contains-any", "contains-all", "icontains-any", "icontains-all")


def csv_tests(text: str, file: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The place of each row and the test that it is. Raises BadInput for a row that is no CSV, and for too many."""
    for number, (row, record) in enumerate(csv_records(text)):
        where = f"line {row.line}"
        if number >= MAX_ROWS:
            raise BadInput(f"{file}: more than {MAX_ROWS:,} cases: split it", code="too_many", pointer="")
        if row.fault:
            raise BadInput(f"{file}, {where}: {row.fault}", code="not_csv", pointer="")
        variables = {name: value for name, value in record.items() if not name.startswith("__")}
        asserts = [_assert(value) for name, value in record.items() if _EXPECTED.fullmatch(name)]
        test: dict[str, Any] = {"vars": variables, "assert": asserts}
        test |= {"description": record["__description"]} if "__description" in record else {}
        known = {"__description"} | {name for name in record if _EXPECTED.fullmatch(name)}
        test |= {name: value for name, value in record.items() if name.startswith("__") and name not in known}
        yield where, test


def _assert(text: str) -> dict[str, Any]:
    """Read an assert: `contains: nine`, `llm-rubric: is kind`, `latency(500)`. Words alone must be the whole answer."""
    match = _ASSERT.fullmatch(text.strip())
    if match is None:
        return {"type": "equals", "value": text.strip()}
    kind, threshold, value = match[1], match[2], match[3].strip()
    if kind in _CODE:
        return {"type": "javascript", "value": value}
    if kind in ("grade", "similar"):
        kind = {"grade": "llm-rubric"}.get(kind, kind)
    given: Any = [part.strip() for part in value.split(",")] if kind.removeprefix("not-") in _LISTS else value
    return {"type": kind, "value": given} | ({"threshold": float(threshold)} if threshold else {})

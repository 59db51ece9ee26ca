"""One scenario, several cases: other opening words (`phrasings:`), other values (`vars:`, a mapping, a list or a CSV).

Names of cases stay the same from run to run: `booking` opens with the scenario's own words, `booking.p1` with the first
phrasing; `booking.v1` has the first row's values, or `booking.friday` where the row has an `id`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pytest_ratiba.csv_rows import path_inside, read_csv_rows
from pytest_ratiba.documents import LocatedDocument
from pytest_ratiba.errors import ProjectError

RESERVED = ("conversation", "scenario", "attempt")  # filled in by the server, in addresses and bodies of calls
MAX_CASES = 1000
_PLACE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SUFFIX = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A case: its id, the scenario with every value filled in, the values."""

    id: str
    document: Mapping[str, Any]
    values: Mapping[str, Any] = field(default_factory=dict)


def variants_of(
    scenario: Mapping[str, Any], *, document: LocatedDocument, pointer: str, phrasings: Any, vars: Any
) -> list[Variant]:
    """Every case of a scenario: rows × openings, in the order they are written. Raises `ProjectError` with the line."""
    openings = _openings(scenario, document, pointer, phrasings)
    cases = []
    for suffix, values in _rows(document, f"{pointer}/vars", vars):
        for more, opened in openings:
            filled = _fill(opened, values, document, pointer)
            cases.append(Variant(id=f"{scenario['id']}{suffix}{more}", document=filled, values=values))
    return cases


def _openings(
    scenario: Mapping[str, Any], document: LocatedDocument, pointer: str, phrasings: Any
) -> list[tuple[str, Mapping[str, Any]]]:
    if phrasings is None:
        return [("", scenario)]
    at = f"{pointer}/phrasings"
    if (
        not isinstance(phrasings, list)
        or not phrasings
        or not all(isinstance(phrasing, str) and phrasing for phrasing in phrasings)
    ):
        raise document.error(at, "must be a list of texts")
    turns = scenario.get("turns")
    first = turns[0] if isinstance(turns, list) and turns else None
    if scenario.get("opening") or first is None:
        own = [("", scenario)] if scenario.get("opening") else []
        return [*own, *((f".p{n}", {**scenario, "opening": words}) for n, words in enumerate(phrasings, 1))]
    if not isinstance(first, str) and not (isinstance(first, dict) and "say" in first):
        raise document.error(at, "the scenario has no opening words to be phrased otherwise")
    cases: list[tuple[str, Mapping[str, Any]]] = [("", scenario)]
    for number, words in enumerate(phrasings, 1):
        turn = words if isinstance(first, str) else {**first, "say": words}
        cases.append((f".p{number}", {**scenario, "turns": [turn, *turns[1:]]}))  # type: ignore[index]
    return cases


@dataclass(frozen=True, kw_only=True)
class _VariantRow:
    """A row of values and the error to raise about it, at the place where it stands."""

    values: Mapping[Any, Any]
    error: Callable[[str], ProjectError]


def _rows(document: LocatedDocument, at: str, vars: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if vars is None:
        yield "", {}
        return
    if isinstance(vars, dict):
        yield "", _values(_VariantRow(values=vars, error=partial(document.error, at)))
        return
    rows = _csv(document, at, vars) if isinstance(vars, str) else _listed(document, at, vars)
    if len(rows) > MAX_CASES:
        raise document.error(at, f"has {len(rows)} rows; the limit is {MAX_CASES}")
    names: set[str] = set()
    for number, row in enumerate(rows, 1):
        values = _values(row)
        identifier = values.get("id")
        name = f"v{number}" if identifier in (None, "") else _SUFFIX.sub("-", str(identifier)).strip("-")
        if not name:
            raise row.error(f"the id {identifier!r} makes no name: it needs letters, digits or _")
        if name in names:
            raise row.error(f"an earlier row is called {name!r}, too")
        names.add(name)
        yield f".{name}", values


def _listed(document: LocatedDocument, at: str, vars: Any) -> list[_VariantRow]:
    if not isinstance(vars, list) or not vars or not all(isinstance(row, dict) for row in vars):
        raise document.error(at, "must be a mapping, a list of mappings or the name of a CSV file")
    return [_VariantRow(values=row, error=partial(document.error, f"{at}/{n}")) for n, row in enumerate(vars)]


def _csv(document: LocatedDocument, at: str, name: str) -> list[_VariantRow]:
    path = path_inside(document.path.parent, name)
    if path is None:
        raise document.error(at, f"{name} is outside of the project")
    return [
        _VariantRow(values=row.values, error=partial(ProjectError, where=f"{path}:{row.line}"))
        for row in read_csv_rows(path)
    ]


def _values(row: _VariantRow) -> dict[str, Any]:
    for name in row.values:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise row.error(f"{name!r} is no name for a variable (letters, digits and _)")
        if name in RESERVED:
            raise row.error(f"{name!r} is filled in by the server; call the variable otherwise")
    return dict(row.values)


def _fill(value: Any, values: Mapping[str, Any], document: LocatedDocument, pointer: str) -> Any:
    if isinstance(value, dict):
        return {key: _fill(part, values, document, f"{pointer}/{key}") for key, part in value.items()}
    if isinstance(value, list):
        return [_fill(part, values, document, f"{pointer}/{n}") for n, part in enumerate(value)]
    if not isinstance(value, str):
        return value
    whole = _PLACE.fullmatch(value)
    if whole and whole[1] in values:
        return values[whole[1]]  # a number stays a number
    for found in _PLACE.finditer(value):
        if found[1] not in values and found[1] not in RESERVED:
            known = ", ".join(values) or "none"
            raise document.error(pointer, f"there is no variable {found[1]!r}; there are: {known}")
    return _PLACE.sub(lambda found: str(values[found[1]]) if found[1] in values else found[0], value)

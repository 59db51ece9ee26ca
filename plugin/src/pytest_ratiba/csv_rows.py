"""A CSV file as rows of values: the first line names them. Every error names the file and the line in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_ratiba.errors import ProjectError
from pytest_ratiba.portable.csv_rows import csv_rows

_ROOTS = ("ratiba.yaml", "pyproject.toml", ".git")


@dataclass(frozen=True, kw_only=True)
class CsvRow:
    """One row, and the line at which it begins. Values are texts, as they stand."""

    line: int
    values: Mapping[str, str]


def read_csv_rows(path: Path) -> list[CsvRow]:
    """Every row that is not empty. UTF-8, as any spreadsheet saves it (`portable.csv_rows`). Raises `ProjectError` with
    file and line."""
    names: list[str] = []
    rows = []
    for line, cells, fault in csv_rows(_text(path)):
        if fault:
            raise _error(path, line, fault)
        if not names:
            names = [cell.strip() for cell in cells]
            _refuse_names(path, line, names)
        elif len(cells) != len(names):
            raise _error(path, line, f"has {len(cells)} fields, the first line has {len(names)}")
        else:
            rows.append(CsvRow(line=line, values=dict(zip(names, cells, strict=True))))
    if not rows:
        raise _error(path, 1, "has no rows" if names else "is empty: its first line names the variables")
    return rows


def path_inside(folder: Path, name: str) -> Path | None:
    """The file of that name, seen from `folder`, else from the project's own; None for one outside of the project (the
    nearest folder above with ratiba.yaml, pyproject.toml or .git, else `folder` itself), by way of links or not."""
    folder = folder.resolve()
    root = next((one for one in (folder, *folder.parents) if any((one / mark).exists() for mark in _ROOTS)), folder)
    path = next((one for one in (folder / name, root / name) if one.exists()), folder / name)
    return path if path.resolve().is_relative_to(root) else None


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ProjectError(f"cannot be read: {error.strerror or error}", where=str(path)) from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _error(path, line, "is not UTF-8: save the file as CSV UTF-8") from error
    if "\0" in text:
        raise _error(path, text[: text.index("\0")].count("\n") + 1, "holds a NUL character")
    return text


def _refuse_names(path: Path, line: int, names: list[str]) -> None:
    for number, name in enumerate(names, 1):
        if not name:
            raise _error(path, line, f"column {number} has no name")
        if names.index(name) != number - 1:
            raise _error(path, line, f"two columns are called {name!r}")


def _error(path: Path, line: int, what: str) -> ProjectError:
    return ProjectError(what, where=f"{path}:{line}")

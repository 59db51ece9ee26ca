"""The one reader of CSV files: as spreadsheets of any country save them.

A byte order mark, Excel's first line `sep=;`, commas, semicolons, tabs or bars between cells, line breaks inside
quotation marks. Pure.
"""

import csv
import io
from collections.abc import Iterator
from typing import NamedTuple

MAX_CELL = 100_000  # characters: a longer one is no message, and named with its line
_DELIMITERS = ",;\t|"
_LONGEST = 64 * 1024 * 1024
csv.field_size_limit(_LONGEST)  # the module's own 131,072 ends the whole file


class CsvLine(NamedTuple):
    """One row and the line it begins on, from 1; `fault` says what is wrong with it, "" for nothing."""

    line: int
    cells: list[str]
    fault: str = ""


def csv_rows(text: str) -> Iterator[CsvLine]:
    """The rows that hold anything. A row with a cell of more than MAX_CELL characters comes with its fault; one that
    is no CSV too, and the rows behind it."""
    text = text.removeprefix("\ufeff")
    first, _, rest = text.partition("\n")
    skipped = 0
    if first.strip().lower().startswith("sep=") and len(first.strip()) == len("sep=") + 1:
        delimiter, text, skipped = first.strip()[-1], rest, 1
    elif first.rstrip("\r\n").lower() == "sep=\t":
        delimiter, text, skipped = "\t", rest, 1
    else:
        delimiter = delimiter_of(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1 + skipped
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield CsvLine(line, [], f"is not CSV: {error}")
            continue
        if cells is None:
            return
        if any(cell.strip() for cell in cells):
            longest = max(map(len, cells))
            fault = f"a cell has {longest:,} characters, the limit is {MAX_CELL:,}" if longest > MAX_CELL else ""
            yield CsvLine(line, cells, fault)


def csv_records(text: str) -> Iterator[tuple[CsvLine, dict[str, str]]]:
    """The rows below the head, each also by the head's names; a cell beyond the head is left out, an empty one too."""
    rows = csv_rows(text)
    head = next(rows, CsvLine(1, []))
    names = [name.strip() for name in head.cells]
    if head.fault:
        yield head, {}
    for row in rows:
        yield row, {name: cell for name, cell in zip(names, row.cells, strict=False) if name and cell.strip()}


def delimiter_of(text: str) -> str:
    """Return the character that separates the cells, as the first line that is not empty shows it.
    Text within quotation marks does not count. The answer is a comma where there is no such character."""
    first = next((line for line in text.removeprefix("\ufeff").splitlines() if line.strip()), "")
    outside = "".join(first.split('"')[::2])
    return max(_DELIMITERS, key=outside.count)

"""Results as a file: CSV for a spreadsheet, Parquet for a notebook, JSON lines for a program; the same rows in each.

A generator of bytes, so that a command writes it to a file and a page streams it, in the same memory at any size.
"""

import csv
import io
import json
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import Any

from apps.audit.domain.masking_rules import OURS, check_exportable, masks_in_file
from apps.checks.queries.check_results import CHECK_COLUMNS, CHECK_SOURCES, check_rows
from apps.core.redaction import redact_value
from apps.reports.tables.queries.result_rows import COLUMNS, SOURCES, evaluations_of, result_rows

Row = Mapping[str, Any]
Count = Callable[[int], None]

ROWS_PER_PIECE = 1000
ROWS_PER_GROUP = 20_000  # of Parquet: a group is compressed and read as one
_FORMULA = frozenset("=+-@\t\r\n＝＋－＠")  # OWASP, CSV injection; the wide forms are formulas in Japanese Excel
_FLOATS = {
    "score",
    "weight",
    "pass_mark",
    "answers",
    "standard_error",
    "weighted_score",
    "cost_usd",
    "judging_cost_usd",
    "playing_cost_usd",
}
_FLAGS = {"counts", "passed", "blocking", "in_mean", "by_fallback", "late"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportTable:
    """The columns of an exported table, in order, and where their texts come from.

    `floats`, `flags` and `times` name the columns of those types; all others are texts. `sources` says for each text
    which `table.column` it is read from, so that it is masked as the list of columns says
    (apps.audit.domain.personal_columns). It says OURS for the product's own texts: ids, states and sentences. Raises
    ValueError for a text without a source, and for a source that no list knows.
    """

    columns: Sequence[str]
    sources: Mapping[str, str]
    floats: Collection[str] = ()
    flags: Collection[str] = ()
    times: Collection[str] = ()
    _words: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        texts = {column for column in self.columns if column not in (*self.floats, *self.flags, *self.times)}
        if unknown := texts ^ self.sources.keys():
            raise ValueError(f"which table.column do these texts come from: {', '.join(sorted(unknown))}")
        read = {name: source for name, source in self.sources.items() if source != OURS}
        for source in read.values():
            check_exportable(source)
        words = tuple(name for name, source in read.items() if masks_in_file(*source.split(".")))
        object.__setattr__(self, "_words", words)

    def masked(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows as they may leave: these columns and no others, people's words through the masking floor."""
        for row in rows:
            yield {name: row[name] for name in self.columns} | {name: redact_value(row[name]) for name in self._words}


RESULTS = ExportTable(columns=COLUMNS, sources=SOURCES, floats=_FLOATS, flags=_FLAGS, times=("judged_at",))
CHECKS = ExportTable(
    columns=CHECK_COLUMNS,
    sources=CHECK_SOURCES,
    floats=("score", "threshold", "position", "attempt"),
    flags=("counts",),
    times=("measured_at",),
)


class ExportFormat(StrEnum):
    CSV = "csv"
    PARQUET = "parquet"
    JSONL = "jsonl"


CONTENT_TYPES = {
    ExportFormat.CSV: "text/csv; charset=utf-8",
    ExportFormat.PARQUET: "application/vnd.apache.parquet",
    ExportFormat.JSONL: "application/x-ndjson",
}


def export_results(
    *,
    format: ExportFormat,
    evaluation_id: uuid.UUID | None = None,
    run_id: uuid.UUID | None = None,
    count: Callable[[int], None] = lambda rows: None,
) -> Iterator[bytes]:
    """The file of one evaluation, or of all evaluations of a run, in pieces; `count` is told how many rows each has.

    One row per conversation × criterion, those without a score too (`state` says why), so that nothing missing looks
    like a zero. The mean of `weighted_score` over conversations where `in_mean` holds is the headline of the API;
    `cost_usd` adds up to what judging the conversations cost. Raises NotFound before the first piece. One query per
    500 conversations; changes nothing, safe to repeat.
    """
    run, evaluations = evaluations_of(evaluation_id=evaluation_id, run_id=run_id)
    rows = result_rows(run_id=run, evaluation_ids=evaluations)
    return export_rows(table=RESULTS, rows=rows, format=format, count=count)


def export_check_results(
    *, format: ExportFormat, run_id: uuid.UUID, count: Callable[[int], None] = lambda rows: None
) -> Iterator[bytes]:
    """Yield the file of a run's checks in pieces: one row per conversation × check (× subject).

    They are of the last attempt; those that could not be measured too. Raises NotFound before the first piece. One
    query per 500 rows.
    """
    return export_rows(table=CHECKS, rows=check_rows(run_id=run_id), format=format, count=count)


def export_rows(
    *, table: ExportTable, rows: Iterator[Row], format: ExportFormat, count: Count = lambda n: None
) -> Iterator[bytes]:
    """Any rows as a file, masked as the table says, piece by piece. Cost: whatever `rows` asks."""
    return _WRITERS[format](table, table.masked(rows), count)


def _csv(table: ExportTable, rows: Iterator[Row], count: Count) -> Iterator[bytes]:
    """RFC 4180, UTF-8 with a byte order mark (Excel takes it for Latin-1 otherwise)."""
    yield b"\xef\xbb\xbf" + _csv_lines([table.columns])
    for batch in _batches(rows, ROWS_PER_PIECE):
        yield _csv_lines([_cell(row[name]) for name in table.columns] for row in batch)
        count(len(batch))


def _csv_lines(lines: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(lines)
    return text.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> Any:
    """The text of a CSV cell. A text that a spreadsheet would run as a formula gets an apostrophe before it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return value
    text = _json(value) if isinstance(value, list) else _text(value)
    runs = text[:1] in _FORMULA or text.lstrip()[:1] in _FORMULA
    return f"'{text}" if runs else text


def _jsonl(table: ExportTable, rows: Iterator[Row], count: Count) -> Iterator[bytes]:
    for batch in _batches(rows, ROWS_PER_PIECE):
        yield "".join(_json(row) + "\n" for row in batch).encode("utf-8", "replace")
        count(len(batch))


class _Drain(io.RawIOBase):
    """Stream that pyarrow writes to: it keeps what came since the last `take`, and no more."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, part: Any) -> int:
        self._parts.append(bytes(part))
        return len(self._parts[-1])

    def take(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


def _parquet(table: ExportTable, rows: Iterator[Row], count: Count) -> Iterator[bytes]:
    """One typed column each; `evidence` is JSON text. pyarrow is loaded only here: it costs 0.3 s and 60 MB."""
    import pyarrow as arrow  # noqa: PLC0415 - see above
    from pyarrow.parquet import ParquetWriter  # noqa: PLC0415 - see above

    types = {name: arrow.float64() for name in table.floats}
    types |= {name: arrow.bool_() for name in table.flags}
    types |= {name: arrow.timestamp("us", tz="UTC") for name in table.times}
    schema = arrow.schema([(name, types.get(name, arrow.string())) for name in table.columns])
    drain = _Drain()
    writer = ParquetWriter(drain, schema, compression="zstd")
    for batch in _batches(rows, ROWS_PER_GROUP):
        columns = [
            arrow.array([_typed(row[name], plain=name in types) for row in batch], type=schema.field(name).type)
            for name in table.columns
        ]
        writer.write_table(arrow.Table.from_arrays(columns, schema=schema))
        yield drain.take()
        count(len(batch))
    writer.close()
    yield drain.take()


def _typed(value: Any, *, plain: bool) -> Any:
    if value is None or plain:
        return value
    return _json(value) if isinstance(value, list) else _text(value)


def _batches(rows: Iterator[Row], size: int) -> Iterator[list[Row]]:
    while batch := list(islice(rows, size)):
        yield batch


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=_text)


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


_WRITERS: dict[ExportFormat, Callable[[ExportTable, Iterator[Row], Count], Iterator[bytes]]] = {
    ExportFormat.CSV: _csv,
    ExportFormat.PARQUET: _parquet,
    ExportFormat.JSONL: _jsonl,
}

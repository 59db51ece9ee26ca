"""CSV as spreadsheets save it: one reader for people, test cases and conversations."""

import pytest

from apps.core.portable.csv_rows import MAX_CELL, csv_records, csv_rows


@pytest.mark.parametrize(
    "text",
    [
        "name,role\nPaola Riva,owner\n",
        "\ufeffname;role\r\nPaola Riva;owner\r\n",
        "sep=;\nname;role\nPaola Riva;owner",
        "\ufeffSEP=|\r\nname|role\r\nPaola Riva|owner\r\n",
        "sep=\t\nname\trole\nPaola Riva\towner",
        '"name"\t"role"\nPaola Riva\towner\n',
        '"name, first and last";role\n"Paola Riva";owner\n',
        "\n\nname,role\n\n,\nPaola Riva,owner\n",
    ],
)
def test_rows_are_read_whatever_stands_between_the_cells(text: str) -> None:
    rows = [row.cells for row in csv_rows(text)]
    assert rows[1:] == [["Paola Riva", "owner"]]
    assert [list(record.values()) for _, record in csv_records(text)] == [["Paola Riva", "owner"]]


def test_a_row_is_named_by_the_line_it_begins_on() -> None:
    text = 'sep=,\nid,text\n1,"two\nlines"\n2,one\n'
    assert [(row.line, row.cells[0]) for row in csv_rows(text)] == [(2, "id"), (3, "1"), (5, "2")]


def test_a_cell_that_is_too_long_costs_its_own_row_alone() -> None:
    long = "word " * 40_000
    rows = list(csv_rows(f'id,text\n1,a\n2,"{long}"\n3,b\n'))
    assert [(row.line, row.fault) for row in rows[1:]] == [
        (2, ""), (3, f"a cell has 200,000 characters, the limit is {MAX_CELL:,}"), (4, ""),
    ]  # fmt: skip


def test_cells_beyond_the_head_and_empty_ones_are_left_out() -> None:
    assert [record for _, record in csv_records("a,b,\n1,,3,4\n")] == [{"a": "1"}]
    assert list(csv_records("")) == []

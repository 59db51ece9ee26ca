"""The share of conversations below the pass mark, by slice (group) and criterion. Cells are coloured and claim nothing:
what is claimed stands in `slices`. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

MIN_IN_CELL = 5  # conversations: where five of five fail, Wilson's 95 % interval lies above a half


class HeatLevel(StrEnum):
    """Level of a cell. `blocks`: a blocking criterion fails in at least one conversation."""

    TOO_FEW = "too_few"
    NONE = "none"
    SOME = "some"
    MOST = "most"
    BLOCKS = "blocks"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatCell:
    """Cell of a heat map: `failing` of a group's `n` scored conversations are below the criterion's mark."""

    criterion: str
    failing: int
    n: int
    level: HeatLevel

    @property
    def share(self) -> float | None:
        return self.failing / self.n if self.n else None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatRow:
    """One group and its cells, in the order of the columns."""

    group: str
    cells: Sequence[HeatCell]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatMap:
    """Rows and columns, worst first."""

    criteria: Sequence[str]
    rows: Sequence[HeatRow]

    def total(self, criterion: str) -> tuple[int, int]:
        """(failing, scored) over all groups, those with too few, too."""
        cells = [cell for row in self.rows for cell in row.cells if cell.criterion == criterion]
        return sum(cell.failing for cell in cells), sum(cell.n for cell in cells)


def heat_map(
    counts: Mapping[tuple[str, str], tuple[int, int]],
    *,
    blocking: frozenset[str] = frozenset(),
    least: int = MIN_IN_CELL,
) -> HeatMap:
    """Build the map from (group, criterion) to (failing, scored).

    Groups without a name are nobody: they are left out.
    """
    named = {key: count for key, count in counts.items() if key[0]}
    groups, criteria = ({key[at] for key in named} for at in (0, 1))
    totals = {criterion: _total(named, 1, criterion) for criterion in criteria}
    columns = sorted(
        criteria,
        key=lambda criterion: (
            criterion not in blocking or not totals[criterion][0],
            *_order(totals[criterion]),
            criterion,
        ),
    )
    rows = [
        HeatRow(
            group=group,
            cells=[
                _cell(column, named.get((group, column), (0, 0)), blocks=column in blocking, least=least)
                for column in columns
            ],
        )
        for group in groups
    ]
    return HeatMap(criteria=columns, rows=sorted(rows, key=lambda row: (_of_row(row), row.group)))


def _total(counts: Mapping[tuple[str, str], tuple[int, int]], at: int, name: str) -> tuple[int, int]:
    counts_of_name = [count for key, count in counts.items() if key[at] == name]
    return sum(failing for failing, _ in counts_of_name), sum(n for _, n in counts_of_name)


def _order(count: tuple[int, int]) -> tuple[float, int]:
    """The larger share first, then the larger number behind it."""
    failing, n = count
    return (-failing / n if n else 0.0, -n)


def _cell(criterion: str, count: tuple[int, int], *, blocks: bool, least: int) -> HeatCell:
    failing, n = count
    return HeatCell(criterion=criterion, failing=failing, n=n, level=_level(failing, n, blocks, least))


def _level(failing: int, n: int, blocks: bool, least: int) -> HeatLevel:
    if n < least:
        return HeatLevel.TOO_FEW
    if not failing:
        return HeatLevel.NONE
    if blocks:
        return HeatLevel.BLOCKS
    return HeatLevel.MOST if 2 * failing >= n else HeatLevel.SOME


def _badness(cell: HeatCell) -> tuple[bool, float]:
    return cell.level is not HeatLevel.BLOCKS, -(cell.share or 0.0)


def _of_row(row: HeatRow) -> tuple[tuple[bool, float], float]:
    """Return the row's sort key: its worst cell, then its share of failures over cells with enough scores.

    A row with too few scores is last.
    """
    enough = [cell for cell in row.cells if cell.level is not HeatLevel.TOO_FEW]
    if not enough:
        return (True, 1.0), 0.0
    share = sum(cell.failing for cell in enough) / sum(cell.n for cell in enough)
    return min(_badness(cell) for cell in enough), -share

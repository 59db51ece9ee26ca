"""What `make test` leaves to `make test-all`, and in which order a suite is dealt out."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.tiers import FIRST, longest_first


@dataclass(frozen=True)
class Item:
    nodeid: str


def order(names: list[str], workers: int) -> list[str]:
    items: list[Any] = [Item(name) for name in names]
    return [item.nodeid for item in longest_first(items, workers)]


SHORT = [f"tests/a/test_{at}.py::test_a" for at in range(10)]
LONG = [f"{name}::test_{at}" for name in FIRST for at in range(2)]


@pytest.mark.parametrize("workers", [1, 2, 3, 4])
def test_every_test_is_run_once_and_the_short_ones_keep_their_order(workers: int) -> None:
    names = [*SHORT[:4], *LONG, *SHORT[4:]]
    dealt = order(names, workers)
    assert sorted(dealt) == sorted(names)
    assert [name for name in dealt if name in SHORT] == SHORT


def test_each_of_three_workers_begins_with_a_long_file() -> None:
    dealt = order([*SHORT, *LONG], 3)  # 16 tests: parts of 5, 5 and 6
    assert [dealt[at].partition("::")[0] for at in (0, 5, 10)] == list(FIRST)


def test_a_selection_without_long_files_stays_as_it_is() -> None:
    assert order(SHORT, 3) == SHORT
    assert order([], 3) == []

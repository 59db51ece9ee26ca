"""A batch in which one row that cannot be done ends neither its neighbours nor what comes after."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from apps.core.errors import RatibaError
from apps.core.events import EventType, log_event
from apps.jobs.row_errors import row_error

Id = TypeVar("Id")
Result = TypeVar("Result")


@dataclass(frozen=True)
class EachRow(Generic[Id, Result]):
    """The results of a batch, one for each call, and the errors of the rows that could not be done."""

    results: list[Result] = field(default_factory=list)
    errors: dict[Id, RatibaError] = field(default_factory=dict)


def do_each(ids: Sequence[Id], do: Callable[[Collection[Id]], Result]) -> EachRow[Id, Result]:
    """Do all rows in one call; where it raises what is wrong with a row, halve them, until each that cannot be done
    stands alone. `do` opens a transaction of its own. Raises what says nothing about a row, as `row_error`.

    One call where all is well; some 2·log₂(n) more for a bad one among n.
    """
    row: EachRow[Id, Result] = EachRow()
    waiting = [list(ids)] if ids else []
    while waiting:
        some = waiting.pop()
        try:
            row.results.append(do(some))
        except Exception as error:
            wrong = row_error(error)
            wrong.__cause__ = error if wrong is not error else error.__cause__
            if len(some) == 1:
                row.errors[some[0]] = wrong
            else:
                middle = len(some) // 2
                waiting += [some[middle:], some[:middle]]
    return row


def tell_failed(event: EventType, errors: Mapping[Any, RatibaError]) -> None:
    """Say in the log which conversations could not be done, by their ids. They stay due, and are tried again."""
    for id, error in errors.items():
        kind = type(error.__cause__ or error).__name__
        log_event(event, level=logging.ERROR, conversation=str(id), code=error.code, error=kind)

"""Kinds of customers in two months that can be compared: by language, channel and kind of request.

A kind of request stands by itself within its language and channel where enough of it was judged; the rest of that
language and channel is one. So what was asked for is told apart as far as it can be, and nobody is left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from apps.production.sampling.domain.anchor_test import NEW, CustomerStratum

MIN_JUDGED = 10  # of a kind of request in a month, below which it is counted with the rest
CHANGED = 0.05  # of all requests: a kind whose share changed by less is not told
_REST = "other requests"

Cell = tuple[str, str]  # (language and channel, kind of request)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestShare:
    """How large a part of what settled a kind of request was, before and after."""

    kind: str
    before: float
    after: float


def by_request(
    before: Mapping[Cell, CustomerStratum], after: Mapping[Cell, CustomerStratum]
) -> tuple[dict[str, CustomerStratum], dict[str, CustomerStratum]]:
    """Both months by the same names. A kind that nobody asked for before stands by itself: new customers. Pure."""
    alone = {cell for cell in {*before, *after} if _stands_alone(before.get(cell), after.get(cell), before)}
    return _folded(before, alone), _folded(after, alone)


def by_stratum(cells: Mapping[Cell, CustomerStratum]) -> dict[str, CustomerStratum]:
    """Fold the cells into strata by language and channel alone."""
    return _folded(cells, frozenset(), rest="")


def changed_requests(
    before: Mapping[Cell, CustomerStratum], after: Mapping[Cell, CustomerStratum]
) -> Sequence[RequestShare]:
    """Kinds whose share changed by CHANGED and more, the most changed first. Pure."""
    then, now = _shares(before), _shares(after)
    shares = [RequestShare(kind=kind, before=then.get(kind, 0.0), after=now.get(kind, 0.0)) for kind in {*then, *now}]
    changed = [share for share in shares if abs(share.after - share.before) >= CHANGED]
    return sorted(changed, key=lambda share: (-abs(share.after - share.before), share.kind))


def _stands_alone(
    then: CustomerStratum | None,
    now: CustomerStratum | None,
    before: Mapping[Cell, CustomerStratum],
) -> bool:
    if now is None or now.n < MIN_JUDGED:
        return False
    is_new = (then.population if then else 0) < NEW * sum(stratum.population for stratum in before.values())
    return is_new or (then is not None and then.n >= MIN_JUDGED)


def _folded(
    cells: Mapping[Cell, CustomerStratum], alone: Iterable[Cell], *, rest: str = _REST
) -> dict[str, CustomerStratum]:
    apart = frozenset(alone)
    groups: dict[str, list[CustomerStratum]] = {}
    for cell, one in cells.items():
        kind = cell[1] if cell in apart else rest
        groups.setdefault(f"{cell[0]} · {kind}" if kind else cell[0], []).append(one)
    return {name: _together(group) for name, group in groups.items()}


def _together(cells: Sequence[CustomerStratum]) -> CustomerStratum:
    """Several as one: the mean over all that were judged, and the variance around it."""
    n = sum(cell.n for cell in cells)
    population = sum(cell.population for cell in cells)
    if not n:
        return CustomerStratum(population=population)
    mean = fsum(cell.n * cell.mean for cell in cells) / n
    squares = fsum(max(0, cell.n - 1) * cell.variance + cell.n * (cell.mean - mean) ** 2 for cell in cells)
    return CustomerStratum(population=population, n=n, mean=mean, variance=squares / (n - 1) if n > 1 else 0.0)


def _shares(cells: Mapping[Cell, CustomerStratum]) -> dict[str, float]:
    total = sum(cell.population for cell in cells.values())
    shares: dict[str, float] = {}
    for (_, kind), one in cells.items():
        shares[kind] = shares.get(kind, 0.0) + (one.population / total if total else 0.0)
    return shares

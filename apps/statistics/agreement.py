"""How far raters agree beyond chance. Ratings may be numbers or words; a missing one is None.

Every function answers None where its statistic is undefined (nothing rated twice, or no disagreement to expect): that
is "cannot say", never 0 and never 1. Formulas as in Cohen (1960, 1968), Gwet (2008) and Krippendorff (2011); checked
against scikit-learn and krippendorff to 1e-9.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from math import fsum
from typing import Any, Literal

Weights = Literal["linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
Rating = Any  # a hashable label or a number; None when missing


def cohen_kappa(
    a: Sequence[Rating],
    b: Sequence[Rating],
    *,
    weights: Weights | None = None,
    labels: Sequence[Rating] | None = None,
) -> float | None:
    """Cohen's kappa of two raters over the same items: 1 - observed / expected disagreement.

    Weighted kappa counts a disagreement by the distance of the labels' places in `labels` (linear, or squared). Pass
    the whole scale there: a category nobody used would otherwise shrink the distances. Without `labels`: what occurs,
    in ascending order. Pairs with a missing rating are left out. None when no pair is left or both raters gave one and
    the same label throughout. Raises ValueError for lists of different length and for a rating outside `labels`.
    """
    pairs = _pairs(a, b)
    if weights not in (None, "linear", "quadratic"):
        raise ValueError(f"weights is None, 'linear' or 'quadratic', not {weights!r}")
    order = list(labels) if labels is not None else _ascending({label for pair in pairs for label in pair})
    place = {label: number for number, label in enumerate(order)}
    unknown = {label for pair in pairs for label in pair} - set(place)
    if unknown:
        raise ValueError(f"not among the labels: {', '.join(sorted(map(repr, unknown)))}")
    if not pairs:
        return None
    distance = _distance(weights)
    n = len(pairs)
    rows, columns = Counter(place[x] for x, _ in pairs), Counter(place[y] for _, y in pairs)
    observed = fsum(distance(place[x], place[y]) for x, y in pairs) / n
    expected = fsum(distance(i, j) * count * other for i, count in rows.items() for j, other in columns.items()) / n**2
    return None if expected == 0 else 1 - observed / expected


def raw_agreement(a: Sequence[Rating], b: Sequence[Rating]) -> float | None:
    """The share of items to which both gave the same label, chance included. Pairs with a missing rating are left out;
    None when no pair is left."""
    pairs = _pairs(a, b)
    return sum(x == y for x, y in pairs) / len(pairs) if pairs else None


def gwet_ac1(a: Sequence[Rating], b: Sequence[Rating]) -> float | None:
    """Gwet's AC1 of two raters: agreement beyond chance that does not collapse when one class is rare.

    Chance agreement is SUM(pi·(1 - pi)) / (q - 1) over the q labels that occur, pi the mean share of a label. With one
    label only there is no chance to correct for: None. Pairs with a missing rating are left out.
    """
    pairs = _pairs(a, b)
    counts = Counter(label for pair in pairs for label in pair)
    if len(counts) < 2:
        return None
    agreed = sum(x == y for x, y in pairs) / len(pairs)
    shares = [count / (2 * len(pairs)) for count in counts.values()]
    chance = fsum(share * (1 - share) for share in shares) / (len(counts) - 1)
    return (agreed - chance) / (1 - chance)


def krippendorff_alpha(rows: Sequence[Sequence[Rating]], *, level: Level) -> float | None:
    """Krippendorff's alpha of any number of raters: 1 - observed / expected disagreement over pairable values.

    `rows` are raters, columns are items; missing ratings are None. Levels: nominal (same or not), ordinal (labels in
    ascending order, distance by how many ratings lie between), interval (squared difference), ratio (squared relative
    difference; numbers from 0). None when no item has two ratings or all pairable ratings are the same. Raises
    ValueError for rows of different length, an unknown level, or words where numbers are needed.
    """
    if len({len(row) for row in rows}) > 1:
        raise ValueError("every rater needs a place for every item; write None where a rating is missing")
    units = [[value for value in unit if not _missing(value)] for unit in zip(*rows, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    counts = Counter(value for unit in units for value in unit)
    total = sum(counts.values())
    metric = _metric(level, counts)
    observed = fsum(_disagreement(Counter(unit), metric) / (len(unit) - 1) for unit in units)
    expected = _disagreement(counts, metric)
    if expected == 0:
        return None
    return 1 - (total - 1) * observed / expected


def fleiss_kappa(rows: Sequence[Sequence[Rating]]) -> float | None:
    """Fleiss' kappa of any number of raters (rows) over items (columns), each item rated by the same number of raters.

    Items with a missing rating are left out. None when no item with two ratings is left or only one label occurs.
    Raises ValueError for rows of different length.
    """
    if len({len(row) for row in rows}) > 1:
        raise ValueError("every rater needs a place for every item; write None where a rating is missing")
    units = [Counter(unit) for unit in zip(*rows, strict=True) if not any(map(_missing, unit))]
    raters, counts = len(rows), sum(units, Counter[Any]())
    if raters < 2 or len(counts) < 2:
        return None
    total = sum(counts.values())
    agreed = fsum(count * (count - 1) for unit in units for count in unit.values()) / (total * (raters - 1))
    chance = fsum((count / total) ** 2 for count in counts.values())
    return (agreed - chance) / (1 - chance)


def _pairs(a: Sequence[Rating], b: Sequence[Rating]) -> list[tuple[Hashable, Hashable]]:
    if len(a) != len(b):
        raise ValueError(f"both raters must have rated the same items: {len(a)} and {len(b)} ratings")
    return [(x, y) for x, y in zip(a, b, strict=True) if not _missing(x) and not _missing(y)]


def _missing(value: Rating) -> bool:
    return value is None or value != value


def _ascending(labels: set[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError:  # words and numbers mixed: any fixed order serves unweighted kappa
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def _distance(weights: Weights | None) -> Callable[[int, int], float]:
    if weights is None:
        return lambda i, j: float(i != j)
    if weights == "linear":
        return lambda i, j: float(abs(i - j))
    return lambda i, j: float((i - j) ** 2)


def _disagreement(counts: Mapping[Any, int], metric: Callable[[Any, Any], float]) -> float:
    """Sum of the metric over all ordered pairs of different values among the counted ones."""
    values = list(counts)
    return 2 * fsum(
        counts[x] * counts[y] * metric(x, y) for number, x in enumerate(values) for y in values[number + 1 :]
    )


def _metric(level: Level, counts: Mapping[Any, int]) -> Callable[[Any, Any], float]:
    if level == "nominal":
        return lambda x, y: float(x != y)
    if level == "ordinal":
        return _ordinal(counts)
    if level not in ("interval", "ratio"):
        raise ValueError(f"level is nominal, ordinal, interval or ratio, not {level!r}")
    if any(not isinstance(value, (int, float)) for value in counts):
        raise ValueError(f"the {level} level needs numbers")
    if level == "interval":
        return lambda x, y: float(x - y) ** 2
    if any(value < 0 for value in counts):
        raise ValueError("the ratio level needs numbers from 0")
    return lambda x, y: ((x - y) / (x + y)) ** 2 if x + y else 0.0


def _ordinal(counts: Mapping[Any, int]) -> Callable[[Any, Any], float]:
    """(ratings from x to y, the ends counted half)²: the middle rank of each value makes it a plain difference."""
    rank: dict[Any, float] = {}
    before = 0
    for value in sorted(counts):
        rank[value] = before + counts[value] / 2
        before += counts[value]
    return lambda x, y: (rank[x] - rank[y]) ** 2

"""The scale people rate on, their common label, and how a judge's score becomes a point of that scale."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from apps.core.errors import BadInput

Rating = Any  # a number or a word; None where somebody could not say
JUDGE_SCALE = "0-10"
JUDGE_LOW, JUDGE_HIGH = 0.0, 10.0
GUIDE = (0.0, 3.0, 5.0, 7.0, 10.0)  # the anchors of every scoring guide: five points, five anchors
MAX_POINTS = 101

_RANGE = re.compile(r"\s*(-?\d{1,3})\s*-\s*(-?\d{1,3})\s*")
# Pairs of words whose order everybody knows, worst first.
_KNOWN = (("fail", "pass"), ("no", "yes"), ("false", "true"), ("bad", "good"), ("unsafe", "safe"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingScale:
    """The points, ascending where they are numbers (`ordered`); words have no order."""

    points: tuple[Rating, ...]
    ordered: bool

    @property
    def name(self) -> str:
        """The scale's name: `1-5`, or its words."""
        steps = [high - low for low, high in pairwise(self.points)] if self.ordered else []
        if steps and all(step == 1 for step in steps):
            return f"{self.points[0]}-{self.points[-1]}"
        return "|".join(map(str, self.points))

    @property
    def short(self) -> str:
        """The scale's name in ten characters, as a stored score has it."""
        return self.name if len(self.name) <= 10 else "words"

    def as_json(self) -> dict[str, Any]:
        return {"points": list(self.points), "ordered": self.ordered}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "RatingScale":
        return cls(points=tuple(stored["points"]), ordered=stored["ordered"])


def read_scale(value: Any, *, pointer: str = "") -> RatingScale:
    """Read a scale: `1-5`, `Yes | No | Unsure`, or a list of points.

    Numbers are ordered, words and booleans are not.

    Raises BadInput for a scale without two different points.
    """
    points: list[Any]
    if isinstance(value, str) and (match := _RANGE.fullmatch(value)):
        points = list(range(int(match[1]), min(int(match[2]), int(match[1]) + MAX_POINTS) + 1))
    elif isinstance(value, str):
        points = [part.strip() for part in value.split("|") if part.strip()]
    elif isinstance(value, Sequence):
        points = list(value)
    else:
        points = []
    plain = all(isinstance(point, str | int | float | bool) for point in points)
    if not plain or len(set(points)) < 2 or len(set(points)) != len(points) or len(points) > MAX_POINTS:
        raise BadInput(
            f"a scale is written 1-5, Yes | No | Unsure, or as a list of different points, not {value!r}",
            code="bad_scale",
            pointer=pointer,
        )
    ordered = all(isinstance(point, int | float) and not isinstance(point, bool) for point in points)
    return RatingScale(points=tuple(sorted(points) if ordered else points), ordered=ordered)


def agreed(people: Sequence[Rating], scale: RatingScale) -> Rating | None:
    """The common rating of several people: the majority of words; the median of numbers.

    A median between two points takes the one nearer to the mean, else the one on an even place, so that ties lean
    neither up nor down. None without any rating, and for a tie of words or on a scale of two points.
    """
    ratings = [rating for rating in people if rating is not None]
    if not ratings:
        return None
    if not scale.ordered:
        ranked = Counter(ratings).most_common()
        return ranked[0][0] if len(ranked) == 1 or ranked[0][1] > ranked[1][1] else None
    middle, mean = median(ratings), sum(ratings) / len(ratings)
    if len(scale.points) == 2 and middle not in scale.points:
        return None

    def distance(place: int) -> tuple[float, float, int]:
        point = scale.points[place]
        return abs(point - middle), round(abs(point - mean), 9), place % 2

    return scale.points[min(range(len(scale.points)), key=distance)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Binning:
    """Rule that turns a judge's score into a point: the highest point whose `lows` the score reaches.

    `anchors` are the points
    on the judge's scale (what a person's label is worth there), None where words have no order.

    `how` says in words where the bins come from; all of it is kept in the certificate.
    """

    scale: RatingScale
    lows: tuple[float, ...]  # in the order of `order`; the first is never looked at
    order: tuple[int, ...]  # places of the points, from the lowest scores to the highest
    anchors: tuple[float, ...] | None  # by place
    how: str

    def point(self, score: float) -> Rating:
        """The point of the scale that stands for a score."""
        reached = [place for low, place in zip(self.lows, self.order, strict=True) if score >= low]
        return self.scale.points[reached[-1] if reached else self.order[0]]

    def anchor(self, label: Rating) -> float:
        """The worth of a label on the judge's scale. Raises ValueError where words have no order."""
        if self.anchors is None:
            raise ValueError("these words have no place on the judge's scale")
        return self.anchors[self.scale.points.index(label)]

    def as_json(self) -> dict[str, Any]:
        return {
            "scale": self.scale.as_json(),
            "lows": list(self.lows),
            "order": list(self.order),
            "anchors": None if self.anchors is None else list(self.anchors),
            "how": self.how,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Binning":
        return cls(
            scale=RatingScale.from_json(stored["scale"]),
            lows=tuple(stored["lows"]),
            order=tuple(stored["order"]),
            anchors=None if stored["anchors"] is None else tuple(stored["anchors"]),
            how=stored["how"],
        )


def own_scale(scale: RatingScale) -> Binning:
    """The judge answered on the people's scale: its score is the nearest point (words: by their number)."""
    values = [float(point) for point in scale.points] if scale.ordered else [float(n) for n in range(len(scale.points))]
    lows = (values[0], *((low + high) / 2 for low, high in pairwise(values)))
    return Binning(
        scale=scale,
        lows=lows,
        order=tuple(range(len(values))),
        anchors=tuple(values) if scale.ordered else None,
        how=f"the judge answered on the people's own scale, {scale.name}",
    )


def declared_bins(scale: RatingScale, lows: Mapping[Any, float], *, pointer: str = "") -> Binning:
    """Bins somebody wrote down: every point and the lowest score that belongs to it. Raises BadInput."""
    by_name = {str(point): place for place, point in enumerate(scale.points)}
    named = {str(name): low for name, low in lows.items()}
    good = all(
        isinstance(low, int | float) and not isinstance(low, bool) and JUDGE_LOW <= low <= JUDGE_HIGH
        for low in named.values()
    )
    if set(named) != set(by_name) or not good or len(set(named.values())) != len(named):
        raise BadInput(
            f"bins give every point of {scale.name} the lowest score of 0-10 that belongs to it, all different",
            code="bad_bins",
            pointer=pointer,
        )
    ranked = sorted(named, key=lambda name: named[name])
    ends = [*(float(named[name]) for name in ranked[1:]), JUDGE_HIGH]
    anchors = {by_name[name]: (named[name] + end) / 2 for name, end in zip(ranked, ends, strict=True)}
    order = ", ".join(f"{name} from {named[name]:g}" for name in ranked)
    return Binning(
        scale=scale,
        lows=tuple(float(named[name]) for name in ranked),
        order=tuple(by_name[name] for name in ranked),
        anchors=tuple(float(anchors[place]) for place in range(len(anchors))),
        how=f"declared: {order}",
    )


def usual_bins(scale: RatingScale, *, pass_mark: float, pointer: str = "") -> Binning:
    """The bins that hold when nobody declared others.

    Two points: the pass mark parts them. Five: the anchors of the scoring guide, 0 3 5 7 10, each score to the nearest.
    Other numbers: equal parts of 0-10. Raises BadInput for words whose order nobody knows.
    """
    count = len(scale.points)
    worst_first = _worst_first(scale)
    if worst_first is None:
        raise BadInput(
            f"{scale.name}: words have no order, so say which scores belong to which: bins",
            code="bins_needed",
            pointer=pointer,
        )
    if count == 2:
        return Binning(
            scale=scale,
            lows=(JUDGE_LOW, pass_mark),
            order=worst_first,
            anchors=(JUDGE_LOW, JUDGE_HIGH) if worst_first == (0, 1) else (JUDGE_HIGH, JUDGE_LOW),
            how=f"two points, parted by the pass mark {pass_mark:g}",
        )
    if count == len(GUIDE):
        lows = (JUDGE_LOW, *((low + high) / 2 for low, high in pairwise(GUIDE)))
        how = "five points stand for the anchors 0, 3, 5, 7, 10 of the scoring guide; a score goes to the nearest"
        return Binning(scale=scale, lows=lows, order=worst_first, anchors=GUIDE, how=how)
    width = JUDGE_HIGH / count
    return Binning(
        scale=scale,
        lows=tuple(width * n for n in range(count)),
        order=worst_first,
        anchors=tuple(JUDGE_HIGH * n / (count - 1) for n in range(count)),
        how=f"{count} equal parts of 0-10",
    )


def _worst_first(scale: RatingScale) -> tuple[int, ...] | None:
    if scale.ordered:
        return tuple(range(len(scale.points)))
    words = [str(point).casefold() for point in scale.points]
    for bad, good in _KNOWN:
        if sorted(words) == sorted((bad, good)):
            return (words.index(bad), words.index(good))
    return None

"""Measure how various a set of personas is. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from apps.personas.domain.resemblance import Pairs, resemblance


@dataclass(frozen=True, slots=True, kw_only=True)
class Variety:
    """Variety of a set.

    `figure` is 1 less the mean likeness of each persona to the one most like it: 1 where no two share neighbouring
    words, 0 where each has a copy. `closest` are the two most alike, `share` how much.
    """

    figure: float
    share: float
    closest: tuple[str, str]

    def as_json(self) -> dict[str, Any]:
        return {"figure": round(self.figure, 3), "most_alike": round(self.share, 3), "closest": list(self.closest)}


def variety_of(personas: Mapping[str, Pairs]) -> Variety | None:
    """Measure a set's variety; None for fewer than two.

    It sees words: the same person told in other words counts as another. Quadratic: some 0.2 s for 200.
    """
    if len(personas) < 2:
        return None
    nearest = dict.fromkeys(personas, 0.0)
    share, closest = -1.0, ("", "")
    for one, other in combinations(personas, 2):
        alike = resemblance(personas[one], personas[other])
        nearest[one], nearest[other] = max(nearest[one], alike), max(nearest[other], alike)
        if alike > share:
            share, closest = alike, (one, other)
    return Variety(figure=1.0 - sum(nearest.values()) / len(nearest), share=share, closest=closest)

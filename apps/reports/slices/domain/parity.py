"""Compare one conversation in two languages by the same criterion: does the agent treat both alike?

Pairs carry one `parallel_id` in their labels. A difference has two possible causes, the agent or the judge: where a
certificate covers only one of the languages, the judge is the first suspect.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from apps.statistics.paired import bootstrap_interval, holm, sign_flip_p

FEWEST = 6  # below, no pattern of signs is rarer than 5 % both ways (domain/comparison.py)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parallel:
    """One conversation of a pair and its scores by criterion (None: not scored)."""

    parallel_id: str
    language: str
    scores: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Gap between two languages: how much higher `second` scores than `first` on one criterion.

    It is measured over the pairs scored in both.
    """

    criterion: str
    first: str
    second: str
    pairs: int
    mean_first: float | None = None
    mean_second: float | None = None
    difference: float | None = None
    interval: tuple[float, float] | None = None
    chance: float | None = None

    @property
    def sentence(self) -> str:
        """The figures in a sentence for people."""
        if self.difference is None or self.interval is None or self.pairs < FEWEST:
            return f"cannot tell: {self.pairs} pairs, {FEWEST} are needed"
        low, high = self.interval
        worse, less = (self.second, -self.difference) if self.difference < 0 else (self.first, self.difference)
        if (low > 0 or high < 0) and (self.chance or 0.0) < 0.05:
            return f"{worse} scores {less:.1f} lower [{min(abs(low), abs(high)):.1f}, {max(abs(low), abs(high)):.1f}]"
        return f"no difference shown [{low:+.1f}, {high:+.1f}]"


def gaps(conversations: Sequence[Parallel], *, criteria: Sequence[str], seed: int) -> list[Gap]:
    """Every criterion for every two languages, in order. `chance` is the sign-flip p, adjusted (Holm) for how many
    questions are asked. 0.1 s for each criterion with 500 pairs."""
    by_id: dict[str, dict[str, Mapping[str, float | None]]] = {}
    for conversation in conversations:
        by_id.setdefault(conversation.parallel_id, {}).setdefault(conversation.language, conversation.scores)
    languages = sorted({parallel.language for parallel in conversations})
    items = [
        _gap(criterion, first, second, list(by_id.values()), seed)
        for first, second in combinations(languages, 2)
        for criterion in criteria
    ]
    adjusted = holm([gap.chance for gap in items])
    return [_with_chance(gap, chance) for gap, chance in zip(items, adjusted, strict=True) if gap.pairs]


def _gap(
    criterion: str, first: str, second: str, groups: Sequence[Mapping[str, Mapping[str, float | None]]], seed: int
) -> Gap:
    pairs = [
        (one, other)
        for group in groups
        if (one := group.get(first, {}).get(criterion)) is not None
        and (other := group.get(second, {}).get(criterion)) is not None
    ]
    if not pairs:
        return Gap(criterion=criterion, first=first, second=second, pairs=0)
    differences = [other - one for one, other in pairs]
    return Gap(
        criterion=criterion,
        first=first,
        second=second,
        pairs=len(pairs),
        mean_first=sum(one for one, _ in pairs) / len(pairs),
        mean_second=sum(other for _, other in pairs) / len(pairs),
        difference=sum(differences) / len(differences),
        interval=bootstrap_interval(differences, seed=seed),
        chance=sign_flip_p(differences, seed=seed),
    )


def _with_chance(gap: Gap, chance: float | None) -> Gap:
    return Gap(**{name: getattr(gap, name) for name in gap.__dataclass_fields__} | {"chance": chance})

"""Paired scores as they come in, read with care, and their means by family. Pure."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, isfinite
from typing import Any

from apps.core.errors import BadInput

MAX_PAIRS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPair:
    """One conversation of both prompts. A score that was not given is None; `criteria` holds draft minus live."""

    family: str
    scenario: str
    persona: str
    language: str
    live: float | None
    draft: float | None
    original: float | None = None
    criteria: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def difference(self) -> float | None:
        return None if self.live is None or self.draft is None else self.draft - self.live

    @property
    def against_original(self) -> float | None:
        return None if self.original is None or self.draft is None else self.draft - self.original


def read_pairs(pairs: Iterable[Mapping[str, Any]], *, look: int, alpha: float, block_points: float) -> list[PromptPair]:
    """The pairs, typed. Raises BadInput that points at the pair, or names the argument."""
    if isinstance(look, bool) or not isinstance(look, int) or not 1 <= look <= 1000:
        raise BadInput(f"look is the number of this look at the hold-out, from 1, not {look!r}.", pointer="/look")
    if not _is_number(alpha) or not 0 < alpha < 1:
        raise BadInput(f"alpha lies between 0 and 1, not {alpha!r}.", pointer="/alpha")
    if not _is_number(block_points) or block_points < 0:
        raise BadInput(f"block_points is a number of points from 0, not {block_points!r}.", pointer="/block_points")
    if isinstance(pairs, str | bytes | Mapping) or not isinstance(pairs, Iterable):
        raise BadInput("pairs is a list of mappings, one a conversation.", pointer="/pairs")
    read = [_pair(item, f"/pairs/{place}") for place, item in enumerate(pairs)]
    if len(read) > MAX_PAIRS:
        raise BadInput(f"{len(read):,} pairs are more than {MAX_PAIRS:,}.", pointer="/pairs")
    return read


def family_means(pairs: Sequence[PromptPair], value: Callable[[PromptPair], float | None]) -> dict[str, float]:
    """Return the mean of each family over its personas, each persona's over its scenarios and seeds first.

    A persona that was played more often counts no more. Families in the order of the alphabet, so that the order of
    pairs is nothing.
    """
    cells: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for pair in pairs:
        number = value(pair)
        if number is not None:
            cells[pair.family][pair.persona].append(number)
    return {
        family: fsum(fsum(sorted(values)) / len(values) for _, values in sorted(personas.items())) / len(personas)
        for family, personas in sorted(cells.items())
    }


def mean(values: Iterable[float]) -> float | None:
    """Return the mean; None of nothing."""
    listed = list(values)
    return fsum(listed) / len(listed) if listed else None


def _pair(item: Any, at: str) -> PromptPair:
    if not isinstance(item, Mapping):
        raise BadInput(f"{at} is a mapping with scenario, live and draft.", pointer=at)
    for name in ("scenario", "live", "draft"):
        if name not in item:
            raise BadInput(f"{at} lacks {name!r}.", pointer=f"{at}/{name}")
    scenario = _word(item, "scenario", at)
    if not scenario:
        raise BadInput(f"{at}/scenario must not be empty.", pointer=f"{at}/scenario")
    return PromptPair(
        family=_word(item, "family", at) or scenario,
        scenario=scenario,
        persona=_word(item, "persona", at),
        language=_word(item, "language", at),
        live=_score(item["live"], f"{at}/live"),
        draft=_score(item["draft"], f"{at}/draft"),
        original=_score(item.get("original"), f"{at}/original"),
        criteria=_criteria(item.get("criteria"), f"{at}/criteria"),
    )


def _word(item: Mapping[str, Any], name: str, at: str) -> str:
    value = item.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadInput(f"{at}/{name} must be a text.", pointer=f"{at}/{name}")
    return value.strip()


def _score(value: Any, at: str) -> float | None:
    if value is None:
        return None
    if not _is_number(value):
        raise BadInput(f"{at} must be a number of points, or null where none was given.", pointer=at)
    return float(value)


def _criteria(value: Any, at: str) -> dict[str, float | None]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadInput(f"{at} is a mapping of a criterion's name to [live, draft].", pointer=at)
    criteria: dict[str, float | None] = {}
    for name, both in value.items():
        place = f"{at}/{name}"
        if not isinstance(name, str) or not isinstance(both, Sequence) or isinstance(both, str) or len(both) != 2:
            raise BadInput(f"{place} is [live, draft], two scores or null.", pointer=place)
        live, draft = _score(both[0], f"{place}/0"), _score(both[1], f"{place}/1")
        criteria[name] = None if live is None or draft is None else draft - live
    return criteria


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12 and isfinite(value)

"""Split scenario families into those to write drafts from, those to choose with, and those to decide with.

The split is made once: a family that was placed stays in its part. Pure.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from apps.catalog.personas.domain.near_duplicates import copied
from apps.core.digest import sha256_hex
from apps.improvement.holdout.domain.parts import Part

SHARES: Mapping[Part, float] = {Part.HOLD_OUT: 0.4, Part.TRAIN: 0.3, Part.SELECTION: 0.3}
SEED = "families"
COPY = 0.8  # of the shorter one's words and pairs of words: a copy with a word or two changed, not a scenario like it
_EXPOSED = (Part.TRAIN, Part.SELECTION, Part.HOLD_OUT)  # what was read most, first


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A scenario as it once stood in a family. `words`: its wording as numbers, see `near_duplicates.wording`."""

    family: str
    slug: str
    words: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Placement of families in parts.

    `parts` are those of the families that had none. `follows` says which of these hold another family's content, and
    whose. `spent` are hold-out families that share a scenario with those that are read or chosen with.
    """

    parts: Mapping[str, Part] = field(default_factory=dict)
    follows: Mapping[str, str] = field(default_factory=dict)
    spent: frozenset[str] = frozenset()


def settle_families(
    placed: Mapping[str, Part], families: Iterable[str], *, fresh: Iterable[Member], known: Iterable[Member]
) -> Placement:
    """Decide where the new ones of these `families` go.

    `fresh` are the scenarios that are new, moved or reworded since families were placed last; `known` is every scenario
    that ever stood in a family.

    A scenario takes its past along. A new family that holds what a placed family held (the same id, or a copy) follows
    it, or the most exposed of several. A sealed family that shares a scenario with train or selection is spent. So
    neither another family name nor another id makes fresh what was read. Some 10 µs for each pair of fresh and known.
    """
    links = list(_links(list(fresh), list(known)))
    new = sorted(set(families) - placed.keys())
    follows: dict[str, str] = {}
    for one, other in links:
        if one in placed or other not in placed:
            continue
        if one not in follows or _EXPOSED.index(placed[other]) < _EXPOSED.index(placed[follows[one]]):
            follows[one] = other
    follows = {family: follows[family] for family in new if family in follows}
    followed = {family: placed[source] for family, source in follows.items()}
    parts = followed | place_families({**placed, **followed}, new)
    stands, spent = {**placed, **parts}, set[str]()
    for pair in links:
        apart = {stands[family] for family in pair if family in stands}
        if len(apart) > 1 and Part.HOLD_OUT in apart:
            spent |= {family for family in pair if stands[family] is Part.HOLD_OUT}
    return Placement(parts=parts, follows=follows, spent=frozenset(spent))


def _links(fresh: list[Member], known: list[Member]) -> Iterable[tuple[str, str]]:
    for member in fresh:
        for other in known:
            if member.family != other.family and (
                member.slug == other.slug or copied(member.words, other.words) >= COPY
            ):
                yield member.family, other.family


def place_families(placed: Mapping[str, Part], families: Iterable[str], *, seed: str = SEED) -> dict[str, Part]:
    """The parts of those `families` that are not `placed` yet.

    They are taken in the order of their digests, so that neither names nor the order of files choose, and each goes
    where the shares lack most; between equals to the hold-out, then train. Same families, same answer.
    """
    counts = Counter(placed.values())
    parts: dict[str, Part] = {}
    for family in sorted(set(families) - placed.keys(), key=lambda name: (sha256_hex([seed, name]), name)):
        total = counts.total() + 1
        part = max(SHARES, key=lambda one: round(SHARES[one] * total - counts[one], 9))
        parts[family] = part
        counts[part] += 1
    return parts

"""Which scenario families are written from, chosen with and decided with. Split once; what was placed stays. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping

from apps.core.digest import sha256_hex
from apps.improvement.domain.trial_states import Part

SHARES: Mapping[Part, float] = {Part.HOLD_OUT: 0.4, Part.TRAIN: 0.3, Part.SELECTION: 0.3}
SEED = "families"


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

"""Sample the conversations that people should rate this month, those with the least certain scores."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from hashlib import sha256
from itertools import zip_longest

ROUND_SIZE = 10  # the brief's monthly volume


class SamplingReason(StrEnum):
    """Reason why a conversation is worth a person's time."""

    DISAGREEMENT = "disagreement"
    EXTREME = "extreme"
    LOW_EVIDENCE = "low_evidence"
    REQUESTED = "requested"  # a person put it in; never drawn
    FILTERED = "filtered"  # a queue was made of what a filter matched


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A conversation that people may rate. `spread` is how far its scores lie apart (of judges where several judged
    it, else of its criteria), `score` its weighted score of 0-10 (None: a real one that no judge has scored),
    `evidence` the share of its quotes that were verified. `real`: a real customer's; `surprising`: rated otherwise than
    it was judged."""

    id: Hashable
    language: str
    score: float | None
    spread: float
    evidence: float | None
    real: bool = False
    surprising: bool = False


def sample_for_labelling(
    candidates: Sequence[Candidate], *, seed: int, size: int = ROUND_SIZE
) -> list[tuple[Candidate, SamplingReason]]:
    """Up to `size` conversations, taken in turn from the most disputed, the most extreme and the worst proven.

    The languages take turns within each kind, so that no language waits for ever. Ties are broken by a hash of the
    seed and the id: the same seed gives the same list in any order of the candidates. Real customers' conversations
    come first, and among them those that surprised either way; tests fill what is left.
    """
    real = [candidate for candidate in candidates if candidate.real]
    tests = [candidate for candidate in candidates if not candidate.real]
    chosen = _in_turn(real, seed=seed, size=size, surprises_first=True)
    return [*chosen, *_in_turn(tests, seed=seed, size=size - len(chosen))]


def _in_turn(
    candidates: Sequence[Candidate], *, seed: int, size: int, surprises_first: bool = False
) -> list[tuple[Candidate, SamplingReason]]:
    heaps = {
        SamplingReason.DISAGREEMENT: _ranked(candidates, seed, lambda one: -one.spread),
        SamplingReason.EXTREME: _ranked(candidates, seed, lambda one: -_extremity(one)),
        SamplingReason.LOW_EVIDENCE: _ranked(candidates, seed, lambda one: one.evidence or 0.0),
    }
    surprises = [one for one in heaps[SamplingReason.EXTREME] if one.surprising] if surprises_first else []
    chosen = {surprise.id: (surprise, SamplingReason.EXTREME) for surprise in surprises[:size]}
    while len(chosen) < min(size, len({candidate.id for candidate in candidates})):
        for why, heap in heaps.items():
            while heap and heap[0].id in chosen:
                heap.pop(0)
            if heap and len(chosen) < size:
                one = heap.pop(0)
                chosen[one.id] = (one, why)
    return list(chosen.values())


def _extremity(candidate: Candidate) -> float:
    return 0.0 if candidate.score is None else abs(candidate.score - 5.0)


def surprised(score: float, thumbs: Sequence[bool]) -> bool:
    """Tell whether people liked (True) what the judge did not, or disliked what it liked, or are not of one mind."""
    if not thumbs:
        return False
    return len(set(thumbs)) > 1 or thumbs[0] != (score >= 5.0)


def first_monday(day: date) -> date:
    """The first Monday of that month: when the round opens."""
    first = day.replace(day=1)
    return first + timedelta(days=-first.weekday() % 7)


def is_quarterly(month: date) -> bool:
    """January, April, July and October: the pinned models are reviewed on the same Monday."""
    return month.month % 3 == 1


def _ranked(candidates: Sequence[Candidate], seed: int, weight: Callable[[Candidate], float]) -> list[Candidate]:
    ranked = sorted(candidates, key=lambda candidate: (weight(candidate), _lot(seed, candidate.id)))
    by_language: dict[str, list[Candidate]] = {}
    for one in ranked:
        by_language.setdefault(one.language, []).append(one)
    return [one for row in zip_longest(*by_language.values()) for one in row if one is not None]


def _lot(seed: int, id: Hashable) -> bytes:
    return sha256(f"{seed}:{id}".encode()).digest()

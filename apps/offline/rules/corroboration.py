"""Weigh the signs of a fault before they cost anything: one loose sentence proves nothing.

Signs of it are weighed before they cost anything: one loose sentence proves nothing.

A sign is strong where its words are explicit ("welcome back", "send me your PIN") and weak where it is inferred, by
grammar, by the shape of a question or by a phrase that has other uses. Sentences that are nearly the same are one sign,
however often they are said: whoever was misheard once is misheard again. A weak sign that stands alone is a suspicion:
it is quoted and costs 0.4 points at most. Two different weak signs, or a strong one, cost most of what the fault costs;
a strong one beside anything else all of it.
"""

from collections.abc import Iterable, Sequence

from apps.core.dialogue.signs import STRONG, WEAK, Sign
from apps.offline.rules.answers import Quote, quote_at, ramp, unique
from apps.offline.rules.reasons import reason

CHATTER_WORDS = 60
"""A longer message is mostly stories, and so may be the sentence that was heard."""
_BELIEF = ((0.0, 0.0), (WEAK, 0.04), (STRONG, 0.65), (1.5, 1.0))
_ALIKE = 0.5
"""Share of common words (of all words of both) from which two sentences are the same sign."""


def belief(signs: Iterable[Sign]) -> float:
    """0 (nothing) to 1 (proven): the weights of the different sentences together."""
    groups: list[tuple[frozenset[str], float]] = []
    for sign in signs:
        words = sign.words
        for at, (known, weight) in enumerate(groups):
            if _alike(words, known):
                groups[at] = (known, max(weight, sign.weight))
                break
        else:
            groups.append((words, sign.weight))
    return ramp(sum(weight for _, weight in groups), _BELIEF)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _ALIKE * len(one | other)


def believed(score: float, signs: Sequence[Sign]) -> float:
    """Return `score`, moved towards 10 as far as the signs are doubtful. `score` takes every sign for a fault."""
    return 10.0 - belief(signs) * (10.0 - score)


def only_suspected(signs: Sequence[Sign]) -> bool:
    """Tell whether there are signs that together prove nothing."""
    return bool(signs) and belief(signs) <= ramp(WEAK, _BELIEF)


def with_caveat(text: str, signs: Sequence[Sign], language: str) -> str:
    """The reason with the remark that it rests on one sign only, where it does."""
    return f"{text} {reason('doubt', 'alone', language)}" if only_suspected(signs) else text


def quotes(signs: Sequence[Sign]) -> tuple[Quote, ...]:
    """The sentences of the signs, the surest first."""
    return unique([quote_at(sign.turn, sign.place) for sign in sorted(signs, key=lambda sign: -sign.weight)])

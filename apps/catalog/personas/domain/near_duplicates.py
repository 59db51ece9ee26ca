"""Find conversations that ask for the same in nearly the same words: they count once, as one family."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from zlib import crc32

from apps.core.redaction import MASKED

ALIKE = 0.6  # of the words and pairs of words of the shorter one, said by the other one too
_FEWEST = 4  # words: "Habari" and "Habari" are no family
_MOST = 300  # words that are compared
_MAX_OF_WORDING = 600
_PIECE = re.compile(r"[^\W_]+")
# What looks like a letter is that letter on both sides, so it does not matter that "l" and "1" are both an i.
_LOOKALIKES = str.maketrans(
    "авсԁеѕɡнһіӏјкмпорԛтуѵԝхαβεηικνορτυχ01l345789@$|!",
    "abcdesghhiijkmnopqtyvwxabenikvoptuxoiieastbgasii",
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def family_of(customer: Sequence[str], others: Mapping[str, Sequence[str]]) -> str:
    """The family of the most alike of `others` ({family: what its customer said}), "" where none is alike. Pure; some
    10 µs for each of them."""
    own = fingerprint(tuple(customer))
    best, family = ALIKE, ""
    for name, other_words in others.items():
        alike = resemblance(own, fingerprint(tuple(other_words)))
        if alike >= best:
            best, family = alike, name
    return family


def resemblance(one: frozenset[str], other: frozenset[str]) -> float:
    """0 to 1: how much of the shorter one the other one holds; 0 where one of them is too short to tell. Two that
    differ much in length are not alike, though one may hold the other."""
    fewer, more = sorted((len(one), len(other)))
    if fewer < _FEWEST or more > 4 * fewer:
        return 0.0
    return len(one & other) / fewer


@lru_cache(maxsize=1024)
def fingerprint(customer: tuple[str, ...]) -> frozenset[str]:
    """The words of a customer and each two beside each other, without what was masked and in small letters."""
    words = list[str]()
    for text in customer:
        words += (word.lower() for word in _WORD.findall(MASKED.sub(" ", text))[: _MOST - len(words)])
        if len(words) >= _MOST:
            break
    both = {" ".join(words[at : at + 2]) for at in range(len(words) - 1)}
    return frozenset(word for word in words if len(word) > 2) | both


def wording(texts: Sequence[str]) -> frozenset[int]:
    """Return the words of these texts, and each two beside each other, as 32-bit numbers.

    They are kept and compared where the words themselves are not. Letters that look alike are one (Latin, Cyrillic,
    Greek, digits for letters), and what nobody sees is not there.
    """
    words = [word for text in texts for word in _PIECE.findall(_as_seen(MASKED.sub(" ", text)))][:_MAX_OF_WORDING]
    both = {" ".join(sorted(words[at : at + 2])) for at in range(len(words) - 1)}  # in either order
    return frozenset(crc32(word.encode()) for word in {word for word in words if len(word) > 2} | both)


def copied(one: frozenset[int], other: frozenset[int]) -> float:
    """0 to 1: how much of the shorter wording the longer one holds, however much else it says. 0 where one of them is
    too short to tell."""
    fewer = min(len(one), len(other))
    return len(one & other) / fewer if fewer >= _FEWEST else 0.0


def _as_seen(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_LOOKALIKES)
    return "".join(sign for sign in plain if unicodedata.category(sign) not in ("Mn", "Me", "Cf"))

"""Numbers that say something else beside the score: `{"score": 4, "max": 5}`, `final_score`, `"scale": "0-5"`.

What such an answer means is a guess, so it counts as none and is asked for again. An entry of an answer has the number
asked for, `reason`, `evidence`, and may have `confidence` and `turn`; texts under other names are harmless.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from typing import Any

OWN_NUMBERS = frozenset({"confidence", "turn"})  # numbers about the answer, which say nothing about its score
_WORDS_OF_SCORES = (
    "score",
    "rating",
    "rated",
    "scale",
    "outof",
    "mark",
    "grade",
    "points",
    "maximum",
    "minimum",
    "final",
    "revis",
    "adjust",
    "correct",
    "updated",
    "punteggio",
    "voto",
    "scala",
    "alama",
    "kiwango",
)
_EXACT_WORDS = frozenset({"max", "min", "of", "range", "value", "number"})
_SUMMARIES = ("overall", "total", "average", "mean", "weighted", "summary", "complessivo", "media", "jumla", "wastani")
_NUMERIC_TEXT = re.compile(r"\s*[-+]?\d[\d.,]*\s*(?:%|/\s*\d[\d.,]*|(?:-|–|to|out of|of)\s*\d[\d.,]*)?\s*", re.ASCII)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)?(?![\w]|[.,]\d)")
_SENTENCE = re.compile(r"[^\n.!?;]*(?:[.](?=\d)[^\n.!?;]*)*")
_LEFT_OVER = re.compile(r"[^a-z0-9]+")


def folded(key: str) -> str:
    """A key without case, width, blanks and signs: what a reader takes for the same word."""
    return _LEFT_OVER.sub("", unicodedata.normalize("NFKC", key).casefold())


def is_about_scores(key: str) -> bool:
    """Tell whether a key beside the one asked for speaks of a score: `Score`, `max_score`, `scale`, `revised`."""
    word = folded(key)
    return word in _EXACT_WORDS or any(part in word for part in _WORDS_OF_SCORES)


def qualifies_itself(entry: Mapping[str, Any], number_key: str) -> bool:
    """Tell whether an entry has, beside `number_key`, another number or a key about scores, at any depth."""
    for key, value in entry.items():
        if key == number_key or key == "reason":
            continue
        if key in OWN_NUMBERS:
            if isinstance(value, Mapping) or _other_number(value if isinstance(value, list) else ()):
                return True
        elif key == "evidence":
            if any(_qualified_quote(item) for item in (value if isinstance(value, list) else [value])):
                return True
        elif is_about_scores(key) or _other_number(value) or _other_word(value):
            return True
    return False


def qualifies_all(holder: Mapping[str, Any]) -> bool:
    """Tell whether another key beside the scores changes their meaning.

    An overall score does not.
    """
    return any(
        is_about_scores(key) and not any(word in folded(key) for word in _SUMMARIES)
        for key in holder
        if key not in ("nonce", "scores")
    )


def named_twice(scores: Mapping[str, Any], names: Collection[str]) -> frozenset[str]:
    """The criteria of which a key that was not asked for speaks too: `A` beside `a`, `a_final` beside `a`."""
    folded_names = {name: folded(name) for name in names}
    others = [key for key in scores if key not in folded_names]
    return frozenset(name for name, word in folded_names.items() if any(_speaks_of(key, name, word) for key in others))


def corrected_behind(text: str, scores: Mapping[str, float | None]) -> frozenset[str]:
    """The criteria to which words behind the answer give another number: "Correction: a should be 7." Linear."""
    names: set[str] = set()
    if not text.strip() or not _NUMBER.search(text):
        return frozenset()
    for sentence in _sentences(text):
        numbers = [float(match[0].replace(",", ".")) for match in _NUMBER.finditer(sentence)]
        names |= {name for name in _named_in(sentence, scores) if any(number != scores[name] for number in numbers)}
    return frozenset(names)


def _sentences(text: str) -> Iterable[str]:
    return (match[0] for match in _SENTENCE.finditer(text) if match[0].strip())


def _named_in(sentence: str, names: Iterable[str]) -> list[str]:
    small = sentence.casefold()
    return [name for name in names if re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", small)]


def _speaks_of(key: str, name: str, word: str) -> bool:
    if folded(key) == word:
        return True
    parts = [folded(part) for part in re.split(r"[\W_]+", key)]
    rest = folded(key).removeprefix(word)
    return parts[: len(re.split(r"[\W_]+", name))] == [folded(part) for part in re.split(r"[\W_]+", name)] and (
        is_about_scores(rest)
    )


def _qualified_quote(item: Any) -> bool:
    """A quote that has a score of its own. What else a quote is made of are words of the conversation."""
    return isinstance(item, Mapping) and "quote" in item and any(map(is_about_scores, item))


def _other_number(value: Any) -> bool:
    """Tell whether there is a number in it, at any depth. A text that is nothing but a number counts."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            waiting.extend(node.values())
        elif isinstance(node, list | tuple):
            waiting.extend(node)
        elif isinstance(node, str):
            if _NUMERIC_TEXT.fullmatch(node):
                return True
        elif isinstance(node, int | float) and not isinstance(node, bool):
            return True
    return False


def _other_word(value: Any) -> bool:
    """Tell whether there is a key about scores in it, at any depth."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            if any(map(is_about_scores, node)):
                return True
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
    return False

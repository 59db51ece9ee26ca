"""Find many phrases in one pass over the words of a turn.

A pattern is words with spaces between them. `x*` is a word beginning with x, `*x` one ending with x, `a|b` either,
`_` any one word, `~` a gap of up to three words. Cost: one cached dictionary look-up per word, whatever the number of
patterns; nothing here can backtrack without bound.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

GAP = 3


class PhrasePattern:
    """One compiled phrase and the tag it stands for."""

    __slots__ = ("parts", "tag")

    def __init__(self, tag: str, parts: Sequence[tuple[str, ...]]) -> None:
        self.tag = tag
        self.parts = tuple(parts)

    def end(self, words: Sequence[str], at: int, part: int = 1) -> int:
        """Index after the last word of the match that began at `at`, or -1."""
        position = at + 1
        count = len(words)
        while part < len(self.parts):
            alternatives = self.parts[part]
            if alternatives == ("~",):
                for skip in range(GAP + 1):
                    if position + skip < count and _fits(words[position + skip], self.parts[part + 1]):
                        later_end = self.end(words, position + skip, part + 2)
                        if later_end >= 0:
                            return later_end
                return -1
            if position >= count or not _fits(words[position], alternatives):
                return -1
            position += 1
            part += 1
        return position


def _fits(word: str, alternatives: tuple[str, ...]) -> bool:
    for alternative in alternatives:
        if alternative == "_" or alternative == word:
            return True
        if alternative[-1] == "*" and word.startswith(alternative[:-1]):
            return True
        if alternative[0] == "*" and word.endswith(alternative[1:]):
            return True
    return False


class Lexicon:
    """All phrases of all tags, ready to be looked for."""

    def __init__(self, phrases: Mapping[str, str]) -> None:
        """Compile the phrases: tag -> patterns separated by `;` or new lines."""
        self._literal: dict[str, list[PhrasePattern]] = {}
        self._open: list[PhrasePattern] = []
        for tag, text in phrases.items():
            for raw in text.replace("\n", ";").split(";"):
                if raw.strip():
                    self._add(PhrasePattern(tag, [tuple(word.split("|")) for word in raw.split()]))
        self.heads = lru_cache(maxsize=50_000)(self._heads)

    def _add(self, pattern: PhrasePattern) -> None:
        if any(word[0] == "*" or word[-1] == "*" or word == "_" for word in pattern.parts[0]):
            self._open.append(pattern)
            return
        for word in pattern.parts[0]:
            self._literal.setdefault(word, []).append(pattern)

    def _heads(self, word: str) -> "_Heads | None":
        patterns = (*self._literal.get(word, ()), *(p for p in self._open if _fits(word, p.parts[0])))
        return _Heads(patterns) if patterns else None

    def find(self, words: Sequence[str]) -> Iterator[tuple[str, int, int]]:
        """(tag, first word, word after the last) of every match."""
        heads, last = self.heads, len(words) - 1
        for at, word in enumerate(words):
            patterns = heads(word)
            if patterns is None:
                continue
            for tag in patterns.alone:
                yield tag, at, at + 1
            if at < last:
                for pattern in (*patterns.followed.get(words[at + 1], ()), *patterns.open):
                    end = pattern.end(words, at)
                    if end >= 0:
                        yield pattern.tag, at, end


class _Heads:
    """The patterns that begin with one word: done with it, known by the word that follows, or to be tried."""

    __slots__ = ("alone", "followed", "open")

    def __init__(self, patterns: Sequence[PhrasePattern]) -> None:
        self.alone = tuple(p.tag for p in patterns if len(p.parts) == 1)
        self.followed: dict[str, list[PhrasePattern]] = {}
        self.open: list[PhrasePattern] = []
        for pattern in patterns:
            if len(pattern.parts) == 1:
                continue
            if any(word in ("_", "~") or "*" in word for word in pattern.parts[1]):
                self.open.append(pattern)
                continue
            for word in pattern.parts[1]:
                self.followed.setdefault(word, []).append(pattern)

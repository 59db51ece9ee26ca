"""Full text search: which words a text is found by, in SQL and in Python. Pure.

Words are runs of letters and digits, in small letters, without a dictionary of any language (`simple`): Swahili and
English stand in one conversation. Each word that is asked for may be the beginning of one, and all must be there.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from apps.core.errors import BadInput

MAX_QUERY = 200  # characters
MAX_WORDS = 12
INDEXED = 20_000  # characters of one text, the first
_WORD = re.compile(r"[^\W_]+")
_AROUND = 90  # characters of an excerpt before and after


def words_sql(text: str) -> str:
    """A `tsvector` of SQL that gives a text, without the places of its words. Immutable: an index may hold it."""
    return f"strip(to_tsvector('simple', regexp_replace(left({text}, {INDEXED}), '[^[:alnum:]]+', ' ', 'g')))"


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """The words that are looked for, in small letters."""

    words: tuple[str, ...]

    @property
    def tsquery(self) -> str:
        """The query in the form that `to_tsquery('simple', …)` reads.

        Words hold letters and digits alone, so nothing in them is syntax.
        """
        return " & ".join(f"'{word}':*" for word in self.words)


def search_query(text: str, *, field: str = "q") -> SearchQuery:
    """Read the words to search for. Raises BadInput (`bad_query`) where there are none or too many."""
    pointer = f"/{field}"
    if len(text) > MAX_QUERY:
        raise BadInput(
            f"That is {len(text):,} characters to search for: {MAX_QUERY} are the most.",
            code="bad_query",
            pointer=pointer,
        )
    words = tuple(dict.fromkeys(word.lower() for word in _WORD.findall(text)))
    if not words:
        raise BadInput(
            "There is no word to search for: letters or digits are needed.", code="bad_query", pointer=pointer
        )
    if len(words) > MAX_WORDS:
        raise BadInput(
            f"Those are {len(words)} words to search for: {MAX_WORDS} are the most.", code="bad_query", pointer=pointer
        )
    return SearchQuery(words)


@dataclass(frozen=True, slots=True)
class ExcerptPiece:
    """Piece of an excerpt; `found`: it begins with a word of the query."""

    text: str
    found: bool = False


def excerpt(text: str, query: SearchQuery) -> Sequence[ExcerptPiece]:
    """The text around the first word that is found; found words are pieces of their own, … stands for a cut."""
    matches = [match for match in _WORD.finditer(text) if match.group().lower().startswith(query.words)]
    begin = max(0, matches[0].start() - _AROUND) if matches else 0
    end = min(len(text), (matches[0].end() if matches else 0) + _AROUND)
    pieces, at = [ExcerptPiece("… ")] if begin else [], begin
    for match in matches:
        if match.end() > end:
            break
        pieces += [ExcerptPiece(text[at : match.start()]), ExcerptPiece(match.group(), found=True)]
        at = match.end()
    rest = text[at:end] + (" …" if end < len(text) else "")
    return [one for one in [*pieces, ExcerptPiece(rest)] if one.text]

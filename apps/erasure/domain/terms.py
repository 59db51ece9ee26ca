"""The terms of a search: a person's number, address, references and names, in any text and in any JSON value."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from apps.erasure.domain.subject import DataSubject, digits_of

ERASED = "<erased>"
_SIGNIFICANT = 9  # digits of a number without its country's and trunk prefix
_MIN_REFERENCE = 5  # a shorter customer id stands in too many other texts: it is found by its digest alone
_WORDS = re.compile(r"[^\W_]+")
# Ids and digests are nobody's number, whatever digits they have.
_OURS = (
    r"(?P<ours>[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|(?<!\w)[0-9a-f]{32,}(?!\w))"
)


@dataclass(frozen=True)
class Terms:
    """Patterns for Python (`pattern`) and, wider, for Postgres (`prefilter`, case-insensitive).

    Text that Postgres finds is looked at again here.
    """

    python: tuple[str, ...]
    postgres: tuple[str, ...]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile("|".join([_OURS, f"(?P<term>{'|'.join(self.python)})"]), re.IGNORECASE)

    @property
    def prefilter(self) -> str:
        return "|".join(f"(?:{postgre})" for postgre in self.postgres)

    def __bool__(self) -> bool:
        return bool(self.python)

    def count(self, text: str) -> int:
        """Count how often one of the terms occurs in a text."""
        return sum(1 for match in self.pattern.finditer(text) if match.group("term"))

    def erased(self, text: str, token: str = ERASED) -> tuple[str, int]:
        """The text with `token` in their place, and how often that was."""
        hits = 0

        def replace(found: re.Match[str]) -> str:
            nonlocal hits
            if not found.group("term"):
                return found.group()
            hits += 1
            return token

        return self.pattern.sub(replace, text), hits

    def around(self, text: str, *, width: int = 40) -> str:
        """The first of them with what stands beside it, for a person to look at."""
        for match in self.pattern.finditer(text):
            if match.group("term"):
                start, end = max(0, match.start() - width), match.end() + width
                return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
        return ""


def terms_of(subject: DataSubject) -> Terms:
    """The search terms of a subject. A phone number in any of its spellings, with its country or without."""
    python, postgres = list[str](), list[str]()
    for number in dict.fromkeys(filter(None, (subject.phone, _wa_number(subject.wa_id)))):
        digits = digits_of(number)[-_SIGNIFICANT:]
        python.append(rf"\+?(?<!\d)\d{{0,4}}[ ().\-]{{0,3}}{r'[^A-Za-z0-9]{0,2}'.join(digits)}(?!\d)")
        postgres.append("[^[:alnum:]]{0,2}".join(digits))
    if subject.email:
        python.append(rf"(?<![\w.+-]){re.escape(subject.email)}(?![\w-])")
        postgres.append(_literal(subject.email))
    references = (subject.customer_id, subject.wa_id if not _wa_number(subject.wa_id) else None)
    for reference in filter(None, references):
        if len(reference) >= _MIN_REFERENCE:
            python.append(rf"(?<!\w){re.escape(reference)}(?!\w)")
            postgres.append(_literal(reference))
    for words in (order for name in subject.names for order in _orders(_WORDS.findall(name))):
        python.append(rf"(?<![^\W\d_]){r'[^A-Za-z0-9]+'.join(map(re.escape, words))}(?![^\W\d_])")
        postgres.append("[^[:alnum:]]+".join(map(_spellings, words)))
    return Terms(tuple(python), tuple(postgres))


def rewritten(value: Any, change: Callable[[str], tuple[str, int]]) -> tuple[Any, int]:
    """A text or JSON value with every text in it changed, keys and numbers too; and how many changes there were."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        rewritten_items, hits = {}, 0
        for name, one in value.items():
            new_name, in_name = change(name)
            rewritten_items[new_name], inside = rewritten(one, change)
            hits += in_name + inside
        return rewritten_items, hits
    if isinstance(value, list):
        pairs = [rewritten(one, change) for one in value]
        return [one for one, _ in pairs], sum(hits for _, hits in pairs)
    if isinstance(value, int | float) and not isinstance(value, bool):
        text, hits = change(str(value))
        return (text, hits) if hits else (value, 0)
    return value, 0


def texts_in(value: Any) -> Iterable[str]:
    """Every text of a JSON value, numbers written out."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield name
            yield from texts_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts_in(one)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _orders(words: list[str]) -> list[list[str]]:
    """Return a name as it is given, and with its parts turned round: `Grace Otieno`, `Otieno, Grace`.

    Of three parts the last one comes first, the first one last, and all of them backwards.
    """
    turned = [words, words[-1:] + words[:-1], words[1:] + words[:1], words[::-1]]
    return [list(one) for one in dict.fromkeys(map(tuple, turned))]


def _wa_number(wa_id: str | None) -> str | None:
    """A wa_id that is a number; WhatsApp's newer ids (`KE.150…`) are none."""
    return wa_id if wa_id and wa_id.strip().lstrip("+").isdecimal() else None


def _literal(text: str) -> str:
    return re.sub(r"([^\w\s])", r"\\\1", text)


def _spellings(word: str) -> str:
    """Postgres compares letters outside ASCII without regard to case only where its locale does."""
    if word.isascii():
        return _literal(word)
    spellings = dict.fromkeys((word, word.lower(), word.upper(), word.title()))
    escaped = [spelling.encode("ascii", "backslashreplace").decode() for spelling in spellings]
    both = [*spellings, *(one.replace("\\", "\\\\") for one in escaped)]
    return f"(?:{'|'.join(both)})"

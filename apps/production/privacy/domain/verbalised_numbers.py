"""Numbers that are said in words, in English, Swahili and Italian: read as digits, however they are taken apart.

Read are single digits, tens and compounds, hundreds and thousands, repeats ("double two"), words that are glued
(`zerosetteunodue`), signs and digits for letters (`s3ven`), and words with others between them. Roman numerals, sums
("seven plus one") and other languages are not.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise


class NumberKind(StrEnum):
    """The kind of a number word.

    It is a digit, 10 to 19, 20 to 90, or hundred and thousand after their count (seven hundred) or before it (mia
    saba).
    """

    UNIT = "unit"
    TEEN = "teen"
    TEN = "ten"
    HUNDRED = "hundred"
    THOUSAND = "thousand"
    MILLION = "million"
    HUNDRED_FIRST = "hundred_first"
    THOUSAND_FIRST = "thousand_first"


NumberWord = tuple[NumberKind, int]


def _words() -> dict[str, NumberWord]:
    units = (
        "zero oh nought sifuri/one moja uno una/two mbili due/three tatu tre/four nne quattro/five tano cinque/"
        "six sita sei/seven saba sette/eight nane otto/nine tisa nove"
    )
    teens = (
        "ten kumi dieci/eleven undici/twelve dodici/thirteen tredici/fourteen quattordici/fifteen quindici/"
        "sixteen sedici/seventeen diciassette/eighteen diciotto/nineteen diciannove"
    )
    tens = (
        "twenty ishirini venti/thirty thelathini trenta/forty arobaini quaranta/fifty hamsini cinquanta/"
        "sixty sitini sessanta/seventy sabini settanta/eighty themanini ottanta/ninety tisini novanta"
    )
    numbers = dict[str, NumberWord]()
    for kind, text, first, step in (
        (NumberKind.UNIT, units, 0, 1),
        (NumberKind.TEEN, teens, 10, 1),
        (NumberKind.TEN, tens, 20, 10),
    ):
        for place, words in enumerate(text.split("/")):
            numbers |= dict.fromkeys(words.split(), (kind, first + place * step))
    numbers |= dict.fromkeys(("hundred", "cento"), (NumberKind.HUNDRED, 100))
    numbers |= dict.fromkeys(("thousand", "mila", "mille"), (NumberKind.THOUSAND, 1000))
    numbers |= dict.fromkeys(("million", "millions", "milione", "milioni"), (NumberKind.MILLION, 1_000_000))
    return numbers | {"mia": (NumberKind.HUNDRED_FIRST, 100), "elfu": (NumberKind.THOUSAND_FIRST, 1000)}


NUMBER_WORDS = _words()
# Italian joins tens and units, and drops a letter between two vowels: ventuno, settantotto.
ELIDED = {
    word[:-1] + unit: (value, int(unit == "uno") or 8)
    for word, (kind, value) in NUMBER_WORDS.items()
    if kind is NumberKind.TEN and word.endswith(("a", "i"))
    for unit in ("uno", "otto")
}
REPEATS = {"double": 2, "doppio": 2, "mara": 2, "triple": 3, "triplo": 3}
JOINS = frozenset({"na", "and", "e"})
_PAUSES = """
    then kisha poi halafu alafu um uh er eh ehm ah hmm mmm mm uhm uhh like ok okay sawa ni yaani cioe allora quindi so
    well plus dash hyphen space trattino spazio comma virgola followed by next again yes ndiyo
"""
FILLERS = JOINS | frozenset(_PAUSES.split())


MIN_DIGITS, MIN_WORDS = 7, 4  # of a run with nothing but fillers between: fewer are a time, a price or a count
_LOOSE_DIGITS, _LOOSE_WORDS, _LOOSE_PIECES = 9, 7, 5  # of one with other words between
_LOOSE_GAP = 2  # other words between two numbers
_MAX_DIALLED = 14
_MAX_PRICE = 8  # digits: one number in words that is as long is no price
PHONE = re.compile(r"(?:00)?(?:254)?0?[17]\d{8}")
_MAX_FIGURE = 5  # the floor masks longer ones
_MAX_TOKEN = 2_000


_TOKEN = re.compile(r"[^\W_]+(?:[@$][^\W_]+)*")
_LETTERS_FOR = (str.maketrans("013457@$", "oieastas"), str.maketrans("013457@$", "oleastas"))
_PART = "|".join(sorted((*NUMBER_WORDS, *ELIDED), key=len, reverse=True))
_GLUED = re.compile(rf"(?:{_PART}){{4,}}")
_WHOLE = re.compile(rf"(?:{_PART}){{2,}}")
_ONE = re.compile(_PART)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenNumber:
    """One number: where it stands, its digits, and how many words said it (0: it is written in digits). `fillers` and
    `others` are the words between it and the number before."""

    start: int
    end: int
    digits: str
    words: int
    fillers: int = 0
    others: int = 0


def spelled_runs(text: str) -> Iterator[str]:
    """Each stretch whose number words are as many digits as a number of a person's. Pure; some 2 µs a word."""
    numbers = spoken_numbers(text)
    tight = _runs(numbers, lambda one: not one.others)
    loose = _runs(numbers, lambda one: one.others <= _LOOSE_GAP)
    spans = [_span(run) for run in tight if _is_long(run, MIN_DIGITS, MIN_WORDS) or _dials(run)]
    for run in loose:
        start, end = _span(run)
        long = len(run) >= _LOOSE_PIECES and _is_long(run, _LOOSE_DIGITS, _LOOSE_WORDS)
        if long and not any(start <= at < end for at, _ in spans):
            spans.append((start, end))
    for start, end in sorted(spans):
        yield text[start:end]


def in_digits(text: str) -> str:
    """The text with digits in the place of the numbers that are said in words."""
    parts, last = list[str](), 0
    for number in spoken_numbers(text):
        parts += [text[last : number.start], number.digits]
        last = number.end
    return "".join(parts) + text[last:]


def are_prices_or_counts(groups: Sequence[str]) -> bool:
    """Prices in a row (700, 800, 950), or a list (7, 8, 9)."""
    prices = all(len(group) > 1 and group[-1] in "05" for group in groups)
    counts = all(int(after) - int(before) == 1 for before, after in pairwise(groups))
    return prices or counts


def spoken_numbers(text: str) -> list[SpokenNumber]:
    """Every number that is said or written, in order; a figure of more than five digits is a word like any other."""
    reader = _Reader()
    for match in _TOKEN.finditer(text):
        reader.read(match.group(), match.start())
    return reader.ended()


def _runs(numbers: Sequence[SpokenNumber], follows: Callable[[SpokenNumber], bool]) -> list[list[SpokenNumber]]:
    runs = list[list[SpokenNumber]]()
    for number in numbers:
        if runs and follows(number):
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _span(run: Sequence[SpokenNumber]) -> tuple[int, int]:
    return run[0].start, run[-1].end


def _is_long(run: Sequence[SpokenNumber], digits: int, words: int) -> bool:
    groups = [number.digits for number in run]
    enough = sum(map(len, groups)) >= digits and sum(number.words for number in run) >= words
    return enough and (any(len(group) >= _MAX_PRICE for group in groups) or not are_prices_or_counts(groups))


def _dials(run: Sequence[SpokenNumber]) -> bool:
    """Tell whether numbers beside each other, of which a word says one at least, are the number of a phone together."""
    for first in range(len(run)):
        joined, words = "", 0
        for last, one in enumerate(run[first : first + _MAX_DIALLED]):
            joined, words = joined + one.digits, words + one.words
            groups = [each.digits for each in run[first : first + last + 1]]
            if last and words and PHONE.fullmatch(joined) and not are_prices_or_counts(groups):
                return True
    return False


@dataclass(slots=True, kw_only=True)
class _Number:
    """A number while it is read: `base` + `last` so far. `room` is below which power more may be added; `pending`: a
    count follows (mia saba)."""

    start: int
    end: int
    kind: NumberKind
    last: int
    room: int
    fillers: int
    others: int
    base: int = 0
    words: int = 1
    pending: bool = False

    def extended(self, kind: NumberKind, value: int, *, joined: bool) -> bool:
        """Tell whether this word belongs to it; then it is added."""
        match kind:
            case NumberKind.UNIT if self.pending and value:
                self.last, self.pending = self.last * value, False
            case NumberKind.UNIT if value and self.room >= 10 and (self.kind is not NumberKind.TEEN or joined):
                self._add(value, room=0)
            case NumberKind.TEEN | NumberKind.TEN if self.room >= 100:
                self._add(value, room=_room(kind, value))
            case NumberKind.HUNDRED if self.kind is NumberKind.UNIT and 0 < self.last < 10 and not self.base % 1000:
                self.last, self.room = self.last * 100, 100
            case NumberKind.THOUSAND if 0 < self._value % 1_000_000 < 1000:
                low = self._value % 1_000_000
                self.base, self.last, self.room = self._value - low + low * 1000, 0, 1000
            case NumberKind.MILLION if 0 < self._value < 1000:
                self.base, self.last, self.room = self._value * 1_000_000, 0, 1_000_000
            case NumberKind.HUNDRED_FIRST if self.room >= 1000:
                self._add(value, room=100)
                self.pending = True
            case _:
                return False
        self.kind, self.words = kind, self.words + 1
        return True

    @property
    def _value(self) -> int:
        return self.base + self.last

    def _add(self, value: int, *, room: int) -> None:
        self.base, self.last, self.room, self.pending = self.base + self.last, value, room, False


def _room(kind: NumberKind, value: int) -> int:
    """The room for the next number word: a unit after tens (and after kumi), tens after a hundred, a hundred after a
    thousand."""
    match kind:
        case NumberKind.TEN:
            return 10
        case NumberKind.TEEN:
            return 10 if value == 10 else 0
        case NumberKind.HUNDRED | NumberKind.HUNDRED_FIRST:
            return 100
        case NumberKind.THOUSAND | NumberKind.THOUSAND_FIRST:
            return 1000
        case NumberKind.MILLION:
            return 1_000_000
        case _:
            return 0


class _Reader:
    """Reads one word after the other."""

    def __init__(self) -> None:
        self._numbers = list[SpokenNumber]()
        self._open: _Number | None = None
        self._fillers = self._others = 0
        self._joined = False
        self._repeat: tuple[int, int] | None = None  # (how often, where it was said)

    def read(self, token: str, at: int) -> None:
        word = _plain(token[:_MAX_TOKEN])
        if word.isdigit() and len(word) <= _MAX_FIGURE:
            self._store(start=at, end=at + len(token), digits=word, words=0)
        elif word in REPEATS:
            self._close()
            self._repeat = (REPEATS[word], at)
        elif parts := _parts(word):
            for start, end, (kind, value) in parts:
                self._number(kind, value, at + start, at + min(end, len(token)))
        elif word in FILLERS:
            self._joined = word in JOINS
            self._fillers += 1
        else:
            self._close()
            self._others, self._repeat = self._others + 1, None

    def ended(self) -> list[SpokenNumber]:
        self._close()
        return self._numbers

    def _number(self, kind: NumberKind, value: int, start: int, end: int) -> None:
        adjoins = not self._others and self._fillers <= self._joined and self._repeat is None
        if self._open is not None and adjoins and self._open.extended(kind, value, joined=self._joined):
            self._open.end, self._fillers, self._joined = end, 0, False
        elif self._repeat is not None and kind is NumberKind.UNIT:
            times, start = self._repeat
            self._store(start=start, end=end, digits=str(value) * times, words=1)
        else:
            self._close()
            pending = kind in (NumberKind.HUNDRED_FIRST, NumberKind.THOUSAND_FIRST, NumberKind.MILLION)
            self._open = _Number(
                start=start,
                end=end,
                kind=kind,
                last=value,
                room=_room(kind, value),
                fillers=self._fillers,
                others=self._others,
                pending=pending,
            )
            self._forget()

    def _store(self, *, start: int, end: int, digits: str, words: int) -> None:
        self._close()
        self._numbers.append(
            SpokenNumber(start=start, end=end, digits=digits, words=words, fillers=self._fillers, others=self._others)
        )
        self._forget()

    def _close(self) -> None:
        if (one := self._open) is not None:
            self._open = None
            self._numbers.append(
                SpokenNumber(
                    start=one.start,
                    end=one.end,
                    digits=str(one.base + one.last),
                    words=one.words,
                    fillers=one.fillers,
                    others=one.others,
                )
            )

    def _forget(self) -> None:
        self._fillers = self._others = 0
        self._joined, self._repeat = False, None


@lru_cache(maxsize=4096)
def _parts(word: str) -> tuple[tuple[int, int, NumberWord], ...]:
    """(start, end, number word) of each in a word; nothing where it is no number."""
    if (known := NUMBER_WORDS.get(word)) is not None:
        return ((0, len(word), known),)
    if not word.isalpha():
        for letters in _LETTERS_FOR:
            if (read := word.translate(letters)) != word and read.isalpha() and (parts := _parts(read)):
                return parts
        return ()
    whole = _WHOLE.fullmatch(word)
    if whole is not None or word in ELIDED:
        return tuple(_split(word, 0))
    if glued := _GLUED.search(word):
        return tuple(_split(glued.group(), glued.start()))
    return ()


def _split(word: str, offset: int) -> Iterator[tuple[int, int, NumberWord]]:
    for match in _ONE.finditer(word):
        start, end = offset + match.start(), offset + match.end()
        if (elided := ELIDED.get(match.group())) is not None:
            yield start, end, (NumberKind.TEN, elided[0])
            yield start, end, (NumberKind.UNIT, elided[1])
        else:
            yield start, end, NUMBER_WORDS[match.group()]


def _plain(token: str) -> str:
    """Return the token in small letters, without accents: ventitré becomes ventitre."""
    if token.isascii():
        return token.lower()
    plain = unicodedata.normalize("NFKD", token.casefold())
    return "".join(one for one in plain if not unicodedata.combining(one))

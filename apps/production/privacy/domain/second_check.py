"""A second look at text that was masked, by other code than the floor: what may still tell who somebody is.

The floor knows shapes of numbers and listed names; it leaves numbers said in words, digits in pieces and names in other
letters (docs/adr/0015). Each rule here joins what people take apart and reads it again. What is found is shown to a
person and blocks until somebody clears it; nothing is changed here.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, pairwise

from apps.core.figure_shapes import SPANS, find_amounts
from apps.core.redaction import MASKED, normalised
from apps.production.privacy.domain.verbalised_numbers import PHONE, are_prices_or_counts, in_digits, spelled_runs

MAX_HITS = 20  # of one conversation: more of them say nothing new
PIECES = " … "  # between the pieces of a number over messages, in its quote
MAX_QUOTE = 200  # a longer one is cut, and its whole text is masked where nobody looks
_READ_STRETCH = 5_000  # nobody writes one number longer
_MAX_GROUPS = 10
_MIN_POSSIBLE = 9


class ResidueKind(StrEnum):
    """The kinds of personal words that masking may have left."""

    DIGITS = "digits"
    SPELLED = "spelled"
    ACROSS_TURNS = "across_turns"
    NAME = "name"
    EMAIL = "email"


@dataclass(frozen=True, slots=True, kw_only=True)
class Residue:
    """Something that may be personal: in which text (its place in what was given, from 0), and the words."""

    kind: ResidueKind
    turn: int
    quote: str


# Digits with anything but letters between them, a few signs at most.
_STRETCH = re.compile(r"\d(?:(?:%2\d|[\W_]){0,5}\d){8,}")
_WITH_LETTERS = re.compile(r"\b(?=[OoIlBSZ]*\d)[\dOoIlBSZ]{2,}\b")  # letters that look like digits, beside some
_DIGITS = str.maketrans("OoIlBSZ", "0011852")
_ESCAPED = re.compile(r"%2\d")  # a blank or a sign, as an address writes it
_TAX_CODE = re.compile(r"\b[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]\b", re.I)  # codice fiscale
_DIALLED = re.compile(r"(?:0|(?:00)?254)[17]\d{8}")
_MAX_LONG_PIECES, _MAX_PIECES = 6, 14  # of one number over messages: of two digits and more, and single ones too
_FIGURES = re.compile("|".join(SPANS))
_ORDER = re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b|\b(?=[A-Z0-9]*\d)[A-Z]{2}[A-Z0-9]{8}\b")
_LETTERS = re.compile(r"[^\W\d_]+")
_NAMELIKE = re.compile(r"[^\W\d_](?:[^\W_]|[@$](?=[^\W_]))*")
_SIGNS = str.maketrans("@$01345", "asoieas")
_CYRILLIC = str.maketrans(
    {
        **dict(zip("абвгдезийклмнопрстуфхы", "abvgdeziiklmnoprstufhy", strict=True)),
        "ж": "zh",
        "ч": "ch",
        "ш": "sh",
        "ц": "ts",
        "ю": "yu",
        "я": "ya",
        "ь": "",
        "ъ": "",
        "э": "e",
        "ё": "e",
    }
)
_LONG_NAME, _ENDING = 5, 2  # letters
_TWO_PARTS = re.compile(r"(?<!\w)([^\W\d_]{2,20})[ .·*_-]{1,2}(?=([^\W\d_]{2,20})(?!\w))")
_SPACED = re.compile(r"(?<!\w)[^\W\d_](?:[ .·*_-]{1,2}[^\W\d_]){2,}(?!\w)")
_MAIL = re.compile(
    r"[\w.+-]{1,64}\s{0,2}(?:\(at\)|\[at\]|\{at\}| at | chiocciola |@)\s{0,2}[\w-]{2,40}"
    r"\s{0,2}(?:\(dot\)|\[dot\]| dot | nukta | punto |\.)\s{0,2}(?:com|co|org|net|ke|it|io|africa)\b",
    re.I,
)


def residues(texts: Sequence[str], *, speakers: Sequence[str] = (), names: Iterable[str] = ()) -> tuple[Residue, ...]:
    """The personal words that may be left in masked texts, at most MAX_HITS. `speakers` say whose each text is: pieces
    of a number are joined over the texts of one speaker. `names` are those that should be gone. Pure; some 0.1 ms a
    kilobyte."""
    folded_names = _folded_names(names)
    hits = list[Residue]()
    for turn, text in enumerate(texts):
        plain = _without_masked(normalised(text))
        for kind, quotes in _rules(plain, folded_names).items():
            hits += (Residue(kind=kind, turn=turn, quote=quote[:MAX_QUOTE]) for quote in quotes)
    hits += _across(texts, speakers or [""] * len(texts))
    unique = {(hit.kind, hit.turn, hit.quote): hit for hit in hits}
    return tuple(sorted(unique.values(), key=lambda one: one.turn))[:MAX_HITS]


def _rules(plain: str, wanted: frozenset[str]) -> Mapping[ResidueKind, Iterator[str]]:
    return {
        ResidueKind.DIGITS: chain(_joined_digits(plain), _possible_phones(plain)),
        ResidueKind.SPELLED: spelled_runs(plain),
        ResidueKind.NAME: _names_in(plain, wanted),
        ResidueKind.EMAIL: (match.group() for match in _MAIL.finditer(plain)),
    }


def _without_masked(text: str) -> str:
    """The text with a letter in the place of what is masked, of money, dates and order ids: none of it is joined."""
    text = MASKED.sub(" x ", text)
    text = _ORDER.sub(" x ", text)
    parts, last = list[str](), 0
    for start, end in find_amounts(text):
        parts += [text[last:start], " x "]
        last = end
    return _FIGURES.sub(" x ", "".join(parts) + text[last:])


def _possible_phones(plain: str) -> Iterator[str]:
    """Yield the digits that could be a phone number of any country by their length alone.

    The masking floor masks valid numbers only, and keeps the rest.
    """
    import phonenumbers  # noqa: PLC0415 - heavy, and only texts with so many digits ask it

    if sum(map(str.isdigit, plain[:_READ_STRETCH])) < _MIN_POSSIBLE:
        return
    phone_matches = phonenumbers.PhoneNumberMatcher(plain[:_READ_STRETCH], "KE", phonenumbers.Leniency.POSSIBLE)
    for match in phone_matches:
        groups = re.findall(r"\d+", match.raw_string)
        if sum(map(len, groups)) >= _MIN_POSSIBLE and len(groups) > 1 and not are_prices_or_counts(groups):
            yield match.raw_string


def _joined_digits(plain: str) -> Iterator[str]:
    read = _WITH_LETTERS.sub(lambda found: found.group().translate(_DIGITS), plain)
    for match in _STRETCH.finditer(read):
        groups = re.findall(r"\d+", _ESCAPED.sub(" ", match.group()[:_READ_STRETCH]))
        abroad = read[max(0, match.start() - 1) : match.start()] == "+"  # as numbers of all countries begin
        if (abroad and 10 <= sum(map(len, groups)) <= 15) or any(map(_is_phone, _windows(groups))):
            yield plain[slice(*match.span())][:MAX_QUOTE]
    yield from (match.group() for match in _TAX_CODE.finditer(plain))


def _windows(groups: Sequence[str]) -> Iterator[Sequence[str]]:
    for first in range(len(groups)):
        for last in range(first + 2, min(len(groups), first + _MAX_GROUPS) + 1):
            yield groups[first:last]


def _is_phone(groups: Sequence[str]) -> bool:
    """Pieces that make a number of a phone together; prices in a row (700, 800, 950) and a list (7, 8, 9) do not."""
    return PHONE.fullmatch("".join(groups)) is not None and not are_prices_or_counts(groups)


def _across(texts: Sequence[str], speakers: Sequence[str]) -> Iterator[Residue]:
    """A number in pieces over several short messages of one speaker, in digits or in words. Single digits make one only
    where it begins as numbers are dialled: answers to a menu do not."""
    pieces: dict[str, list[tuple[int, str]]] = {}
    for turn, (text, speaker) in enumerate(zip(texts, speakers, strict=True)):
        plain = _as_digits(text) if len(text) <= 200 else "x"
        digits = re.sub(r"\D", "", plain)
        letters = sum(map(len, _LETTERS.findall(plain)))
        if not (1 <= len(digits) <= 9 and letters <= 30):
            pieces.pop(speaker, None)
            continue
        so_far = pieces.setdefault(speaker, [])
        so_far.append((turn, digits))
        if (length := _number_at_the_end([digits for _, digits in so_far[-_MAX_PIECES:]])) is not None:
            quote = PIECES.join(digits for _, digits in so_far[-length:])
            yield Residue(kind=ResidueKind.ACROSS_TURNS, turn=turn, quote=quote)


def digits_said(text: str) -> str:
    """The digits of a message, written or in words, without what is masked, money and dates."""
    return re.sub(r"\D", "", _as_digits(text))


def _as_digits(text: str) -> str:
    return in_digits(_without_masked(normalised(text)))


def _number_at_the_end(pieces: Sequence[str]) -> int | None:
    """Count the last pieces that together make a phone number; None where they make none."""
    joined = ""
    for count, part in enumerate(reversed(pieces), start=1):
        joined = part + joined
        of_pieces = all(len(piece) > 1 for piece in pieces[-count:]) and count <= _MAX_LONG_PIECES
        if count > 1 and (PHONE if of_pieces else _DIALLED).fullmatch(joined):
            return count
    return None


def names_written_otherwise(text: str, names: Iterable[str]) -> list[str]:
    """Return the words of a text that are one of these names, written otherwise.

    They are without accents, in Cyrillic, with signs for letters, letter by letter or in two parts. Pure.
    """
    folded_names = _folded_names(names)
    if not folded_names:
        return []
    plain = MASKED.sub(" x ", normalised(text))
    letters = "".join(filter(str.isalpha, _folded(plain.lower().translate(_CYRILLIC).translate(_SIGNS))))
    heard = _as_spoken(letters)
    near = frozenset(name for name in folded_names if name in letters or name in heard)  # most texts hold none
    return list(_names_in(_without_masked(plain), near)) if near else []


def name_forms(text: str) -> frozenset[str]:
    """The names that the words of a text may stand for, in small letters without accents; two neighbours joined count
    too. Pure."""
    words = [match.group() for match in _NAMELIKE.finditer(normalised(text))]
    forms = {_folded(word.lower().translate(_CYRILLIC).translate(_SIGNS)) for word in words}
    forms |= {_as_spoken(form) for form in forms}
    joined = (_folded(one + other) for one, other in pairwise(words))
    spaced = (_folded("".join(_LETTERS.findall(match.group()))) for match in _SPACED.finditer(normalised(text)))
    return frozenset({*forms, *(_folded(word) for word in words), *joined, *spaced})


def _names_in(plain: str, wanted: frozenset[str]) -> Iterator[str]:
    if not wanted:
        return
    known: dict[str, bool] = {}
    for match in _NAMELIKE.finditer(plain):
        word = match.group()
        if word not in known:
            known[word] = any(_holds_name(part, wanted) for part in {word, *_LETTERS.findall(word)})
        if known[word]:
            yield word
    for two_parts in _TWO_PARTS.finditer(plain):
        joined = _folded(two_parts.group(1) + two_parts.group(2))
        if len(joined) >= _LONG_NAME and joined in wanted:
            yield plain[two_parts.start() : two_parts.end(2)]
    for two_parts in _SPACED.finditer(plain):
        if _folded("".join(_LETTERS.findall(two_parts.group()))) in wanted:
            yield two_parts.group()


def _holds_name(word: str, wanted: frozenset[str]) -> bool:
    """Tell whether a name is there by itself, or written otherwise.

    It is in Cyrillic, with signs in the place of letters, two joined (`aminawanjiku`), or with an ending (`Wanjikuni`).
    A longer word that begins like a name (`graceful`) holds none.
    """
    read = _folded(word.lower().translate(_CYRILLIC).translate(_SIGNS)).strip("_")
    for part in {read, _as_spoken(read), _folded(word)}:
        for name in wanted:
            before, middle, after = part.partition(name)
            rest = before + after
            if middle and (
                not rest or rest in wanted or (len(name) >= _LONG_NAME and not before and len(rest) <= _ENDING)
            ):
                return True
    return False


def _as_spoken(read: str) -> str:
    """Write what Cyrillic letters sound like as Latin letters write it: vandzhiku is wanjiku."""
    return read.replace("dzh", "j").replace("v", "w")


def _folded_names(names: Iterable[str]) -> frozenset[str]:
    parts = {_folded(part) for name in names for part in _LETTERS.findall(normalised(name))}
    return frozenset(part for part in parts if len(part) >= 3)


def _folded(word: str) -> str:
    """Return the word without accents and case: Ngũgĩ is ngugi."""
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(one for one in plain if not unicodedata.combining(one))

"""The masking floor: what never reaches a log, a judge's reason or a promoted conversation in clear (docs/adr/0015).

Phones keep country code, first digit and the last three; names, e-mails, WhatsApp ids, KRA PINs and every run of six or
more digits become tokens; amounts, dates, M-Pesa receipts and order GUIDs stay, because people need them to find a
payment. It is a floor: words for numbers, a phone split over two turns and names nobody listed pass (measured in the
tests). Masking twice changes nothing, and time grows with the length of the text, not with its contents.
"""

import hashlib
import hmac
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from apps.core.figure_shapes import SPANS, find_amounts
from apps.core.listed_names import listed_names
from apps.core.phone_masking import PhoneHit, find_grouped_numbers, find_international, find_phones

Hit = PhoneHit  # (start, end, replacement)
_Finder = Callable[[str], Iterator[Hit]]
_Piece = tuple[int, int, str | None]  # start, end and what stands there instead; None has not been settled yet
_AS_WRITTEN = ""

_MIN_DIGITS = 6  # the shortest run the floor masks
_MIN_NAME = 3  # shorter parts of names are mostly particles and initials
_MAX_PASSES = 6
_MAX_LOCAL_PART = 64  # RFC 5321 §4.5.3.1.1

_INVISIBLE = dict.fromkeys([0x00AD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF])
MASKED = re.compile(r"<(?:name|number|email|kra_pin|wa_user|wamid|secret)>|\+\d{1,3} \d\*{0,2}(?: \*{3})+ \d{3}(?!\d)")
_WAMID = re.compile(r"\bwamid\.[\w+/=-]+", re.ASCII)
_WA_USER = re.compile(r"\b[A-Z]{2}\.(?:ENT\.)?(?=[A-Za-z]{0,127}\d)[A-Za-z0-9]{8,128}\b")
_DOMAIN = re.compile(r"@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}\b")
_KRA = re.compile(r"(?<![A-Za-z0-9])[AaPp]\d{9}[A-Za-z](?![A-Za-z0-9])")
# Six digits with at most some signs between them: what has none (a reply full of single scores) can hold no number.
_CLOSE = re.compile(r"\d(?:[\W_]{0,6}\d){5}")
_RUN = re.compile(r"\d{6,}+")
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_NAMES = re.compile(r"<name>(?:\s+<name>)+")

_VERBATIM = re.compile(
    "|".join(
        (
            r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b",  # GUIDs: order tracking ids
            *SPANS,
            # M-Pesa receipts: ten capitals and digits, two letters first, six digits in a row only by `_find_receipts`.
            r"(?<![A-Za-z0-9])(?=[A-Z]{2}[A-Z0-9]{8}(?![A-Za-z0-9]))(?=[A-Z]{2,9}\d)(?![A-Z0-9]{0,4}\d{6})[A-Z0-9]{10}",
        )
    )
)
# An M-Pesa receipt with six digits in a row: year, month and day as its letters write them, and a word beside it that
# says so. TEL5552671 and PH71234567 have the form too: what stands for a phone, a reference or a PIN is none.
_RECEIPT = re.compile(r"(?<![A-Za-z0-9])(?!TEL|PH|REF|PIN|SIM|WA)[N-Z][A-L][1-9A-V][A-Z0-9]{7}(?![A-Za-z0-9])")
_RECEIPT_WORD_BEFORE = re.compile(
    r"(?i)(?<![^\W_])(?:m-?pesa|receipt|transaction|risiti|muamala|confirmation code)"
    r"(?:[\s:#.(-]{1,3}(?:code|id|no|number|ref|reference|is|was|ni|ya|namba|nambari))*[\s:#.(-]{0,3}$"
)
_RECEIPT_WORD_AFTER = re.compile(r"(?i)[\s.,:]{1,3}(?:confirmed|imethibitishwa)(?![^\W_])")
_MAX_RECEIPT_WORDS = 60  # characters that are looked at before a receipt


def _folding() -> dict[int, str]:
    """Return the table that folds signs which people put between digits, one for one.

    Dashes and minus become `-`, middots `.`, bars `|` (NFKC has folded the wide and small forms before).
    """
    folding = {code: "-" for code in range(0x0580, 0x3100) if unicodedata.category(chr(code)) == "Pd"}
    folding |= dict.fromkeys([0x02D7, 0x2043, 0x2212, 0x30FC], "-")
    folding |= dict.fromkeys([0x00B7, 0x0387, 0x2022, 0x2024, 0x2027, 0x2219, 0x22C5, 0x30FB], ".")
    folding |= dict.fromkeys([0x00A6, 0x2016, 0x2223, 0x2502, 0x2503], "|")
    folding |= dict.fromkeys([0x203F, 0x2040, 0x2054], "_")
    return folding | {0x2044: "/", 0x2215: "/", 0x2236: ":", 0xA789: ":"}


_FOLDED = _folding()


def redact(text: str, *, names: Iterable[str] = ()) -> str:
    """The text with the floor applied. `names` are full names of the people of this conversation; each part of three
    letters and more is masked as a whole word, in any case, with or without accents; so are those of the tenant's
    identity list.

    NFKC-normalised, invisible characters dropped, all digits ASCII. Idempotent. Never raises. A text with fewer than
    six digits, no @ and no names costs about a microsecond, a chat message with a phone number about 0.2 ms.
    """
    own = (names,) if isinstance(names, str) else tuple(names)
    parts = _name_parts(own + listed_names())
    text = normalised(text)
    for _ in range(_MAX_PASSES):
        if not _may_hold_something(text, parts):
            return text
        masked = _one_pass(text, parts)
        if masked == text:
            return text
        text = masked
    return text


def redact_value(value: Any, *, names: Iterable[str] = ()) -> Any:
    """A JSON value with every text in it redacted, keys too, and whole numbers of nine digits and more as well.

    Apply it before serialising: masking JSON text can break it.
    """
    listed = (names,) if isinstance(names, str) else tuple(names)
    if isinstance(value, str):
        return redact(value, names=listed)
    if isinstance(value, Mapping):
        masked: dict[Any, Any] = {}
        for key, item in value.items():
            shown = redact(key, names=listed) if isinstance(key, str) else key
            while shown in masked:  # two keys that masking made the same stay two
                shown = f"{shown} *"
            masked[shown] = redact_value(item, names=listed)
        return masked
    if isinstance(value, (list, tuple)):
        return [redact_value(item, names=listed) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**8:
        return redact(str(value))
    return value


def hash_arguments(args: Any, *, key: bytes | str | None = None) -> str:
    """64 hex digits for a tool call's arguments: HMAC-SHA256 with a tenant's key, plain SHA-256 without one.

    Use the key: there are only about 10^8 Kenyan mobile numbers, so a plain hash of one can be looked up.
    """
    text = json.dumps(args, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
    if key is None:
        return hashlib.sha256(text).hexdigest()
    secret = key.encode() if isinstance(key, str) else key
    return hmac.new(secret, text, hashlib.sha256).hexdigest()


def normalised(text: str) -> str:
    """NFKC, without invisible signs, digits in ASCII: the text as `redact` reads it. Idempotent."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text).translate(_INVISIBLE)
    if text.isascii():
        return text
    # Dropping a sign can bring a letter and its accent together: compose again, so that a second run changes nothing.
    text = "".join(str(unicodedata.digit(char)) if char.isdigit() else char for char in text)
    return unicodedata.normalize("NFKC", text)


def _may_hold_something(text: str, wanted: frozenset[str]) -> bool:
    if wanted or "@" in text or "wamid." in text:
        return True
    if sum(map(text.count, "0123456789")) >= _MIN_DIGITS and _CLOSE.search(text) is not None:
        return True
    return "." in text and _WA_USER.search(text) is not None


def _one_pass(text: str, wanted: frozenset[str]) -> str:
    # Found in the folded text, which is as long; what is not masked stays as it was written.
    folded = text if text.isascii() else text.translate(_FOLDED)
    pieces: list[_Piece] = [(0, len(text), None)]
    for finder in _FINDERS:
        pieces = [
            part
            for start, end, settled in pieces
            for part in (_split(folded, start, end, finder) if settled is None else [(start, end, settled)])
        ]
    return "".join(_written(text[start:end], settled, wanted) for start, end, settled in pieces)


def _split(text: str, start: int, end: int, finder: _Finder) -> Iterator[_Piece]:
    last = start
    for found_start, found_end, replacement in finder(text[start:end]):
        if start + found_start > last:
            yield last, start + found_start, None
        last = start + found_end
        yield start + found_start, last, replacement
    if last < end:
        yield last, end, None


def _written(text: str, settled: str | None, wanted: frozenset[str]) -> str:
    if settled is None:
        return _without_names(text, wanted) if wanted else text
    return text if settled == _AS_WRITTEN else settled


def _replacing(pattern: re.Pattern[str], token: str | None) -> _Finder:
    """A finder for a pattern; None leaves what was found as it is written."""

    def find(text: str) -> Iterator[Hit]:
        for match in pattern.finditer(text):
            yield match.start(), match.end(), _AS_WRITTEN if token is None else token

    return find


def _find_amounts(text: str) -> Iterator[Hit]:
    for start, end in find_amounts(text):
        yield start, end, _AS_WRITTEN


def _find_receipts(text: str) -> Iterator[Hit]:
    for match in _RECEIPT.finditer(text):
        before = text[max(0, match.start() - _MAX_RECEIPT_WORDS) : match.start()]
        if _RECEIPT_WORD_BEFORE.search(before) or _RECEIPT_WORD_AFTER.match(text, match.end()):
            yield match.start(), match.end(), _AS_WRITTEN


def _find_emails(text: str) -> Iterator[Hit]:
    """Find e-mail addresses from each @ outwards, so that no long word is read twice."""
    last = 0
    for match in _DOMAIN.finditer(text):
        start = match.start()
        floor = max(last, start - _MAX_LOCAL_PART)
        while start > floor and (text[start - 1].isalnum() or text[start - 1] in "._%+-"):
            start -= 1
        if start < match.start():
            yield start, match.end(), "<email>"
            last = match.end()


def _without_names(text: str, wanted: frozenset[str]) -> str:
    def masked(match: re.Match[str]) -> str:
        word = match.group()
        if _plain(word) in wanted:
            return "<name>"
        if "-" not in word and "'" not in word and "’" not in word:
            return word
        return "".join("<name>" if _plain(part) in wanted else part for part in re.split(r"([-'’])", word))

    return _NAMES.sub("<name>", _WORD.sub(masked, text))


def _plain(word: str) -> str:
    """Return the word without case and accents: Wanjikũ becomes wanjiku."""
    if word.isascii():
        return word.lower()
    return "".join(one for one in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(one))


@lru_cache(maxsize=64)
def _name_parts(names: tuple[str, ...]) -> frozenset[str]:
    parts: set[str] = set()
    for name in names:
        for word in _WORD.findall(normalised(name)):
            parts.add(_plain(word))
            parts.update(_plain(part) for part in re.split(r"[-'’]", word))
    return frozenset(part for part in parts if len(part) >= _MIN_NAME)


_FINDERS: tuple[_Finder, ...] = (
    _replacing(MASKED, None),
    _replacing(_WAMID, "<wamid>"),
    _replacing(_WA_USER, "<wa_user>"),
    _find_emails,
    find_international,
    _find_amounts,
    _replacing(_VERBATIM, None),
    _find_receipts,
    _replacing(_KRA, "<kra_pin>"),
    find_phones,
    find_grouped_numbers,
    _replacing(_RUN, "<number>"),
)

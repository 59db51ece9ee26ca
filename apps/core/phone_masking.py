"""Finds phone numbers as Kenyans write them and masks all but country code, first digit and the last three."""

import re
from collections.abc import Iterator

import phonenumbers
from phonenumbers import Leniency, NumberParseException, PhoneNumber, PhoneNumberMatcher

PhoneHit = tuple[int, int, str]

_REGION = "KE"
_MIN_DIGITS = 7  # the shortest national number there is in the plan
_MAX_STRETCH = 250  # characters of one number-like stretch; nobody writes a phone longer, and scanners slow down

# A stretch of digits with what may stand between them. Letters end it, so words are never handed to the library.
_STRETCH = re.compile(r"[+(\[]{0,3}\d[\d\s().\-–/+*~,;:#\[\]]*+")
# What the library leaves out: the 00 prefix (Kenya's own is 000), a number between digits and letters, three groups.
_INTERNATIONAL = re.compile(
    r"(?<![\d*])(?:\+|00)?254[\s().-]{0,3}0?[\s().-]{0,3}(?P<nsn>[17]\d(?:[\s().-]?\d){7})(?!\d)"
)
_GROUPS = re.compile(r"(?<![\d*.,])0?(?P<nsn>[17]\d\d[\s.-]\d{3}[\s.-]\d{3})(?!\d)")
_LOOKALIKE = re.compile(r"(?<![\w+])(?:\+?254|[0Oo])[\dOoIl]{9}(?!\w)")
_LETTERS = str.maketrans("OoIl", "0011")


def find_phones(text: str) -> Iterator[PhoneHit]:
    """(start, end, masked) of each phone number, in order. Valid numbers only; linear in the length of the text."""
    if sum(map(text.count, "0123456789")) < _MIN_DIGITS:
        return
    hits = sorted(_by_library(text) + _by_shape(text), key=lambda hit: (hit[0], -hit[1]))
    last = 0
    for hit in hits:
        if hit[0] >= last:
            yield hit
            last = hit[1]


def _by_library(text: str) -> list[PhoneHit]:
    hits: list[PhoneHit] = []
    for stretch in _STRETCH.finditer(text):
        start, end = stretch.span()
        if not _MIN_DIGITS <= sum(char.isdigit() for char in stretch.group()[: _MAX_STRETCH + 1]) <= _MAX_STRETCH:
            continue
        if end - start > _MAX_STRETCH:
            continue  # the digit floor masks it
        # One character either side: the library refuses a number that is glued to a letter.
        left = max(0, start - 1)
        for match in PhoneNumberMatcher(text[left : end + 1], _REGION, leniency=Leniency.VALID):
            hits.append((left + match.start, left + match.end, mask_number(match.number)))
    return hits


def _by_shape(text: str) -> list[PhoneHit]:
    hits: list[PhoneHit] = []
    for pattern in (_INTERNATIONAL, _GROUPS):
        for match in pattern.finditer(text):
            hits.append((match.start(), match.end(), _mask_kenyan(match["nsn"])))
    for match in _LOOKALIKE.finditer(text):
        digits = match.group().translate(_LETTERS)
        if digits != match.group() and sum(char.isdigit() for char in match.group()) >= _MIN_DIGITS:
            masked = _mask_kenyan(digits[-9:])
            if masked != "<number>":
                hits.append((match.start(), match.end(), masked))
    return hits


def _mask_kenyan(nsn: str) -> str:
    digits = "".join(char for char in nsn if char.isdigit())
    try:
        number = phonenumbers.parse(f"+254{digits}")
    except NumberParseException:
        return "<number>"
    return mask_number(number) if phonenumbers.is_valid_number(number) else "<number>"


def mask_number(number: PhoneNumber) -> str:
    """`+254 7** *** 678`: country code, first digit and the last three, in groups of three from the right."""
    national = phonenumbers.national_significant_number(number)
    if len(national) < 7:
        return "<number>"  # too short for hiding the middle to hide anything
    stars = national[0] + "*" * (len(national) - 4) + national[-3:]
    head = len(stars) % 3 or 3
    groups = [stars[:head], *(stars[place : place + 3] for place in range(head, len(stars), 3))]
    return f"+{number.country_code} " + " ".join(groups)

"""Finds phone numbers and masks all but country code, first digit and the last three.

Written for text in which dashes are `-`, middots `.` and decimal digits ASCII (apps.core.redaction folds them).
A number that names its country, and a Kenyan number written as Kenyans write it, keep their country code; every other
number in groups becomes `<number>`: `(415) 555-2671` may be anybody's.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from phonenumbers import PhoneNumber

PhoneHit = tuple[int, int, str]

_REGION = "KE"
_MIN_DIGITS = 7  # the shortest national number there is in most plans
_LONG = 9  # so many digits in groups are no price and no count
_MAX_PHONE_CHARS = 30
_MAX_STRETCH = 250  # characters of one number-like stretch; nobody writes a phone longer, and scanners slow down

# A stretch of digits with what may stand between them. Letters end it, so words are never handed to the library.
_STRETCH = re.compile(r"[+(\[]{0,3}\d[\d\s().\-/+*~,;:#_|\[\]]*+")
_UNUSUAL = str.maketrans(":_|", "---")  # signs between digits that the library does not know
# What the library leaves out: the 00 prefix (Kenya's own is 000), a number between digits and letters, three groups.
_INTERNATIONAL = re.compile(
    r"(?<![\d*])(?:\+|00)?254[\s().:_|-]{0,3}0?[\s().:_|-]{0,3}(?P<nsn>[17]\d(?:[\s().:_|-]?\d){7})(?!\d)"
)
_GROUPS = re.compile(r"(?<![\d*.,])0?(?P<nsn>[17]\d\d[\s.:_|-]\d{3}[\s.:_|-]\d{3})(?!\d)")
_LOOKALIKE = re.compile(r"(?<![\w+])(?:\+?254|[0Oo])[\dOoIl]{9}(?!\w)")
_LETTERS = str.maketrans("OoIl", "0011")
# How Kenyans group a national number: mobiles 0712 345678, 0712 345 678, 07 12 34 56 78 and in one piece, landlines
# behind Nairobi's 020. In other groups (050 123 4567, 0412 345 678) it may be valid in Kenya's plan and is not Kenyan.
_MOBILE_GROUPS = frozenset({(10,), (9,), (4, 6), (4, 3, 3), (4, 2, 2, 2), (3, 3, 3), (3, 6)})
_PAIRS = (2, 2, 2, 2, 2)
_NAIROBI = re.compile(r"020[ -]\d{7}")

# Groups of digits with up to three signs between them; brackets only around an area code, so never last.
_AREA = r"\(\d{1,5}\)(?=[ \t.:_|/~-]{0,3}\d)"
_GROUPED = re.compile(rf"(?<![\w*.,/])(?:\+|00)?(?:\d++|{_AREA})(?:[ \t.:_|/~-]{{0,3}}(?:\d++|{_AREA}))++")
_SINGLE_SIGN = re.compile(r"(?<![\d*])\d(?:[ .-]?\d){8,}+")
_DIGITS = re.compile(r"\d+")
_ROUND_RANGE = re.compile(r"[1-9]\d{1,5}0 ?[/-] ?\d{1,5}0")
_THOUSANDS = re.compile(r"(?!0)\d{1,3}(?:([ .])\d{3})(?:\1\d{3})*(?<=000)")


def find_phones(text: str) -> Iterator[PhoneHit]:
    """(start, end, masked) of each phone number whose country is known, in order. Linear in the length of the text."""
    if sum(map(text.count, "0123456789")) < _MIN_DIGITS:
        return
    yield from _without_overlaps(_by_library(text) + _by_shape(text, _INTERNATIONAL, _GROUPS) + _lookalikes(text))


def find_international(text: str) -> Iterator[PhoneHit]:
    """(start, end, masked) of each valid number written with its + and country code: never an amount nor a date."""
    if "+" in text:
        hits = _by_library(text) + _by_shape(text, _INTERNATIONAL)
        yield from _without_overlaps([hit for hit in hits if text[hit[0]] == "+"])


def find_grouped_numbers(text: str) -> Iterator[PhoneHit]:
    """(start, end, "<number>") of each number written in groups that can be a phone of any country, or an account.

    Seven and eight digits where they stand as a local number does (555-2671, 2345 6789, 22 34 56 78), nine and more in
    any groups. A range of round amounts (1500-2000), thousands in groups (12 500 000) and decimals stay.
    """
    hits: list[PhoneHit] = []
    for match in _GROUPED.finditer(text):
        if _is_number(match.group()):
            hits.append((match.start(), match.end(), "<number>"))
    hits += [(match.start(), match.end(), "<number>") for match in _SINGLE_SIGN.finditer(text)]
    yield from _without_overlaps(hits)


def _without_overlaps(hits: list[PhoneHit]) -> Iterator[PhoneHit]:
    last = 0
    for hit in sorted(hits, key=lambda hit: (hit[0], -hit[1])):
        if hit[0] >= last:
            yield hit
            last = hit[1]


def _is_number(written: str) -> bool:
    groups = _DIGITS.findall(written)
    total = sum(map(len, groups))
    if total < _MIN_DIGITS or _THOUSANDS.fullmatch(written):
        return False
    if total >= _LONG:
        return written[0] == "+" or 2 * total >= 3 * len(groups)  # 1/2/3/4/5/6/7/8/9 is a list
    lengths = tuple(map(len, groups))
    if len(groups) == 2 and "." in written:  # 36.821945 is a decimal, 012.34567 and 555.2671 are not
        return lengths in {(3, 4), (3, 5), (4, 4)} or not written[:2].isdigit() or written[0] == "0"
    if len(groups) == 2 and _ROUND_RANGE.fullmatch(written) and int(groups[0]) < int(groups[1]):
        return False
    return len(groups) <= 4 and min(lengths[1:]) >= 2 and (lengths[-1] >= 3 or max(lengths) <= 3)


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
        numbers = _library()
        window = text[left : end + 1].translate(_UNUSUAL)
        for match in numbers.PhoneNumberMatcher(window, _REGION, leniency=numbers.Leniency.VALID):
            if match.number.country_code != 254 or _names_kenya(match.raw_string):
                hits.append((left + match.start, left + match.end, mask_number(match.number)))
    return hits


def _names_kenya(written: str) -> bool:
    """Tell whether a valid Kenyan number is written as one: with 254, or in the groups Kenyans use."""
    groups = _DIGITS.findall(written)
    digits = "".join(groups)
    if digits.startswith(("254", "00254", "000254")):
        return True
    lengths = tuple(map(len, groups))
    if digits.lstrip("0").startswith("7"):
        return lengths in _MOBILE_GROUPS or lengths == _PAIRS
    if digits.lstrip("0").startswith("1"):
        return lengths in _MOBILE_GROUPS
    return _NAIROBI.fullmatch(written) is not None


def _by_shape(text: str, *patterns: re.Pattern[str]) -> list[PhoneHit]:
    return [
        (match.start(), match.end(), _mask_kenyan(match["nsn"]))
        for pattern in patterns
        for match in pattern.finditer(text)
    ]


def _lookalikes(text: str) -> list[PhoneHit]:
    hits: list[PhoneHit] = []
    for match in _LOOKALIKE.finditer(text):
        digits = match.group().translate(_LETTERS)
        if digits != match.group() and sum(char.isdigit() for char in match.group()) >= _MIN_DIGITS:
            masked = _mask_kenyan(digits[-9:])
            if masked != "<number>":
                hits.append((match.start(), match.end(), masked))
    return hits


def _mask_kenyan(nsn: str) -> str:
    digits = "".join(char for char in nsn if char.isdigit())
    numbers = _library()
    try:
        number = numbers.parse(f"+254{digits}")
    except numbers.NumberParseException:
        return "<number>"
    return mask_number(number) if numbers.is_valid_number(number) else "<number>"


def whole_phone(text: str) -> str | None:
    """The number in E.164 where the whole text is one valid phone (+254 712…, 00254…, 0712…), else None."""
    if len(text) > _MAX_PHONE_CHARS or sum(char.isdigit() for char in text) < _MIN_DIGITS:
        return None
    numbers = _library()
    try:
        number = numbers.parse(re.sub(r"^00(?=[1-9])", "+", text.strip()), _REGION)
    except numbers.NumberParseException:
        return None
    named = text.strip().startswith(("+", "00")) or _names_kenya(text)
    if not named or re.search(r"[^\d\s+().-]", text) or not numbers.is_valid_number(number):
        return None
    return str(numbers.format_number(number, numbers.PhoneNumberFormat.E164))


def mask_number(number: "PhoneNumber") -> str:
    """Mask a number as `+254 7** *** 678`.

    Country code, first digit and the last three stay, in groups of three from the right.
    """
    national = _library().national_significant_number(number)
    if len(national) < 7:
        return "<number>"  # too short for hiding the middle to hide anything
    stars = national[0] + "*" * (len(national) - 4) + national[-3:]
    head = len(stars) % 3 or 3
    groups = [stars[:head], *(stars[place : place + 3] for place in range(head, len(stars), 3))]
    return f"+{number.country_code} " + " ".join(groups)


@cache
def _library() -> Any:
    """phonenumbers, imported at the first number: its tables cost 70 ms that most commands never need."""
    import phonenumbers  # noqa: PLC0415

    return phonenumbers

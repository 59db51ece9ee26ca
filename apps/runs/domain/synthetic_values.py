"""Fill a masked text for playing: its tokens get values of a valid shape that belong to nobody.

A scenario made of a real conversation keeps the tokens of the masking floor (`<name>`, `+254 7** *** 678`). They are
filled here at every playing, by the seed of the conversation: the same token is the same value in all of it.
"""

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from apps.core.redaction import MASKED

FILLS = "synthetic_values"  # the key of a battle's spec that says its texts hold tokens
_NAMES = {
    "it": ("Giulia", "Lorenzo", "Chiara", "Matteo", "Francesca", "Davide", "Elisa", "Riccardo"),
    "": ("Wanjiru", "Achieng", "Mutua", "Njeri", "Kamau", "Otieno", "Halima", "Chebet", "Kiprono", "Atieno", "Muthoni"),
}
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_FILLED = ("persona", "goal", "opening")
_TRIES = 60
# What can be dialled belongs to somebody: Kenyan mobiles are drawn from 0700 0xx xxx, the block of examples.
_KENYAN_MOBILE = re.compile(r"\+254 7\*\* \*\*\* (\d{3})")


def played_spec(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """A battle's frozen spec as it is played: its tokens filled where it says that it has some, itself where not.

    Pure: the same spec is filled the same, by whatever worker, at whatever attempt."""
    if not spec.get(FILLS):
        return spec
    chance = f"{int(spec.get('seed') or 0)}:{spec.get('scenario') or ''}"
    language = str(spec.get("language") or "")
    filled: dict[str, Any] = {
        name: fill(str(spec.get(name) or ""), chance=chance, language=language) for name in _FILLED
    }
    script = dict(spec.get("script") or {})
    if turns := script.get("turns"):
        script["turns"] = [
            {**turn, "say": fill(str(turn["say"]), chance=chance, language=language)} if "say" in turn else turn
            for turn in turns
        ]
        filled["script"] = script
    return {**spec, **filled}


def fill(text: str, *, chance: str, language: str = "") -> str:
    """The text with each token of the masking floor as a value of its shape, the same for the same token and chance.
    A text without tokens stays as it is. Linear."""
    if "<" not in text and "*" not in text:
        return text
    return MASKED.sub(lambda found: _value(found.group(), chance, language.partition("-")[0]), text)


@lru_cache(maxsize=4096)
def _value(token: str, chance: str, language: str) -> str:
    draw = int.from_bytes(hashlib.sha256(f"{chance}:{token}".encode()).digest(), "big")
    match token:
        case "<name>":
            names = _NAMES.get(language, _NAMES[""])
            return names[draw % len(names)]
        case "<email>":
            name = _value("<name>", chance, language)
            return f"{name.lower()}{draw % 90 + 10}@example.com"
        case "<number>":
            return str(10_000_000 + draw % 90_000_000)
        case "<kra_pin>":
            return f"A{draw % 10**9:09d}{_letters(draw // 10**9, 1)}"
        case "<wa_user>":
            return f"KE.{10**15 + draw % (9 * 10**15)}"
        case "<wamid>":
            return f"wamid.{_letters(draw, 24)}"
        case "<secret>":
            return _letters(draw, 8)
        case _:
            return _phone(token, draw)


def _phone(token: str, draw: int) -> str:
    """A number that phone plans accept, of the country, first digit and last three digits that are left."""
    if match := _KENYAN_MOBILE.fullmatch(token):
        return f"+254 700 0{draw % 100:02d} {match[1]}"
    for _ in range(_TRIES):
        number, left = "", draw
        for sign in token:
            left, digit = divmod(left, 10) if sign == "*" else (left, 0)
            number += str(digit) if sign == "*" else sign
        if _is_phone(number):
            return number
        draw = int.from_bytes(hashlib.sha256(str(draw).encode()).digest(), "big")
    return number


def _is_phone(number: str) -> bool:
    import phonenumbers  # noqa: PLC0415 - 23 MB that only masked scenarios need

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(number))
    except phonenumbers.NumberParseException:
        return False


def _letters(draw: int, count: int) -> str:
    letters = ""
    for _ in range(count):
        draw, at = divmod(draw, len(_LETTERS))
        letters += _LETTERS[at]
    return letters

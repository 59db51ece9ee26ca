"""Read a language as fields write it: `sw`, `en-GB`, two tags (`sw-en`), a known name, or `mixed`."""

import re

NAMES = {
    "sw": "sw",
    "swa": "sw",
    "swh": "sw",
    "swahili": "sw",
    "kiswahili": "sw",
    "en": "en",
    "eng": "en",
    "english": "en",
    "it": "it",
    "ita": "it",
    "italian": "it",
    "italiano": "it",
}
MIXED = frozenset({"mixed", "mix", "sheng", "code-mixed", "multi", "mul"})
_SEPARATORS = re.compile(r"[-_/+, ]+")
_TAG = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*")  # of BCP 47 what is in use: language, then subtags


def language_parts(text: str) -> tuple[str, ...]:
    """The parts of a field in lower case: ("sw", "en") for "sw-en"; () for an empty one and for "mixed"."""
    plain = text.strip().lower()
    return () if not plain or plain in MIXED else tuple(_SEPARATORS.split(plain))


def share_a_language(one: str, other: str) -> bool:
    """Tell whether two fields name a language in common; whoever names none, or `mixed`, shares any. Regions are no
    languages: sw-KE and en-KE share none."""
    sides = [_languages(one), _languages(other)]
    return not all(sides) or bool(sides[0] & sides[1])


def _languages(text: str) -> frozenset[str]:
    first, *others = language_parts(text) or ("",)
    named = [NAMES.get(first, first), *(NAMES[part] for part in others if part in NAMES)]
    return frozenset(one for one in named if one)


def is_language(text: str) -> bool:
    """Tell whether a field names languages: each a tag as BCP 47 has them, or a name we know.

    An empty one names none.
    """
    plain = text.strip().lower()
    if plain in MIXED:
        return True
    return bool(plain) and all(
        _TAG.fullmatch(one) or all(part in NAMES for part in re.split("[-_]", one))
        for one in re.split(r"[/+, ]+", plain)
    )

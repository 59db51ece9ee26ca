"""A path as a person reads it: without case, accents, letters that look alike, and what shows nothing."""

import unicodedata

# Of Unicode's confusables the letters that look like a small Latin one, by their small form.
_ALIKE = str.maketrans(
    "аеорсухіјѕһԁԛԝкмтвнгпзьєӏүαορνυικτχηεγωβıɑɡʟɩⅼ",
    "aeopcyxijshdqwkmtbhrnzbelyaopvuiktxnegwbiaglil",
)


def folded(path: str) -> str:
    """The path so written; what looks alike has one form."""
    plain = unicodedata.normalize("NFKD", path).casefold()
    shown = (one for one in plain if not unicodedata.combining(one) and unicodedata.category(one) not in ("Cf", "Cc"))
    return "".join(shown).translate(_ALIKE)

"""What a prompt says to who decodes it: words in entities, spaced letters, look-alike digits, ciphers, base64. Pure.

A person who reads a draft sees nothing of these; a model reads them all. Guards of words look at each reading.
"""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping

_SPACED = re.compile(r"(?<!\w)[^\W\d_](?:[ .·*_-]{1,2}[^\W\d_]){3,}(?!\w)")
_BROKEN = re.compile(r"(?<=\w)-\n\s*(?=\w)")
_MIXED = re.compile(r"(?<!\w)(?=\w*[^\W\d_])(?=\w*\d)\w{3,}")
_MARKS = re.compile(r"[*`~\\]+|(?<![^\W_])_|_(?![^\W_])|</?(?:b|i|em|strong|u|s|del|ins|span|sub|sup|wbr)\b[^<>]*>")
_BETWEEN = re.compile(r"\([^()\n]{0,40}\)|\[[^\[\]\n]{0,40}\]|(?<![\w.,:])\d{1,3}[.):]?(?=\s)")
_DIGITS = str.maketrans("01345789", "oieastbg")
_TOKEN = re.compile(r"(?<![\w+/-])[A-Za-z0-9+/_-]{16,}={0,2}(?![\w+/-])")
_FEWEST_DECODED = 10  # characters: shorter ones are chance


def readings(text: str) -> Iterator[tuple[str, str]]:
    """Each reading that differs from the text, and what it is called."""
    for name, read in _READINGS.items():
        found = read(text)
        if found != text:
            yield name, found


def decoded_tokens(text: str) -> Iterator[tuple[int, int]]:
    """Where base64 stands that decodes to plain words; a long word or a path does not."""
    for found in _TOKEN.finditer(text):
        if _from_base64(found.group()):
            yield found.span()


def _from_base64(token: str) -> str:
    plain = token.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        words = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return words if len(words) >= _FEWEST_DECODED and words.isprintable() else ""


def _without_accents(text: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))


def _joined(text: str) -> str:
    return _SPACED.sub(lambda found: re.sub(r"[\W_]", "", found.group()), text)


def _digits_as_letters(text: str) -> str:
    return _MIXED.sub(lambda found: found.group().translate(_DIGITS), text)


_READINGS: Mapping[str, Callable[[str], str]] = {
    "with its entities read": html.unescape,
    "without its marks": lambda text: _MARKS.sub("", text),
    "without what stands between": lambda text: _BETWEEN.sub(" ", text),
    "without the spaces between its letters": _joined,
    "without its line breaks": lambda text: _BROKEN.sub("", text),
    "without its accents": _without_accents,
    "with its digits read as letters": _digits_as_letters,
    "backwards": lambda text: text[::-1],
    "thirteen letters further": lambda text: codecs.encode(text, "rot13"),
}

"""Find text that a person who reads a draft does not see.

It has characters without a shape, letters that look alike, words in escapes or base64. Pure.
"""

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterator

_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_OVERLAYS = range(0x0334, 0x0339)
_ALIKE = re.compile(r"[^\W\d_]+")
_HEX = r"(?:\\x|\\u00|%|\b0x)"
_ESCAPED = re.compile(
    rf"(?:{_HEX}[0-9a-f]{{2}}[\s,]*){{4,}}|(?:&#(?:x[0-9a-f]{{1,6}}|\d{{1,7}});)+"
    r"|(?<![\w+/-])[a-z0-9+/_-]{16,}={0,2}(?![\w+/-])",
    re.IGNORECASE,
)
_MIN_DECODED = 10  # characters of base64: shorter ones are chance


def hidden_characters(text: str) -> Iterator[tuple[int, str]]:
    """Yield the place of each character that nobody can see, and the character.

    Joiners and selectors behind an emoji are a part of it, so they are not hidden.
    """
    for at, sign in enumerate(text):
        if sign.isascii() and (sign.isprintable() or sign in "\n\r\t"):
            continue
        kind, point = unicodedata.category(sign), ord(sign)
        selects = 0xFE00 <= point <= 0xFE0F or 0xE0100 <= point <= 0xE01EF or point in (0x200C, 0x200D)
        if selects:
            before = text[at - 1] if at else ""
            if before and (unicodedata.category(before) in ("So", "Sk", "Sm", "Mn", "Lo") or before in "0123456789#*"):
                continue
            yield at, sign
        elif kind in ("Cc", "Cf", "Co", "Cn", "Zl", "Zp") or sign in _UNSEEN or point in _OVERLAYS:
            yield at, sign


def two_scripts(text: str) -> Iterator[tuple[int, int]]:
    """Yield the place of each word that mixes Latin letters with Cyrillic or Greek ones."""
    for match in _ALIKE.finditer(text):
        word = match.group()
        if word.isascii():
            continue
        scripts = {unicodedata.name(sign, "").partition(" ")[0] for sign in word}
        if "LATIN" in scripts and scripts & {"CYRILLIC", "GREEK"}:
            yield match.span()


def escaped_words(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places where escapes or base64 stand for letters; a long word, a path and an escaped dash do not."""
    for match in _ESCAPED.finditer(text):
        token = match.group().rstrip(" ,\n")
        if re.search("[A-Za-z]", _decoded(token)):
            yield match.start(), match.start() + len(token)


def _decoded(token: str) -> str:
    if token.startswith("&#"):
        return html.unescape(token)
    escapes = re.findall(rf"{_HEX}([0-9a-f]{{2}})", token, re.IGNORECASE)
    if escapes:
        return bytes.fromhex("".join(escapes)).decode("ascii", errors="ignore")
    plain = token.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        words = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return words if len(words) >= _MIN_DECODED and words.isprintable() else ""

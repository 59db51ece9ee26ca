"""Find words in a message that no customer sees and a model reads.

They are in comments and attributes of markup, of signs without width, encoded. Pure.
"""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from urllib.parse import unquote

_COMMENT = re.compile(
    r"<!--.*?\w.*?(?:-->|$)|^\s*\[(?://|comment|#|\w*)\]:\s*(?:#|<>)"
    r"|<[^>]*\b(?:hidden\b|display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0"
    r"|color\s*:\s*(?:white|transparent|#fff))"
    r"|<(?:script|style|template|noscript|meta|head)\b"
    r"|<\w[^>]*\s(?!(?:class|style|alt|title|aria-label|placeholder)\b)[\w-]+\s*=\s*[\"'][^\"'>]*\w\s+\w+\s+\w[^\"'>]*[\"']",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_TAG_SIGNS = re.compile("[\U000e0020-\U000e007e\U000e0100-\U000e01ef]{7,}")  # longer than a flag
_LETTERS = ("LATIN", "GREEK", "CYRILLIC")  # scripts that need no joiner
_SOFT_HYPHEN = "\xad"
_CODED: tuple[tuple[re.Pattern[str], Callable[[str], bytes]], ...] = (
    (re.compile(r"(?:[0-9a-fA-F]{2}[ :]?){12,}"), lambda text: bytes.fromhex(re.sub(r"[ :]", "", text))),
    (re.compile(r"[A-Z2-7]{24,}=*"), lambda text: base64.b32decode(_padded(text, 8))),
    (
        re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}"),
        lambda text: base64.b64decode(_padded(text.translate(str.maketrans("-_", "+/")), 4)),
    ),
)
_WORD = re.compile(r"[^\W\d_]{2,}")


def hides_words(text: str) -> bool:
    """Tell whether a message says something that is not shown."""
    return bool(
        (("<" in text or "[" in text) and _COMMENT.search(text))
        or (not text.isascii() and (_TAG_SIGNS.search(text) or _parted(text)))
        or any(_decoded(text))
    )


def decoded_texts(text: str) -> Iterator[str]:
    """The other texts that a model can read in it: encoded parts decoded, references and escapes resolved, letters
    turned."""
    yield from _decoded(text)
    if "%" in text and (plain := unquote(text)) != text:
        yield plain
    if "&" in text and (plain := html.unescape(text)) != text:
        yield plain
    if "\\" in text:
        yield re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    tags = "".join(chr(ord(one) - 0xE0000) for one in text if 0xE0020 <= ord(one) <= 0xE007E)
    if tags:
        yield tags
    yield codecs.decode(text, "rot13")
    yield text[::-1]


def _decoded(text: str) -> Iterator[str]:
    for pattern, decode in _CODED:
        for match in pattern.finditer(text):
            try:
                plain = decode(match[0]).decode("utf-8")
            except (ValueError, binascii.Error):
                continue
            if len(_WORD.findall(plain)) >= 2 and plain.isprintable():
                yield plain


def _padded(text: str, size: int) -> str:
    bare = text.rstrip("=")
    return bare + "=" * (-len(bare) % size)


def _parted(text: str) -> bool:
    """Tell whether a sign without width stands within a word of a script that needs none."""
    for at in range(1, len(text) - 1):
        one = text[at]
        if unicodedata.category(one) == "Cf" and one != _SOFT_HYPHEN:
            beside = (text[at - 1], text[at + 1])
            if all(other.isalpha() and unicodedata.name(other, "").startswith(_LETTERS) for other in beside):
                return True
    return False

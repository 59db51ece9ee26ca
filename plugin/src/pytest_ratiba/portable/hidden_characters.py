"""Characters that show nothing and change what a person reads: overrides of the writing direction, terminal controls,
tags. Texts of models, agents and customers may hold them; wherever a person reads such a text they are made visible.

What scripts need stays: joiners, direction marks, soft hyphens. What is stored, and what programs read, stays as it is.
"""

import re

SHOWN = "\N{REPLACEMENT CHARACTER}"
_DIRECTIONS = "\u202a-\u202e\u2066-\u2069"
_HIDDEN = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{_DIRECTIONS}\ufff9-\ufffb\U000e0000-\U000e007f]+")
_CARRIAGE_RETURN = re.compile(r"\r(?!\n)")
_CONTROLS = bytes({*range(32), 127} - {9, 10, 12, 13})
_C1 = re.compile(rb"\xc2[\x80-\x9f]")
_CODES = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(0xFFF9, 0xFFFC))
_OTHERS = (*(chr(code).encode() for code in _CODES), b"\xf3\xa0\x80", b"\xf3\xa0\x81")
# A browser sends these values back: an option that was altered would name nothing.
_SENT_BACK = re.compile(r"(<(?:option|input|button)\b[^>]*>)", re.IGNORECASE)


def visible(text: str) -> str:
    """The text, each run of hidden characters shown as one U+FFFD. Linear."""
    return _HIDDEN.sub(SHOWN, text)


def any_hidden(page: bytes) -> bool:
    """Whether this UTF-8 holds one: about a millisecond for a page of 300 KB, less where it is ASCII."""
    if len(page.translate(None, delete=_CONTROLS)) != len(page):
        return True
    return not page.isascii() and (any(one in page for one in _OTHERS) or _C1.search(page) is not None)


def visible_html(page: str) -> str:
    """The same for a page: what its forms send back is left alone."""
    if not _HIDDEN.search(page):
        return page
    return "".join(part if at % 2 else visible(part) for at, part in enumerate(_SENT_BACK.split(page)))


def for_terminal(text: str) -> str:
    """The same for a terminal, where a carriage return writes over the line, too."""
    return _CARRIAGE_RETURN.sub(SHOWN, visible(text)) if not text.isprintable() else text


def json_for_terminal(document: str) -> str:
    """A JSON document of the same meaning that steers no terminal: hidden characters are written as escapes."""
    return _HIDDEN.sub(lambda found: "".join(_escape(one) for one in found.group()), document)


def _escape(one: str) -> str:
    units = one.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))

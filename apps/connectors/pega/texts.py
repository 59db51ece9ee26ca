"""Texts and times as Pega writes them (its DX API v2). Pure."""

import html
import re
from datetime import UTC, datetime

from apps.core.timestamps import parse_timestamp

# Only names of HTML elements count as tags: "use <Enter>" and "x < 5" are words.
_BLOCKS = "address|article|blockquote|div|dl|dt|dd|fieldset|form|h[1-6]|li|ol|p|pre|section|table|tbody|thead|tr|ul"
_INLINE = "a|abbr|b|big|body|button|caption|center|code|del|em|font|html|i|img|input|ins|kbd|label|mark|q|s|samp"
_INLINE += "|small|span|strike|strong|sub|sup|td|th|tt|u|var|wbr"
_BREAK = re.compile(rf"<br\s{{0,9}}/?>|<hr\s{{0,9}}/?>|</?(?:{_BLOCKS})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_TAG = re.compile(rf"</?(?:{_INLINE})(?:\s[^<>]*)?/?>|<!--[^<>]*-->", re.IGNORECASE)
_UNREAD = re.compile(r"<(/?)(?:script|style)(?:\s[^<>]*)?>", re.IGNORECASE)
_SPACES_BEFORE_BREAK = re.compile(r"(?<![ \t])[ \t]+\n")
_MANY_BREAKS = re.compile(r"\n{3,}")
_PEGA_TIME = re.compile(r"(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(?:\.(\d{1,6}))?(?: ?GMT| ?UTC|Z)?")


def plain_text(content: str) -> str:
    """What a reader sees of a message: entities are resolved once, then tags go; block elements become line breaks.

    "&amp;lt;" is "&lt;" in the end: a text that shows an entity keeps it. Linear in the length of the text.
    """
    text = html.unescape(content).replace("\r\n", "\n").replace("\xa0", " ")
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub("\n", _without_unread(text)))
    return _MANY_BREAKS.sub("\n\n", _SPACES_BEFORE_BREAK.sub("\n", text)).strip()


def _without_unread(text: str) -> str:
    """The text without scripts and styles, which no reader sees; one that is not closed stays, as words."""
    shown, at, opened = list[str](), 0, None
    for tag in _UNREAD.finditer(text):
        if tag[1] and opened is not None:
            shown.append(text[at:opened])
            at, opened = tag.end(), None
        elif not tag[1] and opened is None:
            opened = tag.start()
    return "".join([*shown, text[at:]])


def pega_time(text: object) -> datetime | None:
    """An aware datetime in UTC from `20261120T100001.000 GMT` or ISO 8601; None for what is neither."""
    if not isinstance(text, str):
        return None
    classic = _PEGA_TIME.fullmatch(text.strip())
    try:
        if classic is None:
            return parse_timestamp(text)
        micro = int((classic[7] or "0").ljust(6, "0"))
        return datetime(*(int(part) for part in classic.groups()[:6]), micro, tzinfo=UTC)  # type: ignore[misc,arg-type]
    except ValueError:
        return None

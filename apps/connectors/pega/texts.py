"""Texts and times as Pega writes them (its DX API v2). Pure."""

import html
import re
from datetime import UTC, datetime

from apps.core.timestamps import parse_timestamp

# Only names of HTML elements count as tags: "use <Enter>" and "x < 5" are words.
_BLOCKS = "address|article|blockquote|div|dl|dt|dd|fieldset|form|h[1-6]|li|ol|p|pre|section|table|tbody|thead|tr|ul"
_INLINE = "a|abbr|b|big|body|button|caption|center|code|del|em|font|html|i|img|input|ins|kbd|label|mark|q|s|samp"
_INLINE += "|small|span|strike|strong|sub|sup|td|th|tt|u|var|wbr"
_BREAK = re.compile(r"<br\s{0,9}/?>|<hr\s{0,9}/?>", re.IGNORECASE)
_BLOCK = re.compile(rf"</?(?:{_BLOCKS})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_TAG = re.compile(rf"</?(?:{_INLINE})(?:\s[^<>]*)?/?>|<!--[^<>]*-->", re.IGNORECASE)
_UNREAD = re.compile(r"<(/?)(?:script|style)(?:\s[^<>]*)?>", re.IGNORECASE)
_EDGE = "\x1e"  # a block's edge: a line break, unless there is one
_GAP = re.compile(rf"(?<![ \t\n{_EDGE}])[ \t\n{_EDGE}]+|\A[ \t\n{_EDGE}]+")
_PEGA_TIME = re.compile(r"(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(?:\.(\d{1,6}))?(?: ?GMT| ?UTC|Z)?")


def plain_text(content: str) -> str:
    """The text of an HTML-escaped message of the data views, as a reader sees it: entities are resolved once, then tags
    go. "&amp;amp;" is "&amp;" in the end: a text that shows an entity keeps it."""
    return without_tags(html.unescape(content))


def without_tags(text: str) -> str:
    """The text without HTML tags; block elements begin on lines of their own. Linear in the length of the text."""
    text = text.replace("\r\n", "\n").replace("\xa0", " ")
    if "<" in text:
        text = _BLOCK.sub(_EDGE, _BREAK.sub("\n", _without_unread(text)))
        text = _GAP.sub(_gap, _TAG.sub("", text))
    return text.strip()


def _gap(spaces: re.Match[str]) -> str:
    """Line breaks that were written stay, two at most; an edge is one where none was; spaces before one go."""
    breaks = spaces[0].count("\n") or int(_EDGE in spaces[0])
    if not breaks:
        return spaces[0]
    indent = spaces[0][max(spaces[0].rfind("\n"), spaces[0].rfind(_EDGE)) + 1 :]
    return "\n" * min(breaks, 2) + indent


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

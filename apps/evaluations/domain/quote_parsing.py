"""Parse the ways in which judges write evidence: turn labels, speakers, quotation marks, ellipses."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_TURN = r"(?:turns?|turn[oi]|zamu|message|msg|t)"
_SPEAKERS = {
    **dict.fromkeys(("user", "customer", "client", "caller", "mteja", "cliente", "utente"), "user"),
    **dict.fromkeys(("assistant", "agent", "bot", "wakala", "agente", "assistente"), "assistant"),
    **dict.fromkeys(("tool",), "tool"),
    **dict.fromkeys(("system",), "system"),
}
# Blanks are matched possessively (*+): a label in front of 100,000 of them would cost their square otherwise.
_WHO = rf"(?:the\s++)?(?P<who>{'|'.join(_SPEAKERS)})"
_SPEECH_VERB = r"(?:\s++(?:said|says|asked|asks|replied|replies|wrote|writes|stated|states|answered|answers))?"


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_NUMBER = r"\s*+(?:[#.]\s*+)?(?P<turn>\d{1,4})"
# [3]   (turn 3)   [turn 3, assistant]:   <3>
_BRACKETED = _compiled(rf"[\[(<]\s*+{_TURN}?{_NUMBER}\s*+(?:[,:;/–-]?\s*+{_WHO})?\s*+[\])>]\s*+[:,–-]?\s*+")
_HASHED = _compiled(rf"{_NUMBER}\s*+[:,–-]\s*+")
_NUMBERED = _compiled(r"(?P<turn>\d{1,4})\s*+[:)]\s++")
_BULLET = _compiled(r"-\s++(?=[\"'“‘«])")
_WORDED = (
    _compiled(r"(?:exact\s++)?(?:quote|evidence|citazione|nukuu)\s*+(?:from\s++)?:\s*+"),
    # turn 3:   in turn 3, the agent said:   turn 3 (assistant):
    _compiled(
        rf"(?:(?:in|at|from)\s++)?{_TURN}{_NUMBER}\s*+(?:[,(\[]?\s*+{_WHO}{_SPEECH_VERB}\s*+[\])]?)?"
        r"\s*+(?:[:,–-]\s*+|(?=[\"'“”‘«]))"
    ),
    # assistant:   the agent said (turn 3):
    _compiled(rf"{_WHO}{_SPEECH_VERB}\s*+(?:[\[(]\s*+{_TURN}?{_NUMBER}\s*+[\])])?\s*+:\s*+"),
    _compiled(rf"{_WHO}{_SPEECH_VERB}\s*+,?\s*+(?=[\"“«])"),
)
# How any of them begins: most texts begin otherwise, and are looked at once instead of four times.
_WORDED_START = _compiled(rf"exact|quote|evidence|citazione|nukuu|in|at|from|{_TURN}|the|(?:{'|'.join(_SPEAKERS)})")
_HEADS = {"[": (_BRACKETED,), "(": (_BRACKETED,), "<": (_BRACKETED,), "#": (_HASHED,), "-": (_BULLET,)}
_TAILS = (
    # "…" (turn 3)   … [3, assistant]   … (assistant, turn 3)
    _compiled(rf"\s*+[\[(<]\s*+(?:{_WHO}\s*+[,:;]?\s*+)?{_TURN}?{_NUMBER}\s*+[\])>]\s*+\.?$"),
    _compiled(rf"\s*+[\[(<]\s*+{_TURN}?{_NUMBER}\s*+[,:;]\s*+{_WHO}\s*+[\])>]\s*+\.?$"),
    _compiled(rf"(?<=[\"'”’»])\s*+[,–-]?\s*+(?:\(?(?:in|at|from)\s++)?{_TURN}{_NUMBER}\s*+\)?\s*+\.?$"),
    _compiled(rf"(?<=[\"'”’»])\s*+[(–-]\s*+{_WHO}\s*+(?:,\s*+{_TURN}{_NUMBER})?\s*+\)?\s*+\.?$"),
)
_PAIRS = {
    '"': '"',
    "'": "'",
    "“": "”",
    "”": "”",
    "„": "“”",
    "‘": "’",
    "’": "’",
    "«": "»",
    "»": "«",
    "`": "`",
    "‚": "‘’",
}
_MAX_TAIL = 60
_MAX_LAYERS = 6


@dataclass(frozen=True, slots=True)
class ParsedQuote:
    """One way to read what was written: the words, and the turn and the role its labels name."""

    words: str
    turn: int | None
    role: str | None


def readings(quote: str) -> Iterator[ParsedQuote]:
    """Every way to read it, the fullest first: as written, then without labels and quotation marks, layer by layer.

    A speaker's label that was peeled off stays a claim: the words must be that speaker's. So does the label of the text
    as written, or a forged "Agent: …" inside a customer's turn would pass for the agent's words.
    """
    text, turn, role = quote.strip(), None, _claimed_role(quote.strip())
    yield ParsedQuote(text, None, role)
    for _ in range(_MAX_LAYERS):
        peeled = _peel(text)
        if peeled is None or not peeled.words or peeled.words == text:
            return
        text = peeled.words
        turn = peeled.turn if turn is None else turn
        role = peeled.role or role or _claimed_role(text)
        yield ParsedQuote(text, turn, role)


def _claimed_role(text: str) -> str | None:
    """The speaker named before any words, behind at most one turn label."""
    for _ in range(2):
        peeled = _peel_head(text)
        if peeled is None:
            return None
        if peeled.role:
            return peeled.role
        text = peeled.words
    return None


def _peel(text: str) -> ParsedQuote | None:
    if len(text) > 1 and text[-1] in _PAIRS.get(text[0], ""):
        return ParsedQuote(text[1:-1].strip(), None, None)
    return _peel_tail(text) or _peel_head(text)


@lru_cache(maxsize=64)  # one text is looked at up to four times in a row
def _peel_head(text: str) -> ParsedQuote | None:
    first = text[:1]
    heads: tuple[re.Pattern[str], ...]
    if first.isalpha():
        heads = _WORDED if _WORDED_START.match(text) else ()
    else:
        heads = _HEADS.get(first) or ((_NUMBERED,) if first.isdigit() else ())
    for pattern in heads:
        match = pattern.match(text)
        if match and match.end() < len(text):
            return _reading(match, text[match.end() :])
    return None


def _peel_tail(text: str) -> ParsedQuote | None:
    last = text[-1:]
    if last not in ")]>." and not last.isdigit() and not (last.isalpha() and any(mark in text for mark in "\"'”’»")):
        return None
    offset = max(0, len(text) - _MAX_TAIL)
    for pattern in _TAILS:
        match = pattern.search(text, offset)
        if match and match.start() > 0:
            return _reading(match, text[: match.start()])
    return None


def _reading(match: re.Match[str], words: str) -> ParsedQuote:
    groups = match.groupdict()
    who = groups.get("who")
    turn = groups.get("turn")
    return ParsedQuote(words.strip(), int(turn) if turn else None, _SPEAKERS[who.lower()] if who else None)

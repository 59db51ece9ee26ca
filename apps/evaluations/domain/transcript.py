"""A conversation as a judge reads it: numbered turns between two fences, everything in it data.

What could pass for a turn label, a fence, a chat token or our nonce is broken up by a zero-width space: the eye and the
model read the same words, evidence checks drop the sign again, but nothing in a turn can end the turn.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

INDENT = "    "
MAX_TOOL_CHARS = 4000  # of one tool result; longer ones are cut in the middle and say so
_END = "<<<END TRANSCRIPT {nonce}>>>"
_BREAK = "\u200b"

# Fences, chat-template tokens of common local models, closing tags, and turn labels at the start of a line.
_MARKS = re.compile(
    r"<{3,}|>{3,}|<\||\|>|</|\[(?=/?INST\])|<(?=/?s>|/?\w*transcript)|(?:^|(?<=\n))[ \t]*\[(?=\d+\])", re.IGNORECASE
)
_LINE_END = re.compile(r"\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# No mark without one of these: the pattern above takes ten times as long to find none.
_BRACKET = re.compile(r"\[(?:/?INST|\d+)\]", re.IGNORECASE)
# C0/C1 controls, bidirectional overrides and invisible tag characters: they hide text from people, not from models.
_HIDDEN = dict.fromkeys(
    code
    for start, end in ((0x00, 0x09), (0x0B, 0x20), (0x7F, 0xA0), (0x202A, 0x202F), (0x2066, 0x206A), (0xE0000, 0xE0080))
    for code in range(start, end)
)


def render_transcript(turns: Sequence[Mapping[str, Any]], *, nonce: str, max_tool_chars: int = MAX_TOOL_CHARS) -> str:
    """The fenced transcript. `turns` are turns of the conversation document; numbering starts at 0.

    A label stands at the start of a line only where a turn begins; every further line of a turn is indented. Tool
    calls and results are shown as data. Linear in the length of the conversation.
    """
    lines = [f"<<<TRANSCRIPT {nonce}>>>"]
    for number, turn in enumerate(turns):
        lines.append(_turn(number, turn, nonce, max_tool_chars))
    lines.append(_END.format(nonce=nonce))
    return "\n".join(lines)


def _turn(number: int, turn: Mapping[str, Any], nonce: str, max_tool_chars: int) -> str:
    role = str(turn.get("role", ""))
    content = turn.get("content") or ""
    speaker = role
    if role == "tool":
        content = _shortened(content, max_tool_chars)
        if turn.get("name"):
            speaker = f"tool {_one_line(str(turn['name']), nonce)}"
    text = neutralised(content, nonce=nonce).replace("\n", f"\n{INDENT}")
    rendered = f"[{number}] {speaker}: {text}"
    for call in turn.get("tool_calls") or ():
        rendered += f"\n{INDENT}-> calls {_call(call, nonce, max_tool_chars)}"
    for item in turn.get("attachments") or ():
        rendered += f"\n{INDENT}-> attaches {_one_line(str(item.get('name', '')), nonce)}"
    return rendered


def _call(call: Mapping[str, Any], nonce: str, max_chars: int) -> str:
    arguments = json.dumps(call.get("arguments") or {}, ensure_ascii=False, default=str)
    return _one_line(f"{call.get('name', '')} {_shortened(arguments, max_chars)}", nonce)


def _shortened(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]} [… {len(text) - 2 * half} characters left out …] {text[-half:]}"


def _one_line(text: str, nonce: str) -> str:
    return " ".join(neutralised(text, nonce=nonce).split())


def neutralised(text: str, *, nonce: str = "") -> str:
    """The text with line ends unified, hidden characters dropped and look-alike marks broken by a zero-width space."""
    if not text.isprintable():
        text = _LINE_END.sub("\n", text).translate(_HIDDEN)
    if "<" in text or ">" in text or ("[" in text and _BRACKET.search(text)):  # tool results are full of brackets
        text = _MARKS.sub(_broken, text)
    return broken_up(text, nonce) if nonce and nonce in text else text


def broken_up(text: str, word: str) -> str:
    """The text with a word in it that only we may write broken by a zero-width space."""
    return text.replace(word, word[:1] + _BREAK + word[1:])


def _broken(match: re.Match[str]) -> str:
    # Behind the last sign too: it could begin another mark with what follows.
    return _BREAK.join(match.group()) + _BREAK

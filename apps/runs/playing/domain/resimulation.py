"""The parts that a simulated customer takes from a golden session: its goal, its opening, and how long it may talk.
Pure."""

from collections.abc import Mapping
from typing import Any

from apps.runs.goldens.domain.replay_script import ScriptLine, script_of

MAX_GOAL_CHARS, MAX_LINE_CHARS = 6_000, 600
MIN_MESSAGES, MAX_MESSAGES = 20, 400  # a persona needs more turns than the golden session, which knew the way
_WORDS_OF_ITS_OWN = """\
Get done what an earlier customer got done. This is what they said, in their order:
{lines}
Pursue the same aim in your own words and in an order of your own. Where you are asked for a detail, give theirs. Say \
goodbye when you have got what they got.{files}"""
_FILES = " You cannot send files: where one is wanted, say that you have it and what it is called."


def goal_of(document: Mapping[str, Any]) -> str:
    """The golden session's own `goal`, where it has one; else what its customer said, to be pursued in other words."""
    own = document.get("goal")
    if isinstance(own, str) and own.strip():
        return own.strip()[:MAX_GOAL_CHARS]
    script = script_of(document)
    listing = "\n".join(f"{number}. {_line(line)}" for number, line in enumerate(script, 1))
    files = _FILES if any(line.file is not None for line in script) else ""
    return _WORDS_OF_ITS_OWN.format(lines=listing[:MAX_GOAL_CHARS], files=files)


def opening_of(document: Mapping[str, Any]) -> str:
    """The customer's first words; "" where the session begins with a file, so that the persona finds its own."""
    first = next(iter(script_of(document)), None)
    return first.text if first is not None and first.file is None else ""


def most_messages_of(document: Mapping[str, Any]) -> int:
    """Return twice the messages of the golden session, within bounds."""
    spoken = sum(turn.get("role") in ("user", "assistant") for turn in document.get("turns") or ())
    return min(MAX_MESSAGES, max(MIN_MESSAGES, 2 * spoken))


def _line(line: ScriptLine) -> str:
    words = " ".join(line.text.split())[:MAX_LINE_CHARS]
    return f"{words} (with the file {line.file.get('name') or 'file'})".strip() if line.file is not None else words
